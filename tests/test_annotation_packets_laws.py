"""What holds of the packets of any vote: nothing lost, nothing twice, nothing beside the limits, nothing by chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.asked import Asked
from annotation.cards import MOST_PAGES
from annotation.choose import choose
from annotation.packet import ELSEWHERE, MOST_CARDS, MOST_KEYS, Packet
from annotation.packets import MOST_MEMBERS, deferred, make_packets
from builders import schema_of
from groundtruth.document import Kind
from groundtruth.jsontext import dumps, loads
from groundtruth.path import format_path
from groundtruth.queue import Place, Question, QueueItem
from packet_builders import asked_document, by_id, queue_of, spot

TEXT = {"type": ["string", "null"]}
LINES = {"type": "array", "items": {"type": "object", "properties": {"n": TEXT, "m": TEXT}}}
ITEM = {"type": "object", "properties": {"k": TEXT, "x": TEXT, "y": TEXT, "lines": LINES}}
SCHEMA = schema_of(
    {"title": TEXT, "count": {"type": ["integer", "null"]}, "items": {"type": "array", "items": ITEM}},
    identity={"items": ["k"], "items[].lines": ["n"]},
)

word = st.sampled_from([None, "p", "P", "q", "N/A"])
line = st.fixed_dictionaries({"n": st.sampled_from(["1", "2"]), "m": word})
item = st.fixed_dictionaries(
    {"k": st.sampled_from(["r1", "r2", "r3", "r4"]), "x": word, "y": word, "lines": st.lists(line, max_size=2)}
)
answer = st.fixed_dictionaries(
    {"title": word, "count": st.sampled_from([None, 1, 2, "?"]), "items": st.lists(item, max_size=4)}
)


@st.composite
def documents(draw: st.DrawFn, name: str = "doc") -> Asked:
    """A document of any length whose leaves stand anywhere, for sure, perhaps, or nowhere."""
    answers = draw(st.lists(answer, min_size=1, max_size=5))
    pages = draw(st.sampled_from([1, 3, 45]))
    kind = draw(st.sampled_from([Kind.REAL, Kind.FORM]))
    leaves = [format_path(leaf.path) for leaf in asked_document(SCHEMA, answers).consensus.leaves]
    places = st.builds(spot, st.integers(1, pages), st.sampled_from([0.1, 0.5]))
    some = st.sampled_from(leaves)
    certain = draw(st.dictionaries(some, places, max_size=8))
    guesses = draw(st.dictionaries(some, st.lists(places, max_size=3), max_size=8))
    return asked_document(SCHEMA, answers, document=name, kind=kind, page_count=pages, certain=certain, guesses=guesses)


fast = settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def places_of(packets: Sequence[Packet]) -> Iterator[Place]:
    for packet in packets:
        for card in packet.cards:
            if card.members:
                yield from (Place(member.document, member.path) for member in card.members)
            else:
                yield Place(card.document, card.path)


def everything(*asked: Asked) -> list[QueueItem]:
    return choose(queue_of(*asked), review="all", documents=by_id(*asked))


@fast
@given(documents("one"), documents("two"))
def test_everything_is_asked_once_or_waits_for_its_row(one: Asked, two: Asked) -> None:
    items, both = everything(one, two), by_id(one, two)
    now = Counter(places_of(make_packets(items, both, round_number=1)))
    later = Counter(place for waiting in deferred(items, both) for place in waiting.places)
    assert now + later == Counter({place for asked in items for place in asked.places})
    assert not now.keys() & later.keys()
    rows = {place for place in now if isinstance(place.path[-1], int)}
    for place in later:
        assert any(Place(place.document, place.path[:length]) in rows for length in range(len(place.path)))


@fast
@given(documents())
def test_round_by_round_everything_is_asked_exactly_once(document: Asked) -> None:
    items = everything(document)
    asked: Counter[Place] = Counter()
    for number in range(1, 5):
        left = document._replace(decided={place.path for place in asked})
        asked += Counter(places_of(make_packets(items, by_id(left), round_number=number)))
    assert asked == Counter({place for item in items for place in item.places})


@fast
@given(documents())
def test_packets_keep_to_their_limits(document: Asked) -> None:
    for packet in make_packets(everything(document), by_id(document), round_number=1):
        assert len(packet.cards) <= MOST_CARDS
        assert len(packet.cards) == 1 or sum(len(card.answers) for card in packet.cards) <= MOST_KEYS
        assert len(packet.pages) <= MOST_PAGES
        assert all(1 <= page <= document.page_count for page in packet.pages)
        assert len({card.question for card in packet.cards}) == 1
        for card in packet.cards:
            assert len(card.members) <= MOST_MEMBERS
            assert {place.page for place in card.evidence} <= set(packet.pages)
            assert not set(card.later_pages) & set(packet.pages)
            assert card.preselected is None or card.preselected in card.answers
            if packet.pages == tuple(range(1, document.page_count + 1)):
                assert ELSEWHERE not in card.answers
            assert (card.question is Question.BULK) == (not packet.pages)


@fast
@given(documents("one"), documents("two"))
def test_the_order_of_documents_and_chance_change_nothing(one: Asked, two: Asked) -> None:
    first = make_packets(everything(one, two), by_id(one, two), round_number=1)
    assert make_packets(everything(two, one), by_id(two, one), round_number=1) == first
    assert len({packet.key for packet in first}) == len(first)


@fast
@given(documents())
def test_packets_are_read_back_as_they_were_written(document: Asked) -> None:
    for packet in make_packets(everything(document), by_id(document), round_number=1):
        form: Any = loads(dumps(packet.to_json()))
        assert Packet.from_json(form) == packet
