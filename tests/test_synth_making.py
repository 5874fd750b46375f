"""Content from a seed or from one's own records, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth import jsontext
from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from groundtruth.truth import GroundTruth
from synth.authoring import authoring_faults
from synth.content import Content
from synth.invention import Invention
from synth.making import Asked, invented, make, own, tags_of, with_pages
from synth.pattern import Pattern, Record, Sum, Switches, draw, load_pattern
from synth.pdf import write_pdf
from synth.printable import leaves, require_printable
from synth.printed import english_date, short_date, us_date
from synth.totals import wrong_totals

PATTERN = load_pattern("unclaimed-property")
ROW = {
    "property_id": "1",
    "owner_name": "DOE JANE",
    "address": "1 MAIN ST",
    "city": "ELM",
    "state": "TX",
    "zip_code": "75001",
    "holder_name": "ACME",
    "amount": "12.50",
}


def asked(difficulty: str = "clean", **more: Any) -> Asked:
    return Asked(PATTERN, PATTERN.difficulty(difficulty), **more)


def written(folder: Path, name: str, data: Any) -> Path:
    file = folder / name
    file.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return file


@pytest.mark.parametrize("difficulty", ["clean", "hard"])
def test_content_alone_makes_the_document_again(difficulty: str) -> None:
    first = make(invented(asked(difficulty, seed=4), 25))
    again = make(Content.from_json(jsontext.loads(first.content_bytes)))
    assert (again.pdf, again.truth, again.document) == (first.pdf, first.truth, first.document)


@pytest.mark.parametrize("difficulty", ["clean", "hard"])
def test_the_truth_is_written_as_the_dataset_writes_it(difficulty: str) -> None:
    made = make(invented(asked(difficulty), 12))
    truth = GroundTruth.from_json(jsontext.loads(made.truth))
    assert (jsontext.dumps(truth.to_json(), indent=1) + "\n").encode() == made.truth
    assert truth.value == jsontext.loads(made.content_bytes)["value"]


def test_another_seed_makes_other_values_and_the_same_seed_the_same() -> None:
    assert invented(asked(seed=1), 5) == invented(asked(seed=1), 5)
    assert invented(asked(seed=1), 5).value != invented(asked(seed=2), 5).value


def test_a_short_list_has_as_many_rows_as_asked() -> None:
    for rows in (1, 2, 37):
        assert len(invented(asked("hard"), rows).value["properties"]) == rows


def test_pages_can_be_asked_for() -> None:
    content = with_pages(asked(), 3)
    assert make(content).truth
    assert tags_of(PATTERN, content, 3) == ("G1", "L1", "T1")


@pytest.mark.parametrize("rows", [0, -1, PATTERN.most_rows + 1, 10_000_000])
def test_impossible_sizes_are_refused_at_once(rows: int) -> None:
    with pytest.raises(SynthesisError, match="--rows"):
        invented(asked(), rows)


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        (0, "at least one page"),
        (-3, "at least one page"),
        (10_000_000, "--pages 10,000,000: .* at most 100,000 records"),
    ],
)
def test_impossible_page_counts_are_refused_at_once(pages: int, message: str) -> None:
    with pytest.raises(SynthesisError, match=message):
        with_pages(asked(), pages)


@pytest.mark.e2e
@pytest.mark.parametrize("locale", ["de_DE", "el_GR", "ru_RU", "ja_JP", "ko_KR", "zh_CN"])
def test_another_locale_is_printed_in_a_font_that_has_its_letters(locale: str) -> None:
    made = make(invented(asked(locale=locale, seed=1), 8))
    assert made.content.provenance["locale"] == locale


def test_an_unknown_locale_is_refused() -> None:
    with pytest.raises(SynthesisError, match="--locale xx_YY: Faker has no such locale"):
        invented(asked(locale="xx_YY"), 3)


@pytest.mark.parametrize(("locale", "why"), [("ar_SA", "right-to-left"), ("hi_IN", "change places")])
def test_a_locale_whose_names_cannot_be_printed_is_refused_whatever_the_font(locale: str, why: str) -> None:
    with pytest.raises(SynthesisError, match=why):
        invented(Asked(load_pattern("bank-statement"), locale=locale, font="dejavu"), 3)


def test_a_font_without_the_letters_is_refused_naming_the_leaf() -> None:
    with pytest.raises(SynthesisError, match=r"properties\[\d+\]\.\w+: .* has no character"):
        make(invented(asked(locale="ja_JP", font="narrow"), 3))


# One's own records


def test_a_csv_file_becomes_the_list(tmp_path: Path) -> None:
    header, cells = ",".join(ROW), ",".join(ROW.values())
    file = written(tmp_path, "rows.csv", f"{header}\n{cells}\n2,ROE RICHARD,,,,,ACME,7\n")
    value = own(asked(), file).value
    assert value["properties"][1]["address"] is None
    assert (value["property_count"], value["total_amount"]) == (2, Decimal("19.50"))


def test_a_json_list_or_object_becomes_the_list(tmp_path: Path) -> None:
    row = {**ROW, "amount": 12.5}
    listed = own(asked(), written(tmp_path, "list.json", [row]))
    headed = own(asked(), written(tmp_path, "head.json", {"agency": "Our Office", "properties": [row]}))
    assert listed.value["properties"] == headed.value["properties"]
    assert headed.value["agency"] == "Our Office"
    assert make(headed).pdf.startswith(b"%PDF")


def test_a_content_file_is_taken_as_it_is(tmp_path: Path) -> None:
    content = invented(asked("hard", seed=9), 6)
    file = tmp_path / "content.json"
    file.write_bytes(content.to_bytes())
    assert write_pdf(make(own(asked(), file)).drawn) == make(content).pdf


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        pytest.param("a.csv", "owner\nx\n", "no field 'owner'; did you mean 'owner_name'", id="unknown column"),
        pytest.param("a.csv", "owner_name,city\nx\n", "line 2: has not as many cells", id="short line"),
        pytest.param("a.csv", "owner_name\n", "has no record", id="no line"),
        pytest.param("a.csv", "amount\n1.2.3\n", "'1.2.3' is no number", id="no number"),
        pytest.param("a.json", [{**ROW, "amount": "x"}], r"properties\[0\].amount: \"x\"", id="wrong type"),
        pytest.param("a.json", [{**ROW, "amount": 1, "owner_name": "A\nB"}], "line break|cannot be", id="newline"),
        pytest.param(
            "a.json", [{**ROW, "amount": 1, "owner_name": "דוד"}], r"owner_name: .*HEBREW", id="right to left"
        ),
        pytest.param("a.json", [{**ROW, "amount": 1, "owner": 1}], "no field 'owner'", id="unknown key"),
        pytest.param("a.json", {"rows": []}, "'properties'", id="no list"),
        pytest.param(
            "a.json", {"property_count": 7, "properties": [{**ROW, "amount": 1}]}, "says 7", id="total that is no sum"
        ),
        pytest.param("a.csv", "city,city\nx,y\n", "two columns are named 'city'", id="a column twice"),
        pytest.param("a.json", [{**ROW, "amount": 1}] * 2, r"\[1\]: is equal to properties\[0\]", id="a record twice"),
        pytest.param(
            "a.json",
            [{**ROW, "amount": 1.2345}],
            r"amount: is 1.2345, and '\$?1.23' is printed",
            id="too many decimals",
        ),
        pytest.param(
            "a.json", [{**ROW, "amount": 1, "city": "देवगढ़"}], "city: .*DEVANAGARI", id="a script that is shaped"
        ),
    ],
)
def test_records_that_cannot_be_printed_are_refused(tmp_path: Path, name: str, data: Any, message: str) -> None:
    with pytest.raises(SynthesisError, match=rf"{name}: .*(?:{message})"):
        own(asked(), written(tmp_path, name, data))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param({"value": {"properties": []}}, "agency: |list_number: ", id="no head"),
        pytest.param({"value": {"properties": None}}, "properties: ", id="no list"),
        pytest.param({"value": {"total_amount": 1}}, "total_amount: says 1", id="a total that is no sum"),
        pytest.param({"value": {"agency": "A\nB"}}, "agency: .*line break", id="a line break"),
        pytest.param({"value": {"agency": [1]}}, "agency: ", id="another type"),
        pytest.param({"value": {"zz": 1}}, "zz", id="a key too many"),
    ],
)
def test_an_edited_content_is_refused_naming_file_and_leaf(
    tmp_path: Path, changed: dict[str, dict[str, Any]], message: str
) -> None:
    data = invented(asked(), 3).to_json()
    for key, values in changed.items():
        data[key] = values if values == {"properties": []} else {**data[key], **values}
    file = tmp_path / "content.json"
    file.write_text(jsontext.dumps(data))
    with pytest.raises(SynthesisError, match=rf"content.json: (?:{message})"):
        own(asked(), file)


def test_an_aside_that_lacks_a_key_is_no_traceback() -> None:
    pattern = load_pattern("adverse-events")
    content = invented(Asked(pattern, frozenset()), 3)
    with pytest.raises(SynthesisError, match=r"cannot be drawn as adverse-events .*make the document anew"):
        make(replace(content, aside={}))


@pytest.mark.parametrize("inner", [5, True, "abc", {"a": 1}, False])
def test_a_list_in_a_record_that_is_no_list_is_refused(tmp_path: Path, inner: Json) -> None:
    file = written(tmp_path, "claims.json", [{"service_lines": inner}])
    with pytest.raises(SynthesisError, match=r"claims.json: remitted_claims\[0\].service_lines: .* is no list"):
        own(Asked(load_pattern("remittance"), frozenset()), file)


def test_more_pages_than_the_most_records_fill_are_refused_with_the_bound() -> None:
    small = replace(load_pattern("bank-statement"), most_rows=30)
    with pytest.raises(SynthesisError, match="--pages 20: bank-statement has at most 30 records"):
        with_pages(Asked(small, frozenset()), 20)


def test_far_too_many_pages_are_refused_from_a_few_records() -> None:
    def few(invention: Invention, rows: int, on: Switches) -> list[Record]:
        assert rows <= 100
        return remittance.invent(invention, rows, on)

    remittance = load_pattern("remittance")
    with pytest.raises(SynthesisError, match="--pages 6,000: remittance has at most 10,000 records, and they fill few"):
        with_pages(Asked(replace(remittance, invent=few)), 6_000)


@pytest.mark.parametrize("pages", [1, 3])
def test_pages_are_filled_with_the_most_rows_that_they_take(pages: int) -> None:
    content = with_pages(asked(), pages)
    rows = len(content.value["properties"])
    assert len(draw(content).sheets) == pages
    assert len(draw(invented(asked(), rows + 1)).sheets) == pages + 1


def test_many_pages_are_filled_with_few_drawings() -> None:
    schedule, asked_for = load_pattern("clin-schedule"), list[int]()

    def counted(invention: Invention, rows: int, on: Switches) -> list[Record]:
        asked_for.append(rows)
        return schedule.invent(invention, rows, on)

    assert len(draw(with_pages(Asked(replace(schedule, invent=counted)), 120)).sheets) == 120
    assert len(asked_for) <= 4


@pytest.mark.parametrize("text", ["N/A", "n/a", "-", "\N{EN DASH}", "\N{EM DASH}"])
def test_what_is_printed_for_nothing_is_no_value(tmp_path: Path, text: str) -> None:
    file = written(tmp_path, "rows.json", [{**ROW, "amount": 1, "owner_name": text}])
    with pytest.raises(SynthesisError, match=r"rows.json: properties\[0\].owner_name: .* write null, or what it is"):
        own(asked(), file)


def test_a_character_that_a_font_lacks_is_named_with_its_file_and_leaf(tmp_path: Path) -> None:
    file = written(tmp_path, "rows.json", [{**ROW, "amount": 1, "owner_name": "Doe \u682a"}])
    with pytest.raises(SynthesisError, match=r"rows.json: properties\[0\].owner_name: .*--font gothic has it"):
        own(asked(), file)


@settings(max_examples=20)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_any_name_is_printed_exactly_or_refused(name: str) -> None:
    content = invented(asked(font="dejavu"), 1)
    (record,) = content.value["properties"]
    value = {**content.value, "properties": [{**record, "owner_name": name}]}
    problem, printed = "", {name}
    try:
        require_printable(value)
        drawn = draw(Content(PATTERN.name, PATTERN.layout, "dejavu", frozenset(), value))
        printed = {run.whole for _, run in drawn.runs() if run.leaf == "properties[0].owner_name"}
    except SynthesisError as error:
        problem = str(error)
    assert printed == {name}
    assert not problem or "owner_name" in problem


def test_a_year_is_printed_with_four_digits() -> None:
    printed = [show("0987-01-02") for show in (english_date, short_date, us_date)]
    assert printed == ["January 2, 0987", "02-JAN-0987", "01/02/0987"]


# Patterns


@pytest.mark.parametrize(
    ("text", "on"),
    [
        ("clean", set()),
        ("hard", set(PATTERN.switches)),
        ("ditto=on,voids=on", {"ditto", "voids"}),
        ("hard,ditto=off", set(PATTERN.switches) - {"ditto"}),
    ],
)
def test_difficulties_are_switched(text: str, on: set[str]) -> None:
    assert PATTERN.difficulty(text) == on


@pytest.mark.parametrize(
    ("text", "message"),
    [("dito=on", "did you mean 'ditto'"), ("ditto", "write ditto=on"), ("ditto=yes", "write ditto=on")],
)
def test_an_unknown_difficulty_is_refused(text: str, message: str) -> None:
    with pytest.raises(SynthesisError, match=message):
        PATTERN.difficulty(text)


def test_an_unknown_pattern_is_refused_with_the_nearest() -> None:
    with pytest.raises(SynthesisError, match="did you mean 'unclaimed-property'"):
        load_pattern("unclaimed-properties")


@pytest.mark.parametrize(
    ("sums", "value", "faults"),
    [
        pytest.param(Sum("n", "rows", counts=True), {"n": 2, "rows": [{}, {}]}, 0, id="count"),
        pytest.param(
            Sum("n", "rows[].x"), {"n": Decimal("1.5"), "rows": [{"x": 1}, {"x": Decimal("0.5")}]}, 0, id="sum"
        ),
        pytest.param(Sum("rows[].n", "rows[].of[].x"), {"rows": [{"n": 1, "of": [{"x": 1}]}]}, 0, id="in each row"),
        pytest.param(Sum("rows[].n", "rows[].of[].x"), {"rows": [{"n": 2, "of": [{"x": 1}]}]}, 1, id="wrong in a row"),
        pytest.param(
            Sum("n", "rows[].of[].x"), {"n": 3, "rows": [{"of": [{"x": 1}]}, {"of": [{"x": 2}]}]}, 0, id="deep"
        ),
    ],
)
def test_totals_are_held_against_their_leaves(sums: Sum, value: dict[str, Any], faults: int) -> None:
    parts = {slot: getattr(PATTERN, slot) for slot in PATTERN.__slots__}
    assert len(wrong_totals(Pattern(**{**parts, "sums": (sums,), "check": None}), value)) == faults


@pytest.mark.parametrize(
    ("node", "message"),
    [
        pytest.param({"properties": {"value": {"type": "string"}}}, "value: the name", id="name"),
        pytest.param({"properties": {"x": {"anyOf": []}}}, "x: anyOf", id="union"),
        pytest.param({"properties": {"x": {"type": ["array", "null"]}}}, "x: a list", id="list or null"),
    ],
)
def test_a_schema_that_is_read_in_two_ways_is_found(node: Any, message: str) -> None:
    (fault,) = authoring_faults(node)
    assert fault.startswith(message)


@pytest.mark.e2e
def test_the_creditor_matrix_is_as_long_as_the_one_it_is_modelled_on() -> None:
    pattern = load_pattern("creditor-matrix")
    for difficulty in ("clean", "hard"):
        made = make(invented(Asked(pattern, pattern.difficulty(difficulty)), pattern.rows))
        assert 100 <= len(made.drawn.sheets) <= 130
        # Ten leaves a block and two of the head: with every null said, 86,242 exactly.
        values = [leaf for _, leaf in leaves(made.content.value)]
        assert len(values) == 86_242
        # Without the nulls it is as many within 2 %; the hard one leaves out more on purpose.
        if difficulty == "clean":
            assert sum(leaf is not None for leaf in values) == pytest.approx(86_242, rel=0.02)
