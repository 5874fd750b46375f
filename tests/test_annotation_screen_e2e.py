"""A labeler at the real screen: what the keys and the mouse do is what decoding makes of it.

Each step is one packet. All are answered in one go, as a labeler would, and the tests look at what came of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import numpy as np
import pymupdf
import pytest
from numpy.typing import NDArray

from annotation.client import LabelStudio
from annotation.coordinates import from_percent, to_percent
from annotation.decode import decode, packet_key_of
from annotation.labeling_config import labeling_config
from annotation.packet import Card, Packet
from annotation.pictures import pictures_of
from annotation.reading import ReturnKind, State, TaskReading
from annotation.tasks import build_task
from answer_builders import SCHEMA, bulk_card, card_of, packet_of, row_card
from bench.screen import Point
from groundtruth.box import Box
from groundtruth.decision import Cause, Decision, Verdict
from groundtruth.evidence import Evidence, Source
from label_studio import PASSWORD, RealServer
from labeling_screen import LAPTOP, Screen

pytestmark = pytest.mark.e2e

PLACE: Final = Evidence(
    page=1, boxes=(Box(0.1234567, 0.2, 0.3, 0.225),), quote="INV-2O4417", systems=("ocr",), words=(4,)
)
SECOND: Final = Evidence(page=2, boxes=(Box(0.2, 0.3, 0.4, 0.325),), quote="on the second page")
VALUES: Final = ("INV-2O4417", "INV-204417")
HOSTILE: Final = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
MOVE: Final = Point(60.0, 40.0)
LABELER: Final = "screen@goldleaf.example"
SUBMIT: Final = "Space"


def raster(document: str, number: int) -> NDArray[np.uint8]:
    """A page with lines of text."""
    pdf = pymupdf.open()
    page = pdf.new_page(width=595, height=842)
    for row in range(36):
        page.insert_text((60, 60 + row * 20), f"{document}, page {number}. Label {row}: {VALUES[0]}", fontsize=10)
    pixmap = page.get_pixmap(dpi=150)
    pixels = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.width, 3)
    pdf.close()
    return pixels


def nothing(_screen: Screen) -> None:
    """Leave what is chosen beforehand."""


def move(screen: Screen) -> None:
    box = PLACE.boxes[0]
    screen.drag(screen.at((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2), MOVE)
    screen.press("2")


def draw(screen: Screen) -> None:
    screen.press("b")
    screen.drag(screen.at(0.5, 0.4), Point(90.0, 30.0))
    screen.press("1")


def remove(screen: Screen) -> None:
    screen.press("Alt+.", "Backspace", "1")


def edit(screen: Screen) -> None:
    screen.press("e")
    screen.type("INV 77 B")
    screen.press("Shift+Enter")


def edit_number(screen: Screen) -> None:
    screen.press("e")
    screen.type("1,234.50")
    screen.press("Shift+Enter")


def two_right(screen: Screen) -> None:
    screen.press("2")
    screen.tick("more than one is right")
    screen.card(0).locator(".gl-also .lsf-choice").first.click()


def flag(screen: Screen) -> None:
    screen.press("1")
    screen.tick("illegible")
    screen.tick("schema problem")


def second_page(screen: Screen) -> None:
    screen.press("Control+ArrowRight", "b")
    screen.page.wait_for_timeout(500)
    screen.drag(screen.at(0.5, 0.4), Point(90.0, 30.0))
    screen.press("1")


def eight(screen: Screen) -> None:
    for at in range(8):
        keys = screen.keys_of(at)
        screen.press(keys[f"value {at}" if at % 2 else "absent from the document"])
    screen.press("Shift+W")
    screen.drag(screen.at(0.6, 0.3), Point(90.0, 30.0))


def keys(*pressed: str) -> Callable[[Screen], None]:
    return lambda screen: screen.press(*pressed)


@dataclass(frozen=True)
class Step:
    """A packet and what the labeler does with it; the title of its first card is the step's name."""

    packet: Packet
    act: Callable[[Screen], None]
    submit: str = SUBMIT


def one(name: str, card: Card, act: Callable[[Screen], None], submit: str = SUBMIT, **packet: Any) -> Step:
    return Step(packet_of(replace(card, title=name, description=f"What {name} means."), **packet), act, submit)


def with_boxes(card: Card) -> Card:
    return replace(card, evidence=(PLACE,))


EIGHT: Final = tuple(
    replace(
        card_of(
            "number",
            (f"value {at}",),
            evidence=(Evidence(page=1, boxes=(Box(0.2, 0.1 + at / 12, 0.4, 0.12 + at / 12),)),),
        ),
        key=f"{at:016x}",
        title=f"eight {at + 1}",
        withheld=("elsewhere",),
    )
    for at in range(8)
)
STEPS: Final = {
    "accept": one("accept", card_of("number", VALUES, evidence=(PLACE,)), keys("1")),
    "number": one("number", card_of("total", (Decimal("339.60"), Decimal(33960)), evidence=(PLACE,)), keys("1")),
    "edit": one("edit", card_of("number", VALUES, evidence=(PLACE,)), edit),
    "edit number": one("edit number", card_of("total", (1, 2), evidence=(PLACE,)), edit_number),
    "null": one("null", card_of("number", VALUES, evidence=(PLACE,)), keys("0")),
    "move": one("move", card_of("number", VALUES, evidence=(PLACE,)), move),
    "draw": one("draw", card_of("number", VALUES, evidence=(), certain=False), draw),
    "remove": one("remove", card_of("number", VALUES, evidence=(PLACE,)), remove),
    "skip": one("skip", card_of("number", VALUES, evidence=(PLACE,), preselected="c0"), nothing, "Control+Space"),
    "escalate": one("escalate", card_of("number", VALUES, evidence=(PLACE,)), keys("x")),
    "elsewhere": one("elsewhere", card_of("number", VALUES, evidence=(PLACE,)), keys("n")),
    "two right": one("two right", card_of("number", VALUES, evidence=(PLACE,)), two_right),
    "flag": one("flag", card_of("number", VALUES, evidence=(PLACE,)), flag),
    "untouched": one("untouched", card_of("paid", (True, False), evidence=(PLACE,), preselected="c0"), nothing),
    "hostile": one("hostile", card_of("number", (HOSTILE, "x"), evidence=(PLACE,), notice=HOSTILE), keys("1")),
    "second page": one("second page", card_of("number", VALUES, evidence=(PLACE, SECOND)), second_page, pages=(1, 2)),
    "row": one("row", with_boxes(row_card()), keys("1")),
    "bulk": one("bulk", bulk_card(), keys("1"), pages=()),
    "eight 1": Step(packet_of(*EIGHT), eight),
}


@dataclass(frozen=True)
class Labelled:
    """What came of all steps: the server's tasks and their readings, by name, and what the browser saw."""

    tasks: Mapping[str, Mapping[str, Any]]
    readings: Mapping[str, TaskReading]
    seen: Mapping[str, Any]
    picture: Point


@pytest.fixture(scope="module")
def labelled(label_studio: RealServer) -> Iterator[Labelled]:
    with LabelStudio.connect(label_studio.url, label_studio.token) as client:
        project = client.create_project("screen", labeling_config(), "the screen's tests")
        client.ensure_local_storage(project, _put_pictures(label_studio.files_root))
        client.import_tasks(project, [build_task(step.packet, _urls(step.packet)) for step in STEPS.values()])
        client.add_user(LABELER, PASSWORD, hotkeys={"annotation:submit": "space"})
        seen, picture = _label(label_studio.url, project)
        tasks = {packet_key_of(task): task for task in client.tasks(project)}
        named = {name: tasks[step.packet.key] for name, step in STEPS.items()}
        readings = {name: decode(STEPS[name].packet, task, SCHEMA, client.users()) for name, task in named.items()}
        yield Labelled(named, readings, seen, picture)


def _put_pictures(root: Path) -> Path:
    folder = root / "screen"
    folder.mkdir(exist_ok=True)
    for step in STEPS.values():
        for name, data in pictures_of(step.packet, raster).items():
            (folder / name).write_bytes(data)
    return folder


def _urls(packet: Packet) -> dict[str, str]:
    return {name: f"/data/local-files/?d=screen/{name}" for name in pictures_of(packet, raster)}


def _label(url: str, project: int) -> tuple[dict[str, Any], Point]:
    seen: dict[str, Any] = {}
    picture = Point(0, 0)
    with Screen(url, LABELER, PASSWORD) as screen:
        screen.label(project)
        for number, (name, step) in enumerate(STEPS.items(), 1):
            screen.wait_for(name)
            seen[name] = screen.page.evaluate(_LAYOUT)
            step.act(screen)
            screen.shoot(f"{number:02}-{name.replace(' ', '-')}")
            if name == "move":
                picture = screen.picture_size()
            screen.press(step.submit)
        screen.page.wait_for_timeout(2000)
        screen.shoot("99-done")
        seen["foreign"] = screen.foreign
    return seen, picture


_LAYOUT: Final = """() => {
    const side = document.querySelector('.gl-side');
    const bar = document.querySelector('.lsf-bottombar').getBoundingClientRect();
    const choices = [...document.querySelectorAll('.gl-card .lsf-choice')].map(each => each.getBoundingClientRect());
    const crop = document.querySelector('.gl-crop');
    return {
        hacked: window.hacked === undefined ? null : window.hacked,
        scrolls: side.scrollHeight > side.clientHeight + 1,
        width: document.documentElement.scrollWidth,
        lowest: Math.max(...choices.map(each => each.bottom)),
        bar: bar.top,
        cropScale: crop ? crop.getBoundingClientRect().width / crop.naturalWidth : null,
        numbers: [...document.querySelectorAll('.gl-number')].map(each => each.textContent),
        labels: [...document.querySelectorAll('.gl-page .lsf-label__text')].map(each => each.textContent),
        text: document.querySelector('.gl-card').innerText,
    };
}"""

ONE_CARD: Final = [name for name, step in STEPS.items() if len(step.packet.cards) == 1]


def decided(labelled: Labelled, name: str) -> Decision:
    (decision,) = labelled.readings[name].decisions
    return decision


def regions(labelled: Labelled, name: str, control: str = "box") -> list[Mapping[str, Any]]:
    (annotation,) = labelled.tasks[name]["annotations"]
    return [region for region in annotation["result"] if region["from_name"] == control]


@pytest.mark.parametrize(
    ("name", "verdict", "value"),
    [
        pytest.param("accept", Verdict.ACCEPT, "INV-2O4417", id="accept"),
        pytest.param("number", Verdict.ACCEPT, Decimal("339.60"), id="accept a number"),
        pytest.param("edit", Verdict.EDIT, "INV 77 B", id="edit, with spaces though Space submits"),
        pytest.param("edit number", Verdict.EDIT, Decimal("1234.5"), id="edit a number"),
        pytest.param("null", Verdict.NULL, None, id="null"),
        pytest.param("move", Verdict.ACCEPT, "INV-204417", id="move"),
        pytest.param("draw", Verdict.ACCEPT, "INV-2O4417", id="draw"),
        pytest.param("remove", Verdict.ACCEPT, "INV-2O4417", id="remove"),
        pytest.param("escalate", Verdict.ESCALATE, None, id="escalate"),
        pytest.param("untouched", Verdict.ACCEPT, True, id="left as chosen beforehand"),
        pytest.param("hostile", Verdict.ACCEPT, HOSTILE, id="hostile text"),
        pytest.param("row", Verdict.PRESENT, None, id="row"),
    ],
)
def test_what_is_pressed_is_what_is_decided(labelled: Labelled, name: str, verdict: Verdict, value: Any) -> None:
    decision = decided(labelled, name)
    assert (decision.verdict, decision.value) == (verdict, value)
    assert type(decision.value) is type(value)
    assert str(decision.value) == str(value)
    assert decision.reviewer == LABELER
    assert decision.seconds is not None
    assert decision.untouched is (name == "untouched")
    assert labelled.readings[name].states[decision.key] is State.ANSWERED
    assert labelled.readings[name].notes == ()


@pytest.mark.parametrize("name", ["accept", "number", "edit", "escalate", "untouched", "two right", "flag", "row"])
def test_an_untouched_box_comes_back_bit_identical(labelled: Labelled, name: str) -> None:
    (region,) = regions(labelled, name)
    sent = to_percent(PLACE.boxes[0])
    assert tuple(float(region["value"][key]) for key in ("x", "y", "width", "height")) == sent
    decision = decided(labelled, name)
    assert decision.evidence == (PLACE,)
    assert decision.evidence[0] is STEPS[name].packet.cards[0].evidence[0]
    assert not decision.boxes_changed


def test_a_moved_box_is_where_the_mouse_left_it(labelled: Labelled) -> None:
    (region,) = regions(labelled, "move")
    decision = decided(labelled, "move")
    ((box,),) = (place.boxes for place in decision.evidence)
    assert decision.boxes_changed
    assert decision.evidence[0].source is Source.PERSON
    on_server = from_percent({key: float(value) for key, value in region["value"].items() if key != "rectanglelabels"})
    assert on_server is not None
    assert max(abs(ours - theirs) for ours, theirs in zip(box, on_server, strict=True)) <= 1e-6
    was = PLACE.boxes[0]
    assert box.x1 - box.x0 == pytest.approx(was.x1 - was.x0, abs=1e-6)
    assert box.y1 - box.y0 == pytest.approx(was.y1 - was.y0, abs=1e-6)
    pixels = Point((box.x0 - was.x0) * labelled.picture.x, (box.y0 - was.y0) * labelled.picture.y)
    assert pixels.x == pytest.approx(MOVE.x, abs=2)
    assert pixels.y == pytest.approx(MOVE.y, abs=2)


def test_a_drawn_box_becomes_evidence(labelled: Labelled) -> None:
    decision = decided(labelled, "draw")
    ((box,),) = (place.boxes for place in decision.evidence)
    assert decision.boxes_changed
    assert (box.x0, box.y0) == pytest.approx((0.5, 0.4), abs=0.005)


def test_a_removed_box_leaves_none(labelled: Labelled) -> None:
    assert decided(labelled, "remove").evidence == ()
    assert decided(labelled, "remove").boxes_changed


def test_a_box_on_another_page_of_the_document(labelled: Labelled) -> None:
    decision = decided(labelled, "second page")
    assert decision.evidence[0] == PLACE
    # The drawn box joins the only place of its page.
    assert decision.evidence[1].page == 2
    assert len(decision.evidence[1].boxes) == 2
    assert SECOND.boxes[0] in decision.evidence[1].boxes


def test_a_skip_decides_nothing_though_something_was_chosen_beforehand(labelled: Labelled) -> None:
    reading = labelled.readings["skip"]
    assert reading.decisions == ()
    assert set(reading.states.values()) == {State.SKIPPED}


def test_not_on_this_page_moves_on(labelled: Labelled) -> None:
    reading = labelled.readings["elsewhere"]
    assert [again.kind for again in reading.returns] == [ReturnKind.ELSEWHERE]


def test_two_readings_can_be_right(labelled: Labelled) -> None:
    decision = decided(labelled, "two right")
    assert (decision.value, decision.alternates) == (VALUES[1], (VALUES[0],))


def test_flags_become_causes(labelled: Labelled) -> None:
    assert decided(labelled, "flag").causes == (Cause.ILLEGIBLE, Cause.SCHEMA_PROBLEM)


def test_a_bulk_answer_decides_each_leaf(labelled: Labelled) -> None:
    values = [decision.value for decision in labelled.readings["bulk"].decisions]
    assert values == [member.value for member in STEPS["bulk"].packet.cards[0].members]


def test_eight_cards_are_answered_by_keys_alone(labelled: Labelled) -> None:
    decisions = {decision.key: decision for decision in labelled.readings["eight 1"].decisions}
    assert [decisions[card.key].value for card in EIGHT] == [f"value {at}" if at % 2 else None for at in range(8)]
    kept = [decisions[card.key].evidence for card in EIGHT[3::2]]
    assert kept == [card.evidence for card in EIGHT[3::2]]


def test_a_box_drawn_with_the_key_of_a_card_is_that_cards(labelled: Labelled) -> None:
    decisions = {decision.key: decision for decision in labelled.readings["eight 1"].decisions}
    ((sent, drawn),) = (place.boxes for place in decisions[EIGHT[1].key].evidence)
    assert sent == EIGHT[1].evidence[0].boxes[0]
    assert (drawn.x0, drawn.y0) == pytest.approx((0.6, 0.3), abs=0.005)
    assert [decisions[card.key].boxes_changed for card in EIGHT] == [False, True, *[False] * 6]


@pytest.mark.parametrize("name", [name for name in STEPS if name not in ("two right", "flag")])
def test_no_key_of_an_answer_ticks_a_flag(labelled: Labelled, name: str) -> None:
    for control in ("flag", "also"):
        assert [regions(labelled, name, f"{control}_{at}") for at in range(8)] == [[]] * 8


def test_the_numbers_of_boxes_are_those_of_the_cards(labelled: Labelled) -> None:
    assert labelled.seen["eight 1"]["numbers"] == [str(at + 1) for at in range(8)]
    assert labelled.seen["eight 1"]["labels"] == [str(at + 1) for at in range(8)]
    sent = [region for region in regions(labelled, "eight 1") if region["origin"] == "prediction"]
    by_card = {region["id"]: region["value"]["rectanglelabels"] for region in sent}
    assert by_card == {f"{card.key}.0": [str(at + 1)] for at, card in enumerate(EIGHT)}


@pytest.mark.parametrize("name", ONE_CARD)
def test_no_scrolling_to_the_answer_of_one_card(labelled: Labelled, name: str) -> None:
    seen = labelled.seen[name]
    assert not seen["scrolls"]
    assert seen["lowest"] <= seen["bar"]
    assert seen["width"] <= LAPTOP[0]


@pytest.mark.parametrize("name", [name for name in ONE_CARD if name not in ("bulk", "draw")])
def test_a_crop_is_shown_about_as_large_as_it_was_drawn(labelled: Labelled, name: str) -> None:
    # It is drawn so that print is at least 24 pixels high.
    assert labelled.seen[name]["cropScale"] > 0.6


def test_text_of_strangers_runs_nothing_and_is_seen(labelled: Labelled) -> None:
    assert [labelled.seen[name]["hacked"] for name in STEPS] == [None] * len(STEPS)
    assert labelled.seen["hostile"]["text"].count("<img src=x onerror=window.hacked=1>") >= 2


def test_the_browser_asks_nobody_else(labelled: Labelled) -> None:
    assert labelled.seen["foreign"] == []
