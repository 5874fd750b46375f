"""An extractor that lies costs its own vote, or the part of it that is a lie, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import planted_extractors as planted
from extraction_builders import NUMBER, TEXT, records, schema
from extractors.process import ExtractorProcess
from extractors.request import Request
from groundtruth.ballot import Ballot, Failure
from groundtruth.evidence import Evidence, Source
from groundtruth.jsontext import Malformed

SCHEMA = schema({"title": TEXT, "amount": NUMBER, "rows": records({"title": TEXT})})


@pytest.fixture(scope="module")
def liar() -> Iterator[ExtractorProcess]:
    with ExtractorProcess("planted_extractors:Lying", planted.Lying.info) as process:
        yield process


def answer(liar: ExtractorProcess, lie: str) -> Ballot:
    """What becomes of a lie, after which the truth is still heard."""
    ballot = liar.extract(Request(Path(f"/nowhere/{lie}.pdf"), SCHEMA, 60, pages=2))
    assert liar.extract(Request(Path("/nowhere/true.pdf"), SCHEMA, 60, pages=2)) == honest()
    return ballot


def honest() -> Ballot:
    return Ballot("lying", "planted", data={"title": "true"}, asserts_null=False)


@pytest.mark.parametrize(
    ("lie", "failure", "detail"),
    [
        ("name", Failure.INTERNAL, "answered as gpt of the family gpt"),
        ("family", Failure.INTERNAL, "answered as lying of the family another"),
        ("list", Failure.SCHEMA_INVALID, "answered with a list, not with an object"),
        ("text", Failure.SCHEMA_INVALID, "answered with a str, not with an object"),
        ("nothing", Failure.INTERNAL, "answered with a NoneType, which is no ballot"),
        ("object", Failure.INTERNAL, "its answer has no form in JSON: Object of type object is not JSON serializable"),
        ("failed", Failure.INTERNAL, "answered failed with the failure None"),
        ("ok", Failure.INTERNAL, "answered ok with the failure refused"),
        ("long", Failure.INTERNAL, "answered with more than 64 MiB"),
    ],
)
def test_an_answer_that_cannot_be_trusted_fails(
    liar: ExtractorProcess, lie: str, failure: Failure, detail: str
) -> None:
    ballot = answer(liar, lie)
    assert (ballot.failure, ballot.detail, ballot.usable) == (failure, detail, False)


@pytest.mark.parametrize("lie", ["box", "deep", "stream"])
def test_an_answer_that_cannot_be_read_fails(liar: ExtractorProcess, lie: str) -> None:
    assert answer(liar, lie).failure is Failure.INTERNAL


def test_a_page_that_does_not_exist_is_not_cited(liar: ExtractorProcess) -> None:
    ballot = answer(liar, "page")
    assert ballot.data == {"title": "true"}
    assert ballot.detail == "1 citation of absent pages dropped"
    assert ballot.citations == {("title",): (Evidence(page=1, source=Source.CITED, systems=("lying",)),)}


def test_a_value_that_is_not_there_is_not_cited(liar: ExtractorProcess) -> None:
    ballot = answer(liar, "leaf")
    assert (ballot.detail, ballot.citations) == ("1 citation of no value dropped", {})


def test_what_has_no_form_in_json_makes_its_own_leaf_invalid(liar: ExtractorProcess) -> None:
    infinite = Malformed("Infinity", "not_a_finite_number")
    assert answer(liar, "nan").data == {
        "title": "true",
        "amount": Malformed("NaN", "not_a_finite_number"),
        "rows": [infinite],
    }
    assert answer(liar, "surrogate").data == {"title": Malformed("half \\ud800", "not_unicode")}


def test_a_null_asserts_no_more_than_the_extractor_can(liar: ExtractorProcess) -> None:
    assert answer(liar, "null").asserts_null is False


def test_a_detail_is_one_line(liar: ExtractorProcess) -> None:
    detail = answer(liar, "detail").detail
    assert detail.startswith("two lines xxx")
    assert len(detail) == 500


def test_invented_fields_reach_the_vote_which_leaves_them_out(liar: ExtractorProcess) -> None:
    assert answer(liar, "invented").data == {"title": "true", "no such field": 1}


def test_the_stream_of_jobs_is_not_for_the_extractor(liar: ExtractorProcess) -> None:
    assert answer(liar, "reads").data == {"title": ""}
