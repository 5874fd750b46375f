"""What people flagged is counted by field."""

from __future__ import annotations

from annotation.causes import flagged
from builders import schema_of
from decision_builders import BOB, decide, stands
from groundtruth.decision import Cause
from packet_builders import asked_document

ROWS = {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}}
SCHEMA = schema_of({"number": {"type": "string"}, "items": ROWS}, identity={"items": ["sku"]})
ANSWER = {"number": "7", "items": [{"sku": "A"}, {"sku": "B"}]}


def test_causes_are_counted_by_field_and_each_leaf_once() -> None:
    asked = asked_document(SCHEMA, [ANSWER] * 3)
    problem, unsure = (Cause.SCHEMA_PROBLEM,), (Cause.UNSURE,)
    situation = stands(
        asked,
        decide(asked, "number", "8", causes=unsure),
        decide(asked, "number", "8", by=BOB, causes=unsure),
        decide(asked, "items[0].sku", "AA", causes=problem),
        decide(asked, "items[1].sku", "BB", causes=problem),
    )
    found = [each.to_json() for each in flagged([situation])]
    assert [(each["field"], each["cause"], each["leaves"]) for each in found] == [
        ("items[].sku", "schema_problem", 2),
        ("number", "unsure", 1),
    ]
    assert found[0]["places"] == [
        {"document": "doc", "path": "items[0].sku"},
        {"document": "doc", "path": "items[1].sku"},
    ]


def test_a_flag_on_a_leaf_that_the_schema_changed_since_still_counts() -> None:
    asked = asked_document(SCHEMA, [ANSWER] * 3)
    decision = decide(asked, "number", "8", causes=(Cause.SCHEMA_PROBLEM,), fingerprint="of an earlier version")
    (found,) = flagged([stands(asked, decision)])
    assert (found.field, found.cause) == (("number",), Cause.SCHEMA_PROBLEM)
