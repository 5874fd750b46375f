"""Ballots as others wrote them: the three forms, what makes one fail, and what only a part of it fails."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from builders import schema_of, shared_dir
from groundtruth import jsontext
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.ballot_citations import Drop
from groundtruth.ballot_files import ImportedBallot, parse_vote_file, read_ballot, read_ballot_text
from groundtruth.ballot_json import ballot_to_json
from groundtruth.box import Box
from groundtruth.evidence import Source
from groundtruth.jsontext import Json, Malformed
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema

TEXT: Json = {"type": ["string", "null"]}
SCHEMA = schema_of(
    {
        "total": {"type": ["number", "null"]},
        "status": TEXT,
        "tags": {"type": "array", "items": TEXT},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": TEXT, "qty": TEXT}}},
    }
)
WITH_DATA = schema_of({"data": {"type": "object", "properties": {"total": TEXT}}, "total": TEXT, "name": TEXT})


def read(root: Json | bytes | str, schema: FrozenSchema | None = SCHEMA, *, pages: int | None = None) -> ImportedBallot:
    text = root if isinstance(root, bytes) else (root if isinstance(root, str) else json.dumps(root)).encode()
    return read_ballot(
        parse_vote_file(text, source="votes/a.json"), system="gpt", family="openai", schema=schema, page_count=pages
    )


class TestForms:
    @pytest.mark.parametrize(
        ("root", "schema", "data"),
        [
            pytest.param({"total": 1}, SCHEMA, {"total": 1}, id="bare"),
            pytest.param({}, SCHEMA, {}, id="bare and empty: null everywhere"),
            pytest.param({"status": "ok", "data": {"total": 1}}, SCHEMA, {"total": 1}, id="envelope with a status"),
            pytest.param({"data": {"total": 1}, "cost": 0.1, "score": 1}, SCHEMA, {"total": 1}, id="without a status"),
            pytest.param({"data": {"total": 1}}, SCHEMA, {"total": 1}, id="nothing but data"),
            pytest.param({"data": {"total": 1}, "x": 1}, SCHEMA, {"total": 1}, id="an unusual key beside the data"),
            pytest.param({"data": {}, "meta": {}}, SCHEMA, {}, id="an empty extraction in an envelope"),
            pytest.param({"data": {"total": 1}, "x": 1}, None, {"data": {"total": 1}, "x": 1}, id="unsaid schema"),
            pytest.param({"data": {"q": 1}, "meta": 1}, None, {"q": 1}, id="unsaid schema, usual keys"),
            pytest.param(
                {"total": 1, "status": "paid", "data": {"x": 2}},
                SCHEMA,
                {"total": 1, "status": "paid", "data": {"x": 2}},
                id="bare, with a field data that a system invented",
            ),
            pytest.param({"data": {"total": "1"}}, WITH_DATA, {"data": {"total": "1"}}, id="bare: the schema has data"),
            pytest.param(
                {"data": {"total": "1"}, "name": "x", "status": "y"},
                WITH_DATA,
                {"data": {"total": "1"}, "name": "x", "status": "y"},
                id="bare: the schema has data and the keys fit outside",
            ),
            pytest.param(
                {"status": "ok", "data": {"data": {"total": "1"}, "total": "2"}},
                WITH_DATA,
                {"data": {"total": "1"}, "total": "2"},
                id="envelope, though the schema has data: the keys fit inside",
            ),
            pytest.param(
                {"request": {"example_id": "x/a"}, "output": {"extracted_data": {"total": 1}}},
                SCHEMA,
                {"total": 1},
                id="result of ExtractBench",
            ),
        ],
    )
    def test_the_extraction_is_found_in_every_form(self, root: Json, schema: FrozenSchema | None, data: Json) -> None:
        ballot = read(root, schema).ballot

        assert (ballot.status, ballot.failure, ballot.data) == (Status.OK, None, data)
        assert (ballot.system, ballot.family, ballot.asserts_null) == ("gpt", "openai", True)

    def test_an_extraction_that_fits_nowhere_votes_null_and_says_so(self) -> None:
        ballot = read({"result": {"total": 1}, "x": 2}).ballot

        assert ballot.usable
        assert ballot.detail == "none of its keys is in the schema ('result', 'x'), so it votes null everywhere"

    def test_read_ballot_text_gives_the_ballot_alone(self) -> None:
        ballot = read_ballot_text(b'{"total": 1.50}', "gpt", "openai", SCHEMA, "a.json")

        assert ballot == Ballot("gpt", "openai", data={"total": Decimal("1.50")})


class TestStatus:
    @pytest.mark.parametrize("status", ["ok", "OK", "success", "Succeeded", "completed", True, 200, None])
    def test_a_run_that_went_well_votes(self, status: Json) -> None:
        assert read({"status": status, "data": {"total": 1}}).ballot.status is Status.OK

    @pytest.mark.parametrize("status", ["partial", "truncated", "INCOMPLETE"])
    def test_a_run_that_was_cut_votes_with_what_it_has(self, status: str) -> None:
        ballot = read({"status": status, "data": {"total": 1}}).ballot

        assert (ballot.status, ballot.data) == (Status.PARTIAL, {"total": 1})
        assert status in ballot.detail

    @pytest.mark.parametrize(
        ("envelope", "failure"),
        [
            pytest.param({"status": "error"}, Failure.INTERNAL, id="error"),
            pytest.param({"status": "failed", "error": "boom"}, Failure.INTERNAL, id="failed"),
            pytest.param({"status": "timeout"}, Failure.TIMEOUT, id="timeout"),
            pytest.param({"status": "timed-out"}, Failure.TIMEOUT, id="timed out"),
            pytest.param({"status": "refused"}, Failure.REFUSED, id="refused"),
            pytest.param({"status": "rate_limited"}, Failure.RATE_LIMITED, id="a kind of ours"),
            pytest.param({"status": 429}, Failure.RATE_LIMITED, id="an HTTP code"),
            pytest.param({"status": 503}, Failure.TRANSIENT, id="a server's HTTP code"),
            pytest.param({"status": False}, Failure.INTERNAL, id="false"),
            pytest.param({"success": False, "error_type": "TimeoutError"}, Failure.TIMEOUT, id="an exception's name"),
            pytest.param({"status": "error", "error": {"type": "RateLimitError"}}, Failure.RATE_LIMITED, id="nested"),
            pytest.param({"status": "error", "error": "context_length_exceeded"}, Failure.CAPACITY, id="error as code"),
            pytest.param(
                {"status": "error", "error": "401 invalid access token, timeout"}, Failure.INTERNAL, id="a mere message"
            ),
            pytest.param({"error": "boom"}, Failure.INTERNAL, id="no status, an error and no data"),
            pytest.param({"status": "odd", "meta": {}}, Failure.INTERNAL, id="an unknown status without data"),
            pytest.param({"status": "ok"}, Failure.SCHEMA_INVALID, id="ok without data"),
            pytest.param({}, Failure.SCHEMA_INVALID, id="data is null and nothing else is said"),
        ],
    )
    def test_a_run_that_failed_abstains_with_its_kind(self, envelope: dict[str, Json], failure: Failure) -> None:
        ballot = read({**envelope, "data": None}).ballot

        assert (ballot.status, ballot.failure, ballot.data) == (Status.FAILED, failure, {})
        assert ballot.detail

    def test_a_failed_run_abstains_even_with_data(self) -> None:
        assert not read({"status": "timeout", "data": {"total": 1}}).ballot.usable

    def test_an_unknown_status_with_data_votes_and_is_said(self) -> None:
        ballot = read({"status": "reviewed", "data": {"total": 1}}).ballot

        assert ballot.status is Status.OK
        assert "'reviewed', which is not known" in ballot.detail

    def test_the_message_of_a_failure_cannot_command_a_terminal(self) -> None:
        ballot = read({"status": "error", "error": "\x1b[2J\u202egone", "data": None}).ballot

        assert ballot.detail == r"\x1b[2J\u202egone"

    def test_the_message_of_a_failure_is_one_short_line(self) -> None:
        ballot = read({"status": "error", "error": "line one\nline two " + "x" * 1000, "data": None}).ballot

        assert ballot.detail.startswith("line one line two xxx")
        assert len(ballot.detail) <= 300


class TestUnusable:
    @pytest.mark.parametrize(
        ("text", "failure", "detail"),
        [
            pytest.param(b"", Failure.INVALID_JSON, "not JSON", id="empty"),
            pytest.param(b'{"total": 1', Failure.INVALID_JSON, "not JSON", id="cut in the middle"),
            pytest.param(b"Sure! Here it is", Failure.INVALID_JSON, "not JSON", id="a sentence"),
            pytest.param(b'{"total": "\xff"}', Failure.INVALID_JSON, "not UTF-8 (byte 11)", id="not UTF-8"),
            pytest.param('{"a": "ü"}'.encode("utf-16"), Failure.INVALID_JSON, "not UTF-8", id="UTF-16"),
            pytest.param(b"[" * 100_000, Failure.INVALID_JSON, "deeper than", id="100,000 deep and open"),
            pytest.param(
                b'{"a":' * 100_000 + b"1" + b"}" * 100_000, Failure.INVALID_JSON, "deeper than", id="100,000 deep"
            ),
            pytest.param(b"[]", Failure.SCHEMA_INVALID, "the root is a list", id="a list at the root"),
            pytest.param(b'"x"', Failure.SCHEMA_INVALID, "the root is text", id="text at the root"),
            pytest.param(b"null", Failure.SCHEMA_INVALID, "the root is null", id="null at the root"),
            pytest.param(b"true", Failure.SCHEMA_INVALID, "the root is a boolean", id="a boolean at the root"),
            pytest.param(b"1.5", Failure.SCHEMA_INVALID, "the root is a number", id="a number at the root"),
            pytest.param(b"NaN", Failure.SCHEMA_INVALID, "a malformed value", id="NaN at the root"),
            pytest.param(
                b'{"status": "ok", "data": [{"total": 1}]}', Failure.SCHEMA_INVALID, "a list is not", id="data a list"
            ),
            pytest.param(
                b'{"status": "ok", "data": "{}"}', Failure.SCHEMA_INVALID, "text is not an object", id="data as text"
            ),
            pytest.param(
                b'{"status": "ok", "data": {"total": 1}, "data": {"total": 2}}',
                Failure.SCHEMA_INVALID,
                "a malformed value",
                id="data twice",
            ),
            pytest.param(
                b'{"request": {}, "output": {"extracted_data": [1]}}', Failure.SCHEMA_INVALID, "a list", id="result"
            ),
        ],
    )
    def test_a_file_that_nobody_can_vote_with_abstains_and_says_why(
        self, text: bytes, failure: Failure, detail: str
    ) -> None:
        ballot = read(text).ballot

        assert (ballot.status, ballot.failure) == (Status.FAILED, failure)
        assert detail in ballot.detail

    @given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
    @example(b"\xef\xbb\xbf{}")
    def test_no_bytes_raise(self, text: bytes) -> None:
        assert read(text).ballot.status in Status

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=3),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["data", "status", "output", "extracted_data", "error", "x"]), inner)
            ),
            max_leaves=8,
        )
    )
    def test_no_json_raises_and_every_ballot_can_be_stored(self, root: Json) -> None:
        for schema in (SCHEMA, WITH_DATA, None):
            jsontext.dumps(ballot_to_json(read(root, schema).ballot))


class TestPartsThatCannotBeTrusted:
    @pytest.mark.parametrize(
        ("text", "data"),
        [
            pytest.param('{"total": NaN, "status": "x"}', Malformed("NaN", "not_a_finite_number"), id="NaN"),
            pytest.param('{"total": -Infinity}', Malformed("-Infinity", "not_a_finite_number"), id="infinity"),
            pytest.param('{"total": 1e400}', Malformed("1e400", "not_a_finite_number"), id="too large"),
            pytest.param('{"total": 1, "total": 1}', Malformed("total", "duplicate_key"), id="a key twice"),
            pytest.param(r'{"total": "\ud800"}', Malformed(r"\ud800", "not_unicode"), id="half a pair"),
        ],
    )
    def test_one_bad_leaf_costs_that_leaf_only(self, text: str, data: Malformed) -> None:
        ballot = read(text).ballot

        assert (ballot.status, ballot.data["total"]) == (Status.OK, data)
        assert ballot.detail.startswith("1 value cannot be trusted")

    def test_a_key_that_cannot_be_written_is_spelled_out(self) -> None:
        ballot = read(r'{"total": 1, "\ud83d": {"\ud83d\ude00": 2}}').ballot

        assert ballot.data == {"total": 1, r"\ud83d": {"\U0001f600": 2}}

    def test_numbers_stay_exact(self) -> None:
        assert repr(read('{"total": 19.990000000000002}').ballot.data["total"]) == "Decimal('19.990000000000002')"


DATA: Json = {"total": 1, "tags": ["a", "b"], "lines": [{"sku": "x", "qty": "1"}, {"sku": "y"}]}
BOX = [0.1, 0.2, 0.3, 0.05]


def cite(*citations: Json, pages: int | None = None) -> ImportedBallot:
    return read(
        {"request": {"example_id": "x"}, "output": {"extracted_data": DATA, "field_citations": list(citations)}},
        pages=pages,
    )


class TestCitations:
    def test_a_citation_is_evidence_for_its_leaf(self) -> None:
        ballot = cite({"field_path": "lines[1].sku", "page": 2, "bbox": BOX, "reference_text": "y:"}).ballot

        ((path, (place,)),) = ballot.citations.items()
        assert format_path(path) == "lines[1].sku"
        assert (place.page, place.quote, place.source, place.systems) == (2, "y:", Source.CITED, ("gpt",))
        assert place.boxes == (Box.from_xywh(BOX),)

    def test_a_citation_of_a_page_only_has_no_box(self) -> None:
        ballot = cite({"field_path": "total", "page": 1, "bbox": None}, {"field_path": "tags", "page": 1}).ballot

        assert [place.boxes for (place,) in ballot.citations.values()] == [(), ()]

    def test_several_places_of_a_leaf_are_kept_in_order_and_each_once(self) -> None:
        first, second = ({"field_path": "total", "page": page, "bbox": BOX} for page in (3, 1))

        ballot = cite(first, second, first).ballot

        assert [place.page for place in ballot.citations[("total",)]] == [3, 1]

    def test_an_item_of_a_list_of_scalars_is_evidence_for_the_list(self) -> None:
        ballot = cite({"field_path": "tags[1]", "page": 1, "bbox": BOX}).ballot

        assert [(place.page, place.value) for place in ballot.citations[("tags",)]] == [(1, "b")]

    @pytest.mark.parametrize(
        ("citation", "drop"),
        [
            pytest.param({"field_path": "lines.qty"}, Drop.NO_INDEX, id="a column without its row"),
            pytest.param({"field_path": "lines[].qty"}, Drop.NO_INDEX, id="every row"),
            pytest.param({"field_path": "lines.0.qty"}, Drop.NO_INDEX, id="a row in another notation"),
            pytest.param({"field_path": "lines[2].sku"}, Drop.NO_SUCH_LEAF, id="a row that is not there"),
            pytest.param({"field_path": "lines[1].qty"}, Drop.NO_SUCH_LEAF, id="a cell that was left out"),
            pytest.param({"field_path": "totl"}, Drop.NO_SUCH_LEAF, id="an unknown leaf"),
            pytest.param({"field_path": "total.x"}, Drop.NO_SUCH_LEAF, id="below a scalar"),
            pytest.param({"field_path": "total[0]"}, Drop.NO_SUCH_LEAF, id="a row of a scalar"),
            pytest.param({"field_path": ""}, Drop.NO_SUCH_LEAF, id="the whole document"),
            pytest.param({"field_path": "lines[-1].sku"}, Drop.BAD_PATH, id="counted from the end"),
            pytest.param({"field_path": "lines[0]..sku"}, Drop.BAD_PATH, id="no path"),
            pytest.param({"field_path": 3}, Drop.NOT_A_CITATION, id="a number for a path"),
            pytest.param({"page": None}, Drop.NO_PAGE, id="page null"),
            pytest.param({"page": 0}, Drop.NO_PAGE, id="page 0"),
            pytest.param({"page": "1"}, Drop.NO_PAGE, id="page as text"),
            pytest.param({"page": True}, Drop.NO_PAGE, id="true for page 1"),
            pytest.param({"page": 1.5}, Drop.NO_PAGE, id="a page and a half"),
            pytest.param({"page": 4}, Drop.NO_SUCH_PAGE, id="after the last page"),
            pytest.param({"bbox": [0.1, 0.2, 0.3]}, Drop.BAD_BOX, id="three numbers"),
            pytest.param({"bbox": "0 0 1 1"}, Drop.BAD_BOX, id="a box as text"),
            pytest.param({"bbox": ["0", "0", "1", "1"]}, Drop.BAD_BOX, id="numbers as text"),
            pytest.param({"bbox": [0.1, 0.2, True, 0.1]}, Drop.BAD_BOX, id="true for a width"),
            pytest.param({"bbox": [0.1, 0.2, 0, 0.1]}, Drop.BAD_BOX, id="no width"),
            pytest.param({"bbox": [0.1, 0.2, -0.05, 0.1]}, Drop.BAD_BOX, id="a negative width"),
            pytest.param({"bbox": [100, 200, 50, 20]}, Drop.OFF_PAGE, id="points"),
            pytest.param({"bbox": [0.5, 0.5, 0.6, 0.1]}, Drop.OFF_PAGE, id="over the right edge"),
            pytest.param({"bbox": [-0.1, 0.5, 0.2, 0.1]}, Drop.OFF_PAGE, id="over the left edge"),
        ],
    )
    def test_what_is_not_sure_is_dropped_and_counted(self, citation: dict[str, Json], drop: Drop) -> None:
        good = {"field_path": "total", "page": 1, "bbox": BOX}

        imported = cite({**good, **citation}, {**good, "page": 3}, pages=3)

        assert imported.citations.dropped == {drop: 1}
        assert imported.ballot.detail == f"1 citation dropped ({drop.replace('_', ' ')} 1)"
        assert [place.page for places in imported.ballot.citations.values() for place in places] == [3]

    def test_a_citation_without_a_page_is_not_one_of_page_1(self) -> None:
        imported = cite({"field_path": "total", "bbox": BOX})

        assert (dict(imported.ballot.citations), imported.citations.dropped) == ({}, {Drop.NO_PAGE: 1})

    @pytest.mark.parametrize(
        ("bbox", "box"),
        [
            pytest.param([0, 0, 1, 1], (0, 0, 1, 1), id="the whole page"),
            pytest.param([0.9, 0.9, 0.1004, 0.1], (0.9, 0.9, 1, 1), id="rounded over the edge"),
            pytest.param([-0.0004, 0, 0.5, 0.5], (0, 0, 0.4996, 0.5), id="rounded below zero"),
        ],
    )
    def test_a_box_that_rounding_put_over_the_edge_ends_at_the_edge(self, bbox: Json, box: Any) -> None:
        ballot = cite({"field_path": "total", "page": 1, "bbox": bbox}).ballot

        assert ballot.citations[("total",)][0].boxes[0] == pytest.approx(box, abs=1e-9)

    @pytest.mark.parametrize(
        ("citations", "dropped"),
        [
            pytest.param(None, {}, id="none"),
            pytest.param({"total": 1}, {Drop.NOT_A_CITATION: 1}, id="an object"),
            pytest.param(["x", None], {Drop.NOT_A_CITATION: 2}, id="no objects"),
        ],
    )
    def test_citations_in_another_form_do_not_cost_the_values(self, citations: Json, dropped: Json) -> None:
        imported = read({"request": {}, "output": {"extracted_data": DATA, "field_citations": citations}})

        assert (imported.ballot.data, imported.citations.dropped) == (DATA, dropped)


def test_the_answers_of_real_systems_are_read_whole() -> None:
    folder = shared_dir() / "real" / "docubench"
    files = sorted((folder / "votes").glob("*/*.json"))
    assert files

    for file in files:
        source = jsontext.loads((folder / "schemas" / file.name).read_bytes())
        schema = compile_schema(source, Rules(), name=file.stem)
        text = file.read_bytes()

        ballot = read_ballot_text(text, file.parent.name, "f", schema, str(file))

        assert (ballot.status, ballot.data) == (Status.OK, jsontext.loads(text)["data"]), file
