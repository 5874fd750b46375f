"""How well people answered: counts that can be checked by hand."""

from __future__ import annotations

from typing import Any, Final

import pytest

from annotation.asked import Asked, keys_of
from annotation.quality import Voted, overturned, quality
from builders import ballots, schema_of
from consensus.vote import vote
from groundtruth.decision import Cause, Decision, DecisionLog, Verdict, Withdrawal
from groundtruth.document import Kind
from groundtruth.jsontext import dumps
from groundtruth.path import parse_path, schema_path

SCHEMA: Final = schema_of(
    {
        "number": {"type": "string"},
        "total": {"type": "number"},
        "items": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
    },
    identity={"items": ["sku"]},
)
CONSENSUS: Final = vote(
    SCHEMA,
    ballots(
        [
            {"number": "A-1", "total": 5, "items": [{"sku": "x"}]},
            {"number": "A-1", "total": 5, "items": [{"sku": "x"}]},
            {"number": "A-7", "total": 6, "items": []},
        ]
    ),
)
VOTES: Final = {"doc": Voted(SCHEMA, CONSENSUS)}
KEYS: Final = {path: key for key, path in keys_of(Asked("doc", "", Kind.REAL, SCHEMA, CONSENSUS, 1)).items()}


def decision(path: str, value: Any, who: str = "ann", **changes: Any) -> Decision:
    at = parse_path(path)
    parts: dict[str, Any] = {
        "id": f"{path}-{who}-{value}",
        "key": KEYS[at],
        "document": "doc",
        "path": at,
        "field": schema_path(at),
        "fingerprint": "",
        "schema": "test",
        "schema_version": "1",
        "verdict": Verdict.NULL if value is None else Verdict.ACCEPT,
        "value": value,
        "reviewer": who,
        "decided_at": "2026-03-01T10:00:00Z",
        "packet": "p",
    }
    return Decision(**{**parts, **changes})


def test_the_vote_is_overturned_when_people_decide_otherwise() -> None:
    log = DecisionLog((decision("number", "A-7"), decision("total", 5)))
    found = quality([log], VOTES)
    number, total = found.fields["test", ("number",)], found.fields["test", ("total",)]
    assert (number.compared, number.overturned, number.systems) == (1, 1, {"A": (1, 1), "B": (1, 1), "C": (0, 1)})
    assert (total.overturned, total.systems["C"]) == (0, (1, 1))
    assert overturned([log], VOTES) == {("test", ("number",)): (1, 1), ("test", ("total",)): (0, 1)}


def test_a_further_right_reading_is_no_error_of_the_vote() -> None:
    log = DecisionLog((decision("number", "A-7", alternates=("A-1",)),))
    assert overturned([log], VOTES) == {("test", ("number",)): (0, 1)}


def test_a_row_that_people_deny_overturns_the_vote() -> None:
    log = DecisionLog((decision("items[0]", None, verdict=Verdict.ABSENT),))
    assert overturned([log], VOTES) == {("test", ("items",)): (1, 1)}
    assert quality([log], VOTES).fields["test", schema_path(("items", 0))].systems["C"] == (0, 1)


def test_agreement_between_people() -> None:
    log = DecisionLog(
        (
            decision("number", "A-1"),
            decision("number", "A-1", "bob"),
            decision("total", 5),
            decision("total", 6, "bob"),
            decision("total", 6, "eve", settles=("total-ann-5", "total-bob-6")),
        )
    )
    found = quality([log], VOTES)
    number, total = found.fields["test", ("number",)], found.fields["test", ("total",)]
    assert (number.double, number.pairwise, number.alpha) == (1, 1.0, None)
    assert (total.double, total.pairwise, total.overturned) == (1, 0.0, 1)
    ann = found.reviewers["ann"]
    assert (ann.answers, ann.double, ann.agreed) == (2, 2, 1)


def test_what_was_taken_back_or_revised_or_handed_on_is_no_answer_to_compare() -> None:
    first = decision("number", "A-7", annotation=1, revision="2026-03-01T10:00:00Z")
    revised = decision("number", "A-1", "bob", annotation=1, revision="2026-03-01T10:00:00.5Z", settles=(first.id,))
    gone = decision("total", 6)
    handed_on = decision("total", None, "bob", verdict=Verdict.ESCALATE)
    log = DecisionLog((first, revised, gone, handed_on, Withdrawal(gone.id, "ann", "2026-03-02", "a typo")))
    found = quality([log], VOTES)
    assert found.fields["test", ("number",)].double == 0
    assert found.fields["test", ("total",)].decided == 0
    assert found.reviewers["bob"].escalated == 1


def test_time_and_rubber_stamps() -> None:
    log = DecisionLog(
        (
            decision("number", "A-1", seconds=1.0, untouched=True, causes=(Cause.UNSURE,)),
            decision("total", 5, seconds=9.0, untouched=True),
            decision("items[0].sku", "x"),
        )
    )
    ann = quality([log], VOTES).reviewers["ann"]
    assert (ann.seconds, ann.untouched, ann.rubber_stamps) == (5.0, 2, 1)
    assert quality([log], VOTES).fields["test", ("number",)].causes == {"unsure": 1}
    assert quality([log], VOTES).fields["test", ("items", *schema_path((0,)), "sku")].seconds is None


@pytest.mark.parametrize("votes", [{}, VOTES], ids=["no votes", "votes"])
def test_the_report_is_json_and_its_order_is_that_of_names(votes: dict[str, Voted]) -> None:
    log = DecisionLog((decision("total", 5), decision("number", "A-1", "bob")))
    report = quality([log], votes).to_json()
    assert list(report["fields"]["test"]) == ["number", "total"]
    assert list(report["reviewers"]) == ["ann", "bob"]
    assert dumps(report)
    assert quality([], votes).to_json() == {"fields": {}, "reviewers": {}}
