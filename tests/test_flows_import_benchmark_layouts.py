"""The layouts of the public benchmarks, as small trees that the tests make, and the real ones where they are."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from builders import Ended, goldleaf, shared_dir
from document_builders import pdf
from flows.benchmark_extractbench import own_path
from flows.import_benchmark import Layout, list_source
from flows.score_inputs import read_truth
from groundtruth.evidence import Kind
from groundtruth.jsontext import Json
from groundtruth.store import Dataset
from groundtruth.truth import GroundTruth, TruthEvidence

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "total": {"type": ["number", "null"]},
        "ship to": {"type": ["string", "null"]},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sku": {"type": ["string", "null"]},
                    "parts": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"no": {"type": ["string", "null"]}}},
                    },
                },
            },
        },
    },
}
VALUE: Json = {"total": 12.5, "ship to": "Galway", "items": [{"sku": "A-1", "parts": [{"no": "p"}]}]}
SIDECAR: Json = {
    "tags": ["T1", "D5"],
    "data_schema": SCHEMA,
    "expected_output": VALUE,
    "_field_rules": {
        "total": {
            "evidence": [
                {"page": 1, "bbox": [0.7, 0.05, 0.12, 0.015], "value": 12.5, "quote": "12.50", "layer": "word"},
                {"page": 2},
            ],
            "normalizers": ["null_equals_false", "magic"],
            "verified": False,
        },
        "ship to": {
            "evidence": [
                {"page": 1, "bbox": [0.1, 0.2, 0.2, 0.015]},
                {"page": 1, "bbox": [0.1, 0.2, 0.2, 0.035], "coarse": True},
                {"page": 1, "bbox": [0.9, 0.2, 0.2, 0.1], "value": "Gaillimh"},
            ]
        },
        "items[0].sku": {"expected_value": "A-1", "bboxes": [{"page": 1, "bbox": [0.1, 0.4, 0.1, 0.02]}]},
        "items[3].sku": {"evidence": [{"value": None}]},
    },
    "_eval_row_identity": {"items": {"identity_key": "sku"}, "items.parts": {"identity_key": ["no"]}, "x": {}},
    "_schema_version": "2",
    "config": {"dpi": 200},
}


def write(path: Path, content: Json | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def run(kind: str, tmp_path: Path, *more: object) -> Ended:
    return goldleaf("import", tmp_path / "source", "--from", kind, "--out", tmp_path / "out", "--json", *more)


def codes(report: Any) -> list[tuple[str, str, str]]:
    return [(one["document"], one["code"], one["path"]) for one in report["findings"]]


def truth_of(tmp_path: Path, document: str) -> GroundTruth:
    found = Dataset.open(tmp_path / "out").truth(document)
    assert found is not None
    return found


# ExtractBench


def test_a_sidecar_keeps_everything_that_has_a_place(tmp_path: Path) -> None:
    write(tmp_path / "source" / "short" / "a.test.json", SIDECAR)
    write(tmp_path / "source" / "short" / "a.pdf", pdf(["one", "two"]))
    report = run("extractbench", tmp_path).json
    assert codes(report) == [
        ("a", "identity_refused", "x"),
        ("a", "unknown_normalizer", "total"),
        ("a", "bad_evidence", '["ship to"]'),
        ("a", "evidence_without_value", "items[3].sku"),
    ]
    dataset = Dataset.open(tmp_path / "out")
    assert dataset.document("a").tags == {"T1": "", "D5": ""}
    identity = {"items": ("sku",), "items[].parts": ("no",)}
    assert dataset.schema(dataset.document("a").schema_name).rules.identity == identity
    truth = truth_of(tmp_path, "a")
    assert truth.value == {**VALUE, "total": Decimal("12.5")}
    assert truth.tags == {"T1": "", "D5": ""}
    assert truth.normalizers == {"total": ("null_equals_false",)}
    first, second = truth.evidence["total"]
    assert (first.page, first.quote, first.value, first.further) == (1, "12.50", Decimal("12.5"), {"layer": "word"})
    assert second == TruthEvidence(page=2)
    line, hull, bad = truth.evidence['["ship to"]']
    assert (line.coarse, line.kind, hull.coarse, hull.kind) == (False, Kind.LINE, True, Kind.HULL)
    assert (bad.page, bad.bbox, bad.value) == (1, None, "Gaillimh")
    assert [float(edge) for edge in bad.further["bbox_as_given"]] == [0.9, 0.2, 0.2, 0.1]
    assert [entry.value for entry in truth.evidence["items[0].sku"]] == ["A-1"]
    assert truth.further["imported"] == {
        "id": "short/a",
        "_schema_version": "2",
        "config": {"dpi": 200},
        "field_rules": {"total": {"verified": False}},
    }


def test_the_truth_of_a_sidecar_is_one_that_can_be_scored_against(tmp_path: Path) -> None:
    write(tmp_path / "source" / "short" / "a.test.json", SIDECAR)
    run("extractbench", tmp_path)
    read = read_truth(tmp_path / "out" / "truth" / "a.json", SCHEMA)
    assert read.flags == []
    assert [place.coarse for place in read.evidence['["ship to"]'].places] == [False, True, False]
    assert read.evidence["total"].places[0].box is not None


def test_what_an_answer_cites_is_found_also_by_a_name_with_a_space(tmp_path: Path) -> None:
    write(tmp_path / "source" / "short" / "a.test.json", SIDECAR)
    cited = [{"field_path": path, "page": 1, "bbox": None} for path in ("ship to", "items[0].sku")]
    answer = {"request": {"example_id": "short/a"}, "output": {"extracted_data": VALUE, "field_citations": cited}}
    write(tmp_path / "birch" / "short" / "a.result.json", answer)
    report = run("extractbench", tmp_path, "--predictions", tmp_path / "birch").json
    assert [one["what"] for one in report["left_out"]] == ["document a"]
    (ballot,) = Dataset.open(tmp_path / "out").ballots("a")
    assert set(ballot.citations) == {("ship to",), ("items", 0, "sku")}


def test_rules_in_a_list_are_read_and_two_containers_are_a_finding(tmp_path: Path) -> None:
    rules = [
        {"type": "extract_field", "field_path": "total", "evidence": [{"page": 2}]},
        {"type": "parse_table", "field_path": "items", "evidence": []},
        "no rule",
    ]
    form = {"data_schema": SCHEMA, "expected_output": {"total": 1}, "test_rules": rules}
    write(tmp_path / "source" / "short" / "a.test.json", form)
    report = run("extractbench", tmp_path).json
    assert codes(report) == [("a", "bad_evidence", "")]
    assert "rule of items" in {one["what"] for one in report["left_out"]}
    assert truth_of(tmp_path, "a").evidence == {"total": (TruthEvidence(page=2),)}
    both = {**form, "test_rules": rules[:1], "_field_rules": {"total": {"evidence": [{"page": 1}]}}}
    write(tmp_path / "source" / "short" / "b.test.json", both)
    assert codes(run("extractbench", tmp_path).json)[1:] == [("b", "two_rule_containers", "")]
    assert truth_of(tmp_path, "b").evidence == {"total": (TruthEvidence(page=1),)}


@pytest.mark.parametrize("missing", ["data_schema", "expected_output"])
def test_a_sidecar_without_schema_or_truth_is_named(tmp_path: Path, missing: str) -> None:
    form = {name: value for name, value in SIDECAR.items() if name != missing}
    write(tmp_path / "source" / "short" / "a.test.json", form)
    report = run("extractbench", tmp_path).json
    assert codes(report) == [("a", "unreadable", "")]
    assert missing in report["findings"][0]["message"]
    assert "short/a.test.json" in report["findings"][0]["message"]


def test_files_without_a_sidecar_and_rows_beside_sidecars_have_no_place(tmp_path: Path) -> None:
    write(tmp_path / "source" / "short" / "a.test.json", {"data_schema": SCHEMA, "expected_output": {}})
    write(tmp_path / "source" / "short" / "a.pdf", pdf())
    write(tmp_path / "source" / "short" / "a.png", b"png")
    write(tmp_path / "source" / "short" / "page1.png", b"png")
    write(tmp_path / "source" / "short.jsonl", b"{}")
    ended = run("extractbench", tmp_path)
    assert (ended.code, codes(ended.json)) == (0, [])
    assert [one["what"] for one in ended.json["left_out"]] == ["short.jsonl", "short/page1.png", "short/a.png"]


def hub_row(stem: str, **more: Json) -> bytes:
    row = {
        "id": stem,
        "category": "short",
        "pdf": f"docs/short/sub/{stem}.pdf",
        "tags": ["T1"],
        "data_schema": json.dumps(SCHEMA),
        "expected_output": json.dumps(VALUE),
        "field_rules": json.dumps(SIDECAR["_field_rules"]),
        "repeated_structure": json.dumps({"items": {"identity_key": "sku"}}),
        **more,
    }
    return json.dumps(row).encode() + b"\n"


def test_hub_rows_are_the_same_truth_as_their_sidecars(tmp_path: Path) -> None:
    write(tmp_path / "source" / "short" / "a.test.json", SIDECAR)
    run("extractbench", tmp_path)
    expected = truth_of(tmp_path, "a")
    hub = tmp_path / "hub"
    write(hub / "source" / "short.jsonl", hub_row("a"))
    write(hub / "source" / "docs" / "short" / "sub" / "a.pdf", pdf(["one", "two"]))
    report = run("extractbench", hub).json
    assert [(one["document"], one["source_id"]) for one in report["documents"]] == [("a", "short/a")]
    assert report["documents"][0]["pdf"].endswith("a.pdf")
    found = truth_of(hub, "a")
    assert (found.value, found.evidence, found.normalizers) == (
        expected.value,
        expected.evidence,
        expected.normalizers,
    )
    assert Dataset.open(hub / "out").schema("a").rules.identity == {"items": ("sku",)}


def test_a_bad_row_costs_itself_only(tmp_path: Path) -> None:
    rows = [hub_row("a"), b"{broken\n", b"\n", hub_row("b", data_schema="{"), hub_row("c", pdf="other/c.pdf")]
    rows.append(hub_row("d", pdf="docs/../../d.pdf"))
    write(tmp_path / "source" / "short.jsonl", b"".join(rows))
    write(tmp_path / "d.pdf", pdf())
    report = run("extractbench", tmp_path).json
    assert [one["document"] for one in report["documents"]] == ["a"]
    messages = [one["message"] for one in report["findings"] if one["code"] == "unreadable"]
    assert [message.split(" ")[0] for message in messages] == [
        "short.jsonl:2:",
        "short.jsonl:5:",
        "short.jsonl:4:",
        "'docs/../../d.pdf':",
    ]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        pytest.param("total", "total", id="plain"),
        pytest.param("items[0].sku", "items[0].sku", id="a row"),
        pytest.param("line items[12].unit price", '["line items"][12]["unit price"]', id="names with a space"),
        pytest.param("a[0][1]", "a[0][1]", id="a list in a list"),
    ],
)
def test_addresses_are_written_in_our_spelling(theirs: str, ours: str) -> None:
    assert own_path(theirs) == ours


# OmniExtractBench


def manifest(folder: Path, *rows: dict[str, Any]) -> None:
    with (folder / "manifest.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, fieldnames=list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def omni_row(name: str, **more: Any) -> dict[str, Any]:
    return {
        "doc_id": name,
        "suite": "internal",
        "doc_path": f"pdfs/{name}.pdf",
        "gt_path": f"gold/{name}.json",
        "schema": json.dumps(SCHEMA),
        **more,
    }


def test_a_table_brings_documents_suites_and_predictions(tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(source / "gold" / "a.json", VALUE)
    write(source / "pdfs" / "a.pdf", pdf())
    write(source / "pred" / "a.json", {"total": 1})
    manifest(source, omni_row("a", pred_path="pred/a.json", pages="3"))
    ended = run("omniextractbench", tmp_path)
    assert (ended.code, ended.json["left_out"]) == (0, [])
    dataset = Dataset.open(tmp_path / "out")
    assert dataset.document("a").tags == {"suite": "internal"}
    assert truth_of(tmp_path, "a").further["imported"] == {"id": "a", "columns": {"pages": "3"}}
    assert [(ballot.system, ballot.data) for ballot in dataset.ballots("a")] == [("prediction", {"total": 1})]


@pytest.mark.e2e
def test_a_parquet_table_is_the_same_as_csv(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    source = tmp_path / "source"
    write(source / "gold" / "a.json", VALUE)
    row = omni_row("a", schema=json.dumps(SCHEMA).encode(), pages=3)
    parquet.write_table(arrow.Table.from_pylist([row]), source / "manifest.parquet")
    report = run("omniextractbench", tmp_path).json
    assert [one["document"] for one in report["documents"]] == ["a"]
    assert [one["what"] for one in report["left_out"]] == ["pdfs/a.pdf", "document a"]
    assert truth_of(tmp_path, "a").further["imported"]["columns"] == {"pages": 3}
    write(source / "manifest.parquet", b"PAR1 no more")
    assert run("omniextractbench", tmp_path).code == 2


@pytest.mark.e2e
def test_without_pyarrow_parquet_says_what_to_install(tmp_path: Path) -> None:
    write(tmp_path / "source" / "manifest.parquet", b"PAR1")
    # In a process of its own, since a module that was loaded once stays.
    program = (
        "import sys; sys.modules['pyarrow'] = None; sys.argv = ['goldleaf', *sys.argv[1:]]; "
        "from flows.cli import main; main()"
    )
    arguments = ["import", str(tmp_path / "source"), "--from", "omniextractbench", "--out", str(tmp_path / "out")]
    ended = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "goldleaf[parquet]" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_corpus_of_folders_needs_no_table(tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(source / "a" / "ground_truth.json", VALUE)
    write(source / "a" / "schema.json", SCHEMA)
    write(source / "a" / "document.pdf", pdf())
    write(source / "a" / "source.json", {"url": "https://example.org/a", "license": "CC0"})
    write(source / "b" / "ground_truth.json", VALUE)
    report = run("omniextractbench", tmp_path).json
    assert [one["what"] for one in report["left_out"]] == ["b"]
    document = Dataset.open(tmp_path / "out").document("a")
    assert (document.source, document.license) == ("https://example.org/a", "CC0")


def test_a_corpus_with_a_table_is_held_to_its_hashes(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for name in ("a", "b"):
        write(source / name / "ground_truth.json", VALUE)
        write(source / name / "schema.json", SCHEMA)
        write(source / name / "document.pdf", pdf([name]))
    right = hashlib.sha256((source / "a" / "ground_truth.json").read_bytes()).hexdigest()
    rows = [
        {
            "doc_id": name,
            "ground_truth_path": f"{name}/ground_truth.json",
            "schema_path": f"{name}/schema.json",
            "gt_sha256": digest,
        }
        for name, digest in (("a", right), ("b", "00"))
    ]
    manifest(source, *rows)
    report = run("omniextractbench", tmp_path).json
    assert codes(report) == [("b", "hash_differs", "")]
    assert Dataset.open(tmp_path / "out").document_ids() == ("a", "b")


@pytest.mark.parametrize("path", ["../a.json", "gold/../../a.json", "/etc/hostname", ""])
def test_a_table_may_not_name_what_is_outside(tmp_path: Path, path: str) -> None:
    write(tmp_path / "a.json", VALUE)
    write(tmp_path / "source" / "gold" / "b.json", VALUE)
    manifest(tmp_path / "source", omni_row("a", gt_path=path, doc_path=""), omni_row("b", doc_path=""))
    report = run("omniextractbench", tmp_path).json
    assert codes(report) == [("a", "unreadable", "")]
    assert [one["document"] for one in report["documents"]] == ["b"]


def test_an_answer_outside_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "a.json", VALUE)
    write(tmp_path / "source" / "gold" / "a.json", VALUE)
    manifest(tmp_path / "source", omni_row("a", pred_path="../a.json"))
    assert codes(run("omniextractbench", tmp_path).json) == [("a", "ballot_unusable", "")]
    assert Dataset.open(tmp_path / "out").systems() == ()


def test_a_second_row_of_one_document_is_not_taken(tmp_path: Path) -> None:
    write(tmp_path / "source" / "gold" / "a.json", VALUE)
    manifest(tmp_path / "source", omni_row("a", doc_path=""), omni_row("a", doc_path=""), omni_row(""))
    report = run("omniextractbench", tmp_path).json
    assert codes(report) == [("", "unreadable", ""), ("a", "duplicate_id", "")]
    assert len(report["documents"]) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("doc_id,gt_path\na,b\n", "no column schema", id="no schema"),
        pytest.param("name,gt_path,schema\na,b,c\n", "no column doc_id", id="no id"),
        pytest.param("doc_id,gt_path,schema\n", "holds no row", id="no row"),
        pytest.param(b"doc_id\n\xff\n", "not CSV in UTF-8", id="Latin-1"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path: Path, text: str | bytes, said: str) -> None:
    write(tmp_path / "source" / "manifest.csv", text.encode() if isinstance(text, str) else text)
    ended = run("omniextractbench", tmp_path)
    assert ended.code == 2
    assert "manifest.csv" in ended.err
    assert said in ended.err


# DocuBench and ContextualAI's


def test_docubench_brings_labels_answers_and_sources(tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(source / "labels" / "a.json", VALUE)
    write(source / "schemas" / "a.json", SCHEMA)
    write(source / "documents" / "a.pdf", pdf())
    write(source / "documents" / "b.pdf", pdf())
    write(source / "votes" / "docupipe_high" / "a.json", {"status": "ok", "data": VALUE})
    write(source / "votes" / "gpt" / "a.json", {"status": "timeout", "data": None})
    write(source / "published_scores.json", {})
    about = {"doc_id": "a", "name": "Bill", "lang": "en", "source_url": "https://example.org/a", "license": "free"}
    write(source / "sources.json", [about])
    report = run("docubench", tmp_path).json
    assert codes(report) == [("a", "ballot_unusable", "")]
    assert [one["what"] for one in report["left_out"]] == ["documents/b.pdf", "published_scores.json"]
    dataset = Dataset.open(tmp_path / "out")
    document = dataset.document("a")
    assert (document.source, document.license, document.tags) == ("https://example.org/a", "free", {"lang": "en"})
    assert [(one.system, one.family, one.usable) for one in dataset.ballots("a")] == [
        ("docupipe_high", "docupipe", True),
        ("gpt", "gpt", False),
    ]
    assert truth_of(tmp_path, "a").further["imported"]["source"]["name"] == "Bill"
    write(source / "sources.json", b"{")
    ended = run("docubench", tmp_path)
    assert (ended.code, "sources.json" in ended.err) == (2, True)


def test_each_gold_finds_its_schema_by_place_name_or_keys(tmp_path: Path) -> None:
    source = tmp_path / "source"
    bill = {"type": "object", "properties": {"total": {"type": "number"}, "seller": {"type": "string"}}}
    paper = {"type": "object", "properties": {"title": {"type": "string"}, "authors": {"type": "array"}}}
    write(source / "big_bill-schema.json", bill)
    write(source / "paper-schema.json", paper)
    write(source / "Big-Bill 7.gold.json", {"title": "a bill, by its name"})
    write(source / "attention.gold.json", {"title": "t", "rows": [{"authors": []}]})
    write(source / "unlike.gold.json", {"x": 1})
    write(source / "resume" / "cv-schema.json", {"name": "N", "schema_definition": paper})
    write(source / "resume" / "pdf+gold" / "ann.gold.json", {"title": "t"})
    write(source / "resume" / "pdf+gold" / "ann.pdf", pdf())
    report = run("contextual", tmp_path).json
    chosen = {one["document"]: one["schema"] for one in report["documents"]}
    assert chosen == {"Big-Bill 7": "big_bill", "attention": "paper", "ann": "paper"}
    told = {name: truth_of(tmp_path, name).further["imported"]["schema_chosen_by"] for name in chosen}
    assert told == {"Big-Bill 7": "name", "attention": "keys", "ann": "place"}
    assert ("unlike", "unreadable", "") in codes(report)
    assert ("ann", "schema_wrapped", "") in codes(report)
    assert Dataset.open(tmp_path / "out").document_ids() == ("ann",)


# The real ones


@pytest.mark.e2e
def test_the_real_docubench_is_imported_whole(tmp_path: Path) -> None:
    source = shared_dir() / "real" / "docubench"
    ended = goldleaf("import", source, "--from", "docubench", "--out", tmp_path / "out", "--json")
    report = ended.json
    assert ended.code == 1
    assert len(report["documents"]) == 25
    assert Counter(one["code"] for one in report["findings"]) == {"null_not_allowed": 40}
    dataset = Dataset.open(tmp_path / "out")
    assert (len(dataset.document_ids()), len(dataset.truth_names()), len(dataset.systems())) == (23, 25, 6)
    assert all(len(one["changes"]["ballots"]) == 6 for one in report["documents"])
    homeless = {one["what"] for one in report["left_out"]}
    assert homeless == {"published_scores.json", "document 4kVtTRoL", "document KpewWz3R"}
    for label in sorted((source / "labels").glob("*.json")):
        assert truth_of(tmp_path, label.stem).value == json.loads(label.read_text(), parse_float=Decimal)


@pytest.mark.e2e
def test_each_defect_of_the_real_contextual_is_listed(tmp_path: Path) -> None:
    source = shared_dir() / "real" / "contextual"
    ended = goldleaf("import", source, "--from", "contextual", "--out", tmp_path / "out", "--json")
    report = ended.json
    assert ended.code == 1
    counts = Counter(one["code"] for one in report["findings"])
    assert counts == {
        "wrong_type": 394,
        "undeclared_key": 100,
        "missing_key": 7,
        "schema_wrapped": 3,
        "not_in_enum": 1,
        "null_not_allowed": 1,
    }
    golds = len(list(source.glob("*.gold.json")))
    assert len(report["documents"]) == golds
    assert len(Dataset.open(tmp_path / "out").document_ids()) == 3
    schemas = Counter(one["schema"] for one in report["documents"])
    assert schemas == {"credit_agreement": 5, "10kq": 4, "research": 3, "resume": 3, "swimming": 3}


def test_listing_alone_writes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "source" / "labels" / "a.json", VALUE)
    listing, answers = list_source(tmp_path / "source", Layout.DOCUBENCH)
    assert [entry.source_id for entry in listing.entries] == ["a"]
    assert (answers.by_entry, sorted(path.name for path in tmp_path.iterdir())) == ({}, ["source"])
