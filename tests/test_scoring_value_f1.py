"""The metric ``value-f1``: its equality, cells and grounding, and where it departs from the published scorer."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from groundtruth import jsontext
from groundtruth.errors import RulesError, SchemaError
from groundtruth.jsontext import Json
from scoring.cell_keys import NULL, key_of
from scoring.field_evidence import (
    FieldEvidence,
    KnownFields,
    read_citations,
    read_field_rules,
    rough_citations,
    rough_field_rules,
)
from scoring.places import Place
from scoring.result_json import cell_records, value_f1_json
from scoring.value_f1 import Score, ValueF1, score

TEXT = {"type": ["string", "null"]}


def record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def rows(**properties: Any) -> dict[str, Any]:
    return record(rows={"type": "array", "items": record(**properties)})


def rules(**fields: Any) -> KnownFields:
    return read_field_rules(fields)


def counted(found: Score | None) -> tuple[int, int, int] | None:
    return None if found is None else (found.correct, found.predicted, found.expected)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("a  b\u00a0c", " a b c ", id="white-space"),
        pytest.param(5, Decimal("5.0"), id="whole-decimal"),
        pytest.param(True, 1, id="booleans-are-numbers"),
        pytest.param(["a", 1], ["a", Decimal("1.0")], id="lists-as-a-whole"),
        pytest.param("January 5, 2024", "2024-01-05", id="month-first"),
        pytest.param("Fri. Jan. 5, 2024", "1/5/2024", id="weekday"),
        pytest.param("5 January 2024", "1-5-24", id="day-first"),
        pytest.param("13/2/2024", "2024-02-13", id="no-thirteenth-month"),
        pytest.param(["1/5/2024"], ["2024-01-05"], id="date-in-a-list"),
        pytest.param("1/5/70", "1970-01-05", id="two-digit-year-of-the-last-century"),
        pytest.param("1/5/68", "2068-01-05", id="two-digit-year-of-this-century"),
        pytest.param("2024-01-05T09:00+02:00", "2024-01-05 07:00Z", id="one-moment"),
        pytest.param("2024-01-05T00:00", "2024-01-05", id="midnight"),
    ],
)
def test_equal_cells(one: Json, other: Json) -> None:
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("a", "A", id="case"),
        pytest.param("5", 5, id="number-as-text"),
        pytest.param("", None, id="empty-text"),
        pytest.param(0, None, id="zero"),
        pytest.param(False, None, id="false"),
        pytest.param([], None, id="empty-list"),
        pytest.param(["a", "b"], ["b", "a"], id="order-in-a-list"),
        pytest.param(["a b"], ["a  b"], id="white-space-in-a-list"),
        pytest.param("2024-01-05T09:00", "2024-01-05T23:00", id="time-of-day"),
        pytest.param("Jan. 5, 2024", "2024-01-05", id="no-form-of-a-date"),
        pytest.param("20240105", "2024-01-05", id="digits-only"),
        pytest.param("caf\u00e9", "cafe\u0301", id="composition"),
        pytest.param(Decimal("0.30000000000000004"), Decimal("0.3"), id="digits"),
        pytest.param("text x", ["x"], id="text-like-a-key"),
        pytest.param(Decimal(f"{10**29}.5"), Decimal(f"{10**29 + 1}.3"), id="thirty-digits-and-a-fraction"),
    ],
)
def test_different_cells(one: Json, other: Json) -> None:
    assert key_of(one) != key_of(other)


def test_null_is_a_value() -> None:
    assert key_of(None) == NULL
    assert counted(score({"a": None}, {}, record(a=TEXT)).value) == (1, 1, 1)


@pytest.mark.parametrize(
    ("truth", "answer", "normalizer", "right"),
    [
        pytest.param(False, None, "null_equals_false", True, id="false-is-null"),
        pytest.param(None, False, "null_equals_false", True, id="null-is-false"),
        pytest.param(True, None, "null_equals_false", False, id="true-is-not-null"),
        pytest.param("Ltd.", "Ltd", "optional_terminal_punctuation", True, id="terminal-punctuation"),
        pytest.param("a ,b", "a, b", "punctuation_spacing", True, id="punctuation-spacing"),
        pytest.param("Main ST", "main st", "case_insensitive", True, id="case"),
        pytest.param("+1 (555) 010-2030", "555-010-2030", "phone_digits", True, id="phone"),
        pytest.param("555-010-2031", "555-010-2030", "phone_digits", False, id="another-phone"),
        pytest.param("none", "no phone", "phone_digits", False, id="no-digits-no-phone"),
        pytest.param("March 5, 19 55", "1955-03-05", "lenient_date", True, id="broken-year"),
        pytest.param("a", "b", "case_insensitive", False, id="another-value"),
    ],
)
@pytest.mark.parametrize("inside_rows", [False, True], ids=["field", "row"])
def test_normalizers(truth: Json, answer: Json, normalizer: str, *, right: bool, inside_rows: bool) -> None:
    rule = {"evidence": [], "normalizers": [normalizer]}
    if inside_rows:
        schema, given = rows(a={}, id=TEXT), {"rows[0].a": rule}
        found = score({"rows": [{"id": "1", "a": truth}]}, {"rows": [{"id": "1", "a": answer}]}, schema,
                      evidence=read_field_rules(given))  # fmt: skip
        assert found.value.correct == 1 + right
    else:
        found = score({"a": truth}, {"a": answer}, record(a={}), evidence=rules(a=rule))
        assert found.value.correct == right


@pytest.mark.parametrize(
    ("name", "answer", "right"),
    [
        pytest.param("description", "Mounting bracket, steel, large size", True, id="punctuation"),
        pytest.param("description", "mounting brackets steel large size", True, id="one-letter-more"),
        pytest.param("description", "Mounting plate steel small size", False, id="another-text"),
        pytest.param("court", "Mounting bracket steel large", True, id="court-is-read-more-freely"),
        pytest.param("title", "mounting bracket steel large size", False, id="other-names-are-exact"),
    ],
)
def test_two_columns_are_fuzzy(name: str, answer: str, *, right: bool) -> None:
    truth = "Mounting bracket steel large size"
    assert score({name: truth}, {name: answer}, record(**{name: TEXT})).value.correct == right
    found = score({"rows": [{name: truth}]}, {"rows": [{name: answer}]}, rows(**{name: TEXT}))
    assert found.value.correct == right


def test_other_readings_are_right_too() -> None:
    given = rules(a={"evidence": [{"page": 1, "value": "12 Harbor Rd"}, {"page": 1, "value": None}]})
    assert score({"a": "12 Harbour Rd"}, {"a": "12 Harbor Rd"}, record(a=TEXT), evidence=given).value.correct == 1
    assert score({"a": "12 Harbour Rd"}, {"a": None}, record(a=TEXT), evidence=given).value.correct == 0


def test_the_leaves_of_an_object_are_cells_and_a_list_is_one() -> None:
    schema = record(o=record(x=TEXT, y=TEXT), tags={"type": "array", "items": TEXT})
    found = score({"o": {"x": "1", "y": None}, "tags": ["a", "b"]}, {"o": {"x": "1"}, "tags": ["b", "a"]}, schema)
    assert counted(found.value) == (2, 3, 3)


def test_extra_keys_cost_precision_when_they_say_something() -> None:
    found = score({"a": "x"}, {"a": "x", "b": None, "c": None, "d": "y"}, record(a=TEXT))
    assert counted(found.value) == (1, 2, 1)
    assert found.extra == ["d"]


@pytest.mark.parametrize(
    ("answer", "extra"),
    [
        pytest.param({"o": "text"}, ["o"], id="text-for-an-object"),
        pytest.param({"o": ["x"]}, ["o"], id="list-for-an-object"),
        pytest.param({"o": None}, [], id="null-for-an-object"),
        pytest.param({"o": {"p": {"x": None}, "q": 1}}, ["o.q"], id="key-in-an-object"),
        pytest.param({"o": {"p": 5}}, ["o.p"], id="number-for-an-object-in-an-object"),
        pytest.param({"l": [{"n": None, "q": 1}]}, [], id="key-in-a-record"),
    ],
)
def test_what_stands_beside_the_cells_costs_precision(answer: Json, extra: list[str]) -> None:
    schema = record(o=record(p=record(x=TEXT)), l={"type": "array", "items": record(n=TEXT)})
    found = score({"o": {"p": {"x": None}}, "l": [{"n": None}]}, {"l": [{"n": None}], **answer}, schema)
    assert found.extra == extra
    assert counted(found.value) == (2, 2 + len(extra), 2)


def test_nested_rows_decide_which_rows_belong_together() -> None:
    schema = rows(n=TEXT, k={"type": "array", "items": record(m=TEXT)})
    truth = {"rows": [{"n": "1", "k": [{"m": "a"}]}, {"n": "1", "k": [{"m": "b"}]}]}
    assert score(truth, {"rows": truth["rows"][::-1]}, schema).value.f1 == 1.0


def test_missing_and_surplus_rows() -> None:
    truth, answer = {"rows": [{"n": "1"}, {"n": "2"}]}, {"rows": [{"n": "2"}]}
    assert counted(score(truth, answer, rows(n=TEXT)).value) == (1, 1, 2)
    assert counted(score(answer, truth, rows(n=TEXT)).value) == (1, 2, 1)
    assert counted(score(truth, {"rows": "none"}, rows(n=TEXT)).value) == (0, 0, 2)


def test_rows_that_the_schema_does_not_describe_have_the_truths_columns() -> None:
    schema = record(rows={"type": "array"})
    assert counted(score({"rows": [{"n": "1"}]}, {"rows": [{"n": "1", "z": "2"}]}, schema).value) == (1, 1, 1)


def test_a_root_of_value_alone_is_what_stands_in_it() -> None:
    assert score({"value": {"a": "x"}}, {"a": "x"}, record(a=TEXT)).value.f1 == 1.0
    assert score({"value": "x"}, {"value": "x"}, record(value=TEXT)).value.f1 == 1.0


@pytest.mark.parametrize("answer", [None, [], "x", 5])
def test_an_answer_that_is_no_object_states_nothing(answer: Json) -> None:
    assert counted(score({"a": "x"}, answer, record(a=TEXT)).value) == (0, 1, 1)


def test_nothing_to_score_is_vacuous() -> None:
    found = value_f1_json(score({}, {}, record(rows={"type": "array", "items": record(n=TEXT)})))
    assert (found["value"], found["flags"]) == (None, ["vacuous"])


BOX = [0.1, 0.1, 0.2, 0.02]
NEAR = [0.11, 0.1, 0.2, 0.02]
FAR = [0.6, 0.1, 0.2, 0.02]


def grounded(places: list[Any], cited: list[Any], *, right: bool = True) -> ValueF1:
    return score(
        {"a": "x"},
        {"a": "x" if right else "y"},
        record(a=TEXT),
        evidence=rules(a={"evidence": [{**place, "value": "x"} for place in places]}),
        citations=read_citations([{"field_path": "a", **place} for place in cited]),
    )


@pytest.mark.parametrize(
    ("places", "cited", "word", "page"),
    [
        pytest.param([{"page": 1, "bbox": BOX}], [{"page": 1, "bbox": NEAR}], (1, 1, 1), (1, 1, 1), id="near"),
        pytest.param([{"page": 1, "bbox": BOX}], [{"page": 1, "bbox": FAR}], (0, 1, 1), (1, 1, 1), id="far"),
        pytest.param([{"page": 1, "bbox": BOX}], [{"page": 2, "bbox": BOX}], (0, 1, 1), (0, 1, 1), id="other-page"),
        pytest.param([{"page": 1, "bbox": BOX}], [], (0, 0, 1), (0, 0, 1), id="nothing-cited"),
        pytest.param([{"page": 1, "bbox": BOX}], [{"page": 1}], (0, 0, 1), (1, 1, 1), id="page-cited"),
        pytest.param([{"page": 1}], [{"page": 1, "bbox": BOX}], None, (1, 1, 1), id="truth-has-pages-only"),
        pytest.param([{}], [{"page": 1, "bbox": BOX}], None, None, id="truth-has-neither"),
        pytest.param(
            [{"page": 1, "bbox": FAR}, {"page": 2, "bbox": BOX}], [{"page": 2, "bbox": BOX}], (1, 1, 1), (1, 1, 1),
            id="any-place",
        ),
        pytest.param([{"page": 1, "bbox": [0.1, 0.1, 0, 0.1]}], [{"page": 1, "bbox": BOX}], None, (1, 1, 1), id="flat"),
    ],
)  # fmt: skip
def test_grounding_of_one_cell(places: list[Any], cited: list[Any], word: Any, page: Any) -> None:
    found = grounded(places, cited)
    assert (counted(found.word), counted(found.page)) == (word, page)


def test_a_wrong_value_is_not_grounded() -> None:
    found = grounded([{"page": 1, "bbox": BOX}], [{"page": 1, "bbox": BOX}], right=False)
    assert (counted(found.word), counted(found.page)) == ((0, 1, 1), (0, 1, 1))


UPPER, LOWER = [0.1, 0.1, 0.2, 0.02], [0.1, 0.12, 0.1, 0.02]
HULL = [0.1, 0.1, 0.2, 0.04]
WRAPPED = [{"page": 1, "bbox": UPPER}, {"page": 1, "bbox": LOWER}, {"page": 1, "bbox": HULL, "coarse": True}]


@pytest.mark.parametrize(
    ("cited", "right"),
    [
        pytest.param([HULL], True, id="the-whole"),
        pytest.param([UPPER, LOWER], True, id="both-lines"),
        pytest.param([UPPER], False, id="one-line"),
        pytest.param([LOWER], False, id="the-other-line"),
    ],
)
def test_a_wrapped_value_is_framed_as_a_whole(cited: list[Any], *, right: bool) -> None:
    found = grounded(WRAPPED, [{"page": 1, "bbox": box} for box in cited])
    assert counted(found.word) == (int(right), 1, 1)


def test_a_coarse_box_without_lines_is_a_box_like_others() -> None:
    found = grounded([{"page": 1, "bbox": HULL, "coarse": True}], [{"page": 1, "bbox": HULL}])
    assert counted(found.word) == (1, 1, 1)


@pytest.mark.parametrize("turned", [False, True], ids=["as-is", "turned"])
def test_equal_rows_get_the_partner_that_grounds_them_best(*, turned: bool) -> None:
    truth = {"rows": [{"n": "1"}, {"n": "1"}]}
    evidence = {f"rows[{i}].n": FieldEvidence(places=read_places(i + 1)) for i in (0, 1)}
    order = [1, 0] if turned else [0, 1]
    citations = {f"rows[{at}].n": read_places(page + 1) for at, page in enumerate(order)}
    found = score(truth, truth, rows(n=TEXT), evidence=evidence, citations=citations)
    assert (counted(found.word), counted(found.page)) == ((2, 2, 2), (2, 2, 2))


def read_places(page: int) -> tuple[Place, ...]:
    return read_citations([{"field_path": "a", "page": page, "bbox": BOX}])["a"]


def test_every_cell_is_in_the_record() -> None:
    found = score({"a": "x", "rows": [{"n": "1"}]}, {"a": "y", "rows": [{"n": "1"}, {"n": "2"}], "z": 1},
                  record(a=TEXT, rows=rows(n=TEXT)["properties"]["rows"]))  # fmt: skip
    cells = [(one["truth_address"], one["prediction_address"], one["correct"]) for one in cell_records(found)]
    assert cells == [
        ("a", "a", False),
        ("rows[0].n", "rows[0].n", True),
        (None, "rows[1].n", False),
        (None, "z", False),
    ]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        pytest.param("x", "an object by address", id="text"),
        pytest.param([{"evidence": []}], "a list of rules with a field_path", id="list-without-addresses"),
        pytest.param({"a": []}, "a: a rule is an object", id="rule-is-a-list"),
        pytest.param({"a": {"evidence": {}}}, "a: evidence is a list of objects", id="evidence-is-an-object"),
        pytest.param({"a": {"evidence": [{"page": 0}]}}, "a: a page is a whole number from 1, not 0", id="page-0"),
        pytest.param({"a": {"normalizers": ["nocase"]}}, "no normalizer is called 'nocase'; there is", id="normalizer"),
    ],
)
def test_rules_that_are_none_are_refused(form: Json, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        read_field_rules(form, source="rules.json")


def test_older_rules_are_read() -> None:
    given = read_field_rules([{"field_path": "a", "expected_value": "x", "bboxes": [{"page": 1, "bbox": BOX}]}])
    assert given["a"].readings == ("x",)
    assert given["a"].places == read_places(1)


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        pytest.param('{"a": {"evidence": [{"page": 1, "bbox": [0, 0, 0.5, 0.5], "value": 1.10}]}}', True, id="plain"),
        pytest.param('[{"field_path": "a", "evidence": [{"page": 2, "value": "x"}]}]', True, id="a list of rules"),
        pytest.param('{"a": {"evidence": [{"page": 1}], "evidence": []}}', False, id="a key that stands twice"),
        pytest.param('{"a": {"evidence": [{"value": [1.10]}]}}', False, id="a list of numbers"),
        pytest.param('{"a": {"evidence": [{"page": 0}]}}', False, id="no page"),
        pytest.param('{"a": {"evidence": [{"page": 1, "bbox": [{"x": 0.5}]}]}}', False, id="an object for a number"),
    ],
)
def test_rules_are_read_roughly_only_where_nothing_is_lost(text: str, *, is_read: bool) -> None:
    rough = jsontext.rough(text.encode())
    assert rough is not None
    found = rough_field_rules(rough)
    assert (found is not None) == is_read
    if found is not None:
        assert dict(found) == dict(read_field_rules(jsontext.loads(text)))


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        pytest.param('[{"field_path": "a", "page": 1, "bbox": [0, 0, 0.5, 0.5]}]', True, id="plain"),
        pytest.param('[{"field_path": "a", "page": 1}, {"page": 2, "field_path": "a"}]', True, id="two of an address"),
        pytest.param('[{"field_path": "a", "page": 1, "page": 2}]', False, id="a key that stands twice"),
        pytest.param('[{"field_path": "a", "page": 9223372036854775808}]', False, id="a page past all pages"),
        pytest.param('{"field_path": "a", "page": 1}', False, id="no list"),
    ],
)
def test_citations_are_read_roughly_only_where_nothing_is_lost(text: str, *, is_read: bool) -> None:
    rough = jsontext.rough(text.encode())
    assert rough is not None
    found = rough_citations(rough)
    assert (found is not None) == is_read
    if found is not None:
        assert dict(found) == dict(read_citations(jsontext.loads(text)))


@pytest.mark.parametrize("form", [{}, [1], [{"page": 1}], [{"field_path": "a"}], [{"field_path": "a", "page": 0}]])
def test_citations_that_are_none_are_refused(form: Json) -> None:
    with pytest.raises(RulesError, match="citation"):
        read_citations(form)


def test_an_unusable_schema_is_refused() -> None:
    with pytest.raises(SchemaError):
        score({}, {}, [])
