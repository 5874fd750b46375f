"""Typed text as values of a field."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.edits import Typed, Unreadable, read_edit
from annotation.packet import Option
from builders import exact, text_schema
from groundtruth import jsontext

NUMBER = {"type": ["number", "null"]}
DATE = {"type": ["string", "null"], "format": "date"}
LIST = {"type": "array", "items": {"type": "string"}}
KIND = {"enum": ["invoice", "receipt", None]}
ANY = {"type": "object"}


def read(subschema: Any, text: str, rule: Any = None, options: tuple[Any, ...] = ()) -> Typed | Unreadable:
    leaf = text_schema(subschema, rule).leaves[("field",)]
    return read_edit(leaf, text, [Option(f"c{at}", exact(value)) for at, value in enumerate(options)])


@pytest.mark.parametrize(
    ("subschema", "text", "value"),
    [
        (NUMBER, "1,234.50", "1234.5"),
        ({"type": "integer"}, " 12 ", "12"),
        ({"type": "boolean"}, "yes", "true"),
        (DATE, "31 March 2025", '"2025-03-31"'),
        (KIND, "Invoice", '"invoice"'),
        ({"type": "string"}, "  Acme\u00a0 Inc.\n", '"Acme Inc."'),
        ({"type": "string"}, "007", '"007"'),
        (LIST, "red\n\n blue ", '["red", "blue"]'),
        (LIST, '["a, b", "c"]', '["a, b", "c"]'),
        (LIST, "a, b", '["a, b"]'),
        ({"type": "array", "items": {"type": "number"}}, "1.5\n2", "[1.5, 2]"),
    ],
)
def test_text_becomes_the_leafs_type(subschema: Any, text: str, value: str) -> None:
    found = read(subschema, text)
    assert isinstance(found, Typed)
    assert jsontext.dumps(found.value) == jsontext.dumps(jsontext.loads(value))
    assert found.option is None


def test_dates_are_read_by_the_rule() -> None:
    found = read(DATE, "03/04/2025", {"date_order": "DMY"})
    assert found == Typed("2025-04-03")


@pytest.mark.parametrize(
    ("subschema", "text", "rule", "reason"),
    [
        (NUMBER, "about ten", None, "it needs a number, such as 1234.5"),
        ({"type": "integer"}, "1.5", None, "a whole number"),
        ({"type": "boolean"}, "maybe", None, "true or false"),
        (DATE, "soon", None, "a date of the calendar"),
        (DATE, "03/04/2025", None, "may be two dates"),
        (DATE, "yesterday", {"date_order": "DMY"}, "in the order DMY"),
        (KIND, "letter", None, "one of invoice, receipt"),
        ({"type": "array", "items": {"type": "number"}}, "1\nx", None, "each a number"),
        (NUMBER, "", None, 'answer "absent"'),
        (NUMBER, " \n", None, "nothing was typed"),
        ({"type": "string"}, "N/A", {"null_tokens": ["N/A"]}, "stands for no value"),
        (LIST, "", None, 'answer "absent"'),
    ],
)
def test_what_is_no_value_says_what_one_looks_like(subschema: Any, text: str, rule: Any, reason: str) -> None:
    found = read(subschema, text, rule)
    assert isinstance(found, Unreadable)
    assert reason in found.reason


def test_text_that_equals_a_candidate_is_that_candidate() -> None:
    found = read(NUMBER, "1234.5", options=(7, "1234.50", None))
    assert isinstance(found, Typed)
    assert found.option is not None
    assert (found.option.alias, found.value) == ("c1", "1234.50")
    caseless = read({"type": "string"}, "acme", {"comparator": "case_insensitive"}, options=("ACME",))
    assert isinstance(caseless, Typed)
    assert caseless.value == "ACME"
