"""What counts as right and wrong in answers that are known, and what becomes of them when the server changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import pytest

from annotation.known import Expected, Known
from annotation.known_answers import KnownAnswer, Mark, Measured, current, fold, measured, read_known
from annotation.packet import Packet
from answer_builders import HERE, SCHEMA, USERS, annotation, box, card_of, chosen, packet_of, sent_boxes, task_of, typed
from builders import schema_of
from groundtruth import jsontext
from groundtruth.box import Box
from groundtruth.evidence import Evidence
from groundtruth.schema import FrozenSchema

ELSEWHERE: Final = Evidence(page=2, boxes=HERE.boxes)
LATER: Final = "2026-03-01T11:00:00.250000Z"


def packet(expected: Any = "INV-2", places: tuple[Evidence, ...] = (HERE,)) -> Packet:
    card = card_of(evidence=[HERE.model_copy(update={"value": "INV-2"})])
    known = Known(
        slot=0,
        shown_as="a",
        expected={card.key: Expected(expected, places)},
        schema=SCHEMA.source,
        rules=SCHEMA.rules.to_json(),
    )
    return packet_of(card, known=known)


def one(result: Any, asked: Packet | None = None, present: FrozenSchema | None = None, **changes: Any) -> KnownAnswer:
    asked = asked or packet()
    (answer,) = read_known(asked, task_of(asked, annotation(result, **changes)), USERS, present)
    return answer


@pytest.mark.parametrize(
    ("result", "expected", "places", "mark", "said"),
    [
        ([chosen(0, "c0")], "INV-2", (HERE,), Mark.RIGHT, ""),
        ([chosen(0, "c1")], "INV-2", (HERE,), Mark.WRONG, ""),
        ([chosen(0, "null")], "INV-2", (HERE,), Mark.WRONG, ""),
        ([chosen(0, "null")], None, (), Mark.RIGHT, ""),
        ([chosen(0, "c0")], None, (), Mark.WRONG, ""),
        ([chosen(0, "edit"), typed(0, " INV-2 ")], "INV-2", (HERE,), Mark.RIGHT, ""),
        ([chosen(0, "edit"), typed(0, "INV-3")], "INV-2", (HERE,), Mark.WRONG, ""),
        ([chosen(0, "edit")], "INV-2", (HERE,), Mark.WRONG, "unreadable"),
        ([], "INV-2", (HERE,), Mark.WRONG, "unreadable"),
        ([chosen(0, "elsewhere")], "INV-2", (HERE,), Mark.WRONG, "elsewhere"),
        ([chosen(0, "elsewhere")], "INV-2", (ELSEWHERE,), Mark.PASSED_ON, "elsewhere"),
        ([chosen(0, "elsewhere")], None, (), Mark.PASSED_ON, "elsewhere"),
        ([chosen(0, "escalate")], "INV-2", (HERE,), Mark.PASSED_ON, "escalate"),
    ],
)
def test_what_counts_how(result: Any, expected: Any, places: tuple[Evidence, ...], mark: Mark, said: str) -> None:
    answer = one(result, packet(expected, places))
    assert (answer.mark, answer.said, answer.reviewer) == (mark, said, "ann@example.org")
    assert answer.expected == expected


def test_a_skip_is_passed_on_although_it_holds_an_answer() -> None:
    answer = one([chosen(0, "c1")], was_cancelled=True)
    assert (answer.mark, answer.said) == (Mark.PASSED_ON, "skipped")


def test_a_draft_is_no_answer() -> None:
    asked = packet()
    assert read_known(asked, task_of(asked, drafts=[{"result": [chosen(0, "c1")]}]), USERS) == []


@pytest.mark.parametrize(
    ("boxes", "stands"),
    [
        (sent_boxes(packet()), True),
        ([], False),
        ([box(0, Box(0.12, 0.2, 0.3, 0.25))], True),
        ([box(0, Box(0.5, 0.6, 0.7, 0.65))], False),
    ],
    ids=["untouched", "removed", "drawn there", "drawn elsewhere"],
)
def test_boxes_are_counted_apart_from_values(boxes: Any, stands: bool) -> None:
    answer = one([chosen(0, "c0"), *boxes])
    assert (answer.mark, answer.box) == (Mark.RIGHT, stands)
    found = measured([answer])["ann@example.org"]
    assert (found.accuracy, found.boxes, found.boxes_right) == (1.0, 1, int(stands))


def test_of_what_is_absent_no_box_is_due() -> None:
    assert one([chosen(0, "null")], packet(None, ())).box is None


def test_a_schema_that_no_longer_asks_it_makes_the_answer_stale() -> None:
    changed = schema_of({"number": {"type": ["string", "null"], "description": "Another one."}})
    assert one([chosen(0, "c1")], present=changed).mark is Mark.STALE
    assert one([chosen(0, "c1")], present=SCHEMA).mark is Mark.WRONG


def test_two_people_are_measured_apart_and_an_edit_replaces_the_answer() -> None:
    asked = packet()
    first = task_of(asked, annotation([chosen(0, "c1")]), annotation([chosen(0, "c0")], identifier=72, by=2))
    record = fold((), read_known(asked, first, USERS), {asked.key})
    edited = task_of(asked, annotation([chosen(0, "c0")], at=LATER), annotation([chosen(0, "c0")], identifier=72, by=2))
    assert {name: (each.right, each.wrong) for name, each in measured(record).items()} == {
        "ann@example.org": (0, 1),
        "bob@example.org": (1, 0),
    }
    record = fold(record, read_known(asked, edited, USERS), {asked.key})
    assert len(record) == 3
    assert {name: (each.right, each.wrong) for name, each in measured(record).items()} == {
        "ann@example.org": (1, 0),
        "bob@example.org": (1, 0),
    }
    assert fold(record, read_known(asked, edited, USERS), {asked.key}) == record


def test_who_changes_anothers_answer_answers_it() -> None:
    answer = one([chosen(0, "c1")], updated_by=2)
    assert answer.reviewer == "bob@example.org"


def test_an_answer_that_is_gone_is_withdrawn_and_comes_back() -> None:
    asked = packet()
    found = read_known(asked, task_of(asked, annotation([chosen(0, "c1")])), USERS)
    record = fold(fold((), found, {asked.key}), [], {asked.key})
    assert [each.withdrawn for each in record] == [True]
    assert measured(record) == {}
    assert [each.withdrawn for each in fold(record, found, {asked.key})] == [False]


def test_a_task_that_is_gone_takes_no_answer_with_it() -> None:
    asked = packet()
    found = read_known(asked, task_of(asked, annotation([chosen(0, "c1")])), USERS)
    assert fold(fold((), found, {asked.key}), [], set()) == tuple(found)


def test_of_one_person_on_one_card_the_last_answer_counts() -> None:
    answer = one([chosen(0, "c1")])
    later = replace(answer, annotation=99, revision=LATER, mark=Mark.RIGHT)
    assert current([later, answer]) == [later]


def test_the_interval_is_wilsons() -> None:
    answers = [replace(one([chosen(0, "c0")]), card=str(at), annotation=at) for at in range(9)]
    answers.append(replace(one([chosen(0, "c1")]), card="9", annotation=9))
    found = measured(answers)["ann@example.org"]
    assert found.interval is not None
    assert found.interval == pytest.approx((0.59585, 0.98212), abs=1e-5)
    said = found.to_json()
    assert (said["asked"], said["right"], said["wrong"], said["accuracy"]) == (10, 9, 1, 0.9)
    assert said["mistakes"] == [
        {
            "document": "doc",
            "path": "number",
            "answered": "INV-Z",
            "said": "",
            "expected": "INV-2",
            "packet": packet().key,
        }
    ]


@pytest.mark.e2e
@pytest.mark.parametrize(("right", "wrong"), [(0, 1), (1, 0), (0, 7), (40, 0), (3, 2), (97, 5)])
def test_the_interval_is_that_of_scipy(right: int, wrong: int) -> None:
    from scipy.stats import binomtest

    found = binomtest(right, right + wrong).proportion_ci(0.95, method="wilson")
    assert Measured(right=right, wrong=wrong).interval == pytest.approx((found.low, found.high), abs=1e-12)


def test_who_only_skips_has_no_accuracy() -> None:
    found = measured([one([], was_cancelled=True)])["ann@example.org"]
    assert (found.accuracy, found.interval, found.to_json()["interval"]) == (None, None, None)


def test_a_record_is_read_back() -> None:
    answer = one([chosen(0, "c1")])
    assert KnownAnswer.from_json(jsontext.loads(jsontext.dumps(answer.to_json()))) == answer
