"""What is asked of a person, and in what order."""

from __future__ import annotations

from typing import Any

from builders import ballots, schema_of
from consensus.order import Record, Voted, review_queue
from consensus.questions import questions
from consensus.vote import vote
from groundtruth import jsontext
from groundtruth.consensus import Disposition, Reason
from groundtruth.document import Kind
from groundtruth.path import format_path, parse_path
from groundtruth.queue import Question, QueueItem, person_seconds

CELLS = {name: {"type": ["string", "null"]} for name in "kabc"}
TABLE = {"items": {"type": "array", "items": {"type": "object", "properties": CELLS}}}
KEYED = schema_of({**TABLE, "title": CELLS["k"], "note": CELLS["k"]}, identity={"items": ["k"]})


def row(k: str, **cells: str) -> dict[str, str]:
    return {"k": k, "a": f"a-{k}", "b": f"b-{k}", "c": f"c-{k}", **cells}


def asked(*answers: Any, schema: Any = KEYED, kind: Kind = Kind.REAL) -> list[QueueItem]:
    return questions("doc", vote(schema, ballots(answers), kind=kind))


def paths(items: list[QueueItem]) -> list[list[str]]:
    return [[format_path(place.path) for place in item.places] for item in items]


def test_a_row_that_one_system_lacks_is_one_question_that_settles_its_cells() -> None:
    both = {"items": [row("r1"), row("r2")]}
    (item,) = asked(both, both, both, both, {"items": [row("r1")]})
    assert (item.question, paths([item]), item.leaves) == (Question.ROW, [["items[1]"]], 1)
    assert [format_path(path) for path in item.settles] == [f"items[1].{name}" for name in "kabc"]


def test_a_lost_row_asks_for_its_cells_only_once_it_is_confirmed() -> None:
    both, one = {"items": [row("r1"), row("r2")]}, {"items": [row("r1")]}
    (item,) = asked(both, both, one, one, one)
    assert item.disposition is Disposition.REVIEW
    assert (len(item.settles), len(item.follow_up), item.leaves) == (0, 4, 5)


def test_a_contested_cell_of_a_row_that_one_lacks_is_asked_by_itself() -> None:
    both = {"items": [row("r1"), row("r2")]}
    other = {"items": [row("r1"), row("r2", b="misread")]}
    items = asked(both, both, both, other, {"items": [row("r1")]})
    assert [(item.question, path) for item, path in zip(items, paths(items), strict=True)] == [
        (Question.ROW, ["items[1]"]),
        (Question.LEAF, ["items[1].b"]),
    ]


def test_the_same_dissent_in_three_rows_is_one_question() -> None:
    plain = {"items": [row(k, b="same") for k in ("r1", "r2", "r3", "r4")]}
    off = {"items": [row(k, b="off") for k in ("r1", "r2", "r3")] + [row("r4", b="same")]}
    (item,) = asked(plain, plain, plain, plain, off)
    assert (item.question, item.leaves) == (Question.BULK, 3)


def test_every_open_leaf_is_asked_exactly_once() -> None:
    answers = [
        {"title": "t", "items": [row("r1"), row("r2"), row("r3")]},
        {"title": "T", "items": [row("r1"), row("r3", a="x")]},
        {"title": "u", "items": [row("r1", c="y"), row("r2", b="q")]},
    ]
    result = vote(KEYED, ballots(answers))
    items = questions("doc", result)
    covered = [place.path for item in items if item.question is not Question.ROW for place in item.places]
    covered += [path for item in items for path in (*item.settles, *item.follow_up)]
    open_leaves = [leaf.path for leaf in result.leaves if leaf.disposition is not Disposition.ACCEPT]
    assert sorted(map(format_path, covered)) == sorted(map(format_path, open_leaves))


def test_surface_dissent_is_one_question_over_all_documents() -> None:
    result = vote(KEYED, ballots([{"title": "Acme"}] * 4 + [{"title": "ACME."}]))
    queue = review_queue([Voted(name, KEYED, result) for name in ("one", "two")])
    (item,) = queue
    assert (item.question, [place.document for place in item.places]) == (Question.BULK, ["one", "two"])


def test_every_leaf_of_a_form_is_asked() -> None:
    answer = {"title": "t", "note": "n", "items": [row("r1")]}
    items = asked(answer, answer, answer, kind=Kind.FORM)
    asked_for = {path for group in paths(items) for path in group}
    assert asked_for == {"title", "note", *(f"items[0].{name}" for name in "kabc")}
    assert {item.disposition for item in items} == {Disposition.REVIEW}


def order_of(*answers: Any, **options: Any) -> list[str]:
    queue = review_queue([Voted("doc", KEYED, vote(KEYED, ballots(answers)))], **options)
    return [format_path(item.places[0].path) for item in queue]


def test_rows_then_identity_then_split_then_null_then_majority() -> None:
    def answer(title: str | None, note: str | None, *rows: dict[str, str]) -> dict[str, Any]:
        return {"title": title, "note": note, "items": list(rows)}

    found = order_of(
        answer("x", None, row("r1"), row("r2")),
        answer("x", None, row("r1"), row("r2")),
        answer("y", None, row("r1", a="p")),
        answer("y", "n", row("r1")),
        answer("z", "n", row("r1")),
    )
    assert found == ["items[1]", "title", "note", "items[0].a"]


def test_a_field_that_people_overturned_comes_before_its_peers() -> None:
    answers = [{"title": "x", "note": "n"}] * 4 + [{"title": "y", "note": "m"}]
    assert order_of(*answers) == ["title", "note"]
    assert order_of(*answers, overturned={("test", parse_path("note")): Record(9, 10)}) == ["note", "title"]


def test_smaller_margins_come_first_and_provisional_leaves_last() -> None:
    found = order_of(
        {"title": "x", "note": "n"},
        {"title": "x", "note": "n"},
        {"title": "x", "note": "n"},
        {"title": "x", "note": "m"},
        {"title": "y", "note": "m"},
    )
    assert found == ["note", "title"]


def test_the_queue_is_read_back_as_it_was_written() -> None:
    both, one = {"items": [row("r1"), row("r2")]}, {"items": [row("r1")]}
    items = asked(both, both, one, one, {"title": "x"})
    back = [QueueItem.from_json(jsontext.loads(jsontext.dumps(item.to_json()))) for item in items]
    assert back == items
    assert person_seconds(items) > 0
    assert any(Reason.NULL_OVER_VALUE in item.reasons for item in items)
