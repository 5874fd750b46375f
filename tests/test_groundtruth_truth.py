"""A truth and its evidence: what is read is written again, and a dataset keeps it, with or without its document."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth import jsontext
from groundtruth.ballot import Ballot
from groundtruth.errors import DatasetError, JsonError, UnknownDocument
from groundtruth.evidence import Kind
from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.store import Dataset
from groundtruth.store_ballots import Change
from groundtruth.truth import GroundTruth, TruthEvidence

SCHEMA: Json = {"type": "object", "properties": {"total": {"type": ["number", "null"]}}}
RECURSIVE: Json = {
    "type": "object",
    "properties": {"part": {"$ref": "#/$defs/part"}},
    "$defs": {"part": {"type": "object", "properties": {"part": {"$ref": "#/$defs/part"}}}},
}


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    made = Dataset.create(tmp_path / "data")
    made.put_draft("invoice", SCHEMA, Rules())
    return made


WHOLE: Json = {"document": "a", "schema": "s", "value": {}}


def truth(document: str = "a", total: Json = 1) -> GroundTruth:
    return GroundTruth(document, "invoice", {"total": total})


def test_the_published_form_is_read_with_what_others_added() -> None:
    form = jsontext.loads(
        '{"document": "a", "schema": "invoice", "value": {"total": 12.50}, "reviewer": "ann", "evidence": {"total": ['
        '{"page": 1, "bbox": [0.1, 0.2, 0.30, 0.1], "value": 12.5, "quote": "12.50", "coarse": true, "kind": "hull",'
        ' "layer": "word"}, {"page": 2}, {"value": null}]}}'
    )
    read = GroundTruth.from_json(form)
    first, second, third = read.evidence["total"]
    assert first.bbox == (Decimal("0.1"), Decimal("0.2"), Decimal("0.30"), Decimal("0.1"))
    assert (first.page, first.quote, first.coarse, first.kind) == (1, "12.50", True, Kind.HULL)
    assert first.further == {"layer": "word"}
    assert (second.page, second.bbox, second.kind) == (2, None, Kind.LINE)
    assert third == TruthEvidence()
    assert (read.schema_version, read.further) == ("draft", {"reviewer": "ann"})
    assert GroundTruth.from_json(read.to_json()) == read


@pytest.mark.parametrize(
    ("form", "said"),
    [
        pytest.param([], "a truth is a JSON object", id="a list"),
        pytest.param({"document": "a", "schema": "s"}, "'value' is missing", id="no value"),
        pytest.param({"document": "a", "schema": "s", "value": []}, "'value' is missing, or is no object", id="a row"),
        pytest.param({"document": 1, "schema": "s", "value": {}}, "'document'", id="a number for an id"),
        pytest.param({**WHOLE, "evidence": []}, "'evidence' is an object", id="evidence as a list"),
        pytest.param({**WHOLE, "evidence": {"x": {}}}, "a list is needed", id="one entry without its list"),
        pytest.param({**WHOLE, "evidence": {"x": [{"page": 0}]}}, "evidence of x: page 0", id="page 0"),
        pytest.param({**WHOLE, "evidence": {"x": [{"page": True}]}}, "page True", id="true is no page"),
        pytest.param({**WHOLE, "evidence": {"x": [{"page": 1, "bbox": [0, 0, 1]}]}}, "bbox", id="three edges"),
        pytest.param(
            {**WHOLE, "evidence": {"x": [{"page": 1, "bbox": [0.5, 0, 0.6, 1]}]}}, "not a box", id="off the page"
        ),
        pytest.param(
            {**WHOLE, "evidence": {"x": [{"bbox": [0, 0, 1, 1]}]}}, "stands on no page", id="a box on no page"
        ),
        pytest.param({**WHOLE, "evidence": {"x": [{"quote": 5}]}}, "a quote is text", id="a number for a quote"),
        pytest.param({**WHOLE, "evidence": {"x": [{"coarse": 1}]}}, "coarse 1", id="1 for true"),
        pytest.param({**WHOLE, "evidence": {"x": [{"kind": "blob"}]}}, "kind 'blob'", id="an unknown kind"),
        pytest.param({**WHOLE, "normalizers": {"x": "y"}}, "normalizers: x", id="a normalizer without its list"),
        pytest.param({**WHOLE, "tags": {"x": 1}}, "tags.x", id="a number for a tag"),
    ],
)
def test_what_is_no_truth_is_refused_with_its_place(form: Json, said: str) -> None:
    with pytest.raises(JsonError, match=r"truth\.json: ") as error:
        GroundTruth.from_json(form, source="truth.json")
    assert said in str(error.value)


EDGES = st.integers(0, 500).map(lambda number: Decimal(number) / 1000)
ENTRIES = st.builds(
    TruthEvidence,
    page=st.integers(1, 99),
    bbox=st.none() | st.tuples(EDGES, EDGES, EDGES.filter(bool), EDGES.filter(bool)),
    value=st.none() | st.text(max_size=5) | st.integers(),
    quote=st.none() | st.text(max_size=5),
    coarse=st.booleans(),
    kind=st.sampled_from(Kind),
    further=st.just({}) | st.just({"layer": "word"}),
)


@settings(max_examples=40)
@given(st.dictionaries(st.text(min_size=1, max_size=5), st.lists(ENTRIES, max_size=3).map(tuple), max_size=3))
def test_evidence_survives_its_file(evidence: dict[str, tuple[TruthEvidence, ...]]) -> None:
    written = GroundTruth("a", "s", {"x": 1}, evidence, tags={"T1": ""}, normalizers={"x": ("lenient_date",)})
    assert GroundTruth.from_json(jsontext.loads(jsontext.dumps(written.to_json()))) == written


def test_a_dataset_keeps_a_truth_and_another_does_not_take_its_place(dataset: Dataset) -> None:
    assert dataset.truth("a") is None
    assert dataset.put_truth(truth()) is Change.NEW
    assert dataset.put_truth(truth()) is Change.UNCHANGED
    with pytest.raises(DatasetError, match="another content"):
        dataset.put_truth(truth(total=2))
    assert dataset.truth("a") == truth()
    assert dataset.put_truth(truth(total=2), replace=True) is Change.REPLACED
    assert dataset.truth("a") == truth(total=2)
    assert dataset.truth_names() == ("a",)


def test_a_damaged_truth_names_its_file(dataset: Dataset) -> None:
    dataset.put_truth(truth())
    (dataset.root / "truth" / "a.json").write_text('{"document": "a"}')
    with pytest.raises(JsonError, match=r"truth.a\.json: 'schema'"):
        dataset.truth("a")


def test_answers_may_be_kept_for_a_truth_before_its_document_comes(dataset: Dataset, tmp_path: Path) -> None:
    with pytest.raises(UnknownDocument):
        dataset.put_ballot("a", Ballot("birch", "birch", data={"total": 1}))
    dataset.put_truth(truth())
    assert dataset.put_ballot("a", Ballot("birch", "birch", data={"total": 1})) is Change.NEW
    assert dataset.document_ids() == ()
    assert dataset.systems() == ("birch",)
    assert [ballot.data for ballot in dataset.ballots("a")] == [{"total": 1}]
    file = tmp_path / "a.txt"
    file.write_text("total 1")
    dataset.add_document(file, schema="invoice")
    assert dataset.document_ids() == ("a",)
    assert dataset.ballot_systems("a") == ("birch",)


def test_a_schema_that_does_not_compile_is_kept_and_nothing_is_under_it(dataset: Dataset, tmp_path: Path) -> None:
    dataset.keep_refused_schema("parts", RECURSIVE)
    dataset.keep_refused_schema("parts", RECURSIVE)
    assert dataset.refused_schema_names() == ("parts",)
    assert dataset.schema_names() == ("invoice",)
    assert dataset.schema_source("parts") == RECURSIVE
    assert dataset.schema_source("invoice") == SCHEMA
    with pytest.raises(DatasetError, match="holds another schema"):
        dataset.keep_refused_schema("parts", SCHEMA)
    file = tmp_path / "b.txt"
    file.write_text("part")
    with pytest.raises(DatasetError, match="no schema 'parts'"):
        dataset.add_document(file, schema="parts")
    dataset.put_draft("parts", SCHEMA, Rules())
    assert dataset.refused_schema_names() == ()
    assert dataset.schema_source("parts") == SCHEMA
