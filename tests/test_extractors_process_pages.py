"""One page on which an extractor crashes, hangs or runs out of memory never loses the others."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import planted_extractors as planted
from extraction_builders import TEXT, schema
from extractors.left_out import pages_left_out, without_pages
from extractors.page_watch import PageLimits, PageWatch
from extractors.process import ExtractorProcess
from extractors.readings import Readings
from extractors.request import Request, job_of
from groundtruth.ballot import Ballot, Failure, Status

SCHEMA = schema({"title": TEXT, "languages": TEXT})
PAGED = "planted_extractors:Paged"


@pytest.fixture(scope="module")
def paged() -> Iterator[ExtractorProcess]:
    """One process for all documents: whatever befalls it with one must not be felt by the next."""
    with ExtractorProcess(PAGED, planted.Paged.info) as process:
        yield process


def request(stem: str, *, seconds: float = 120) -> Request:
    return Request(Path(f"/nowhere/{stem}.pdf"), SCHEMA, seconds, languages=("de", "en"))


@pytest.mark.parametrize(
    ("stem", "pages", "detail"),
    [
        ("3", "1,2,3", ""),
        ("3-crash2", "1,3", "page 2 left out: ended by SIGSEGV"),
        ("3-raise1", "2,3", "page 1 left out: ValueError: planted fault"),
        pytest.param(
            "3-spinchild1", "2,3", "page 1 left out: not read within 1 s of processor time", marks=pytest.mark.e2e
        ),
        ("3-bytes2", "1,3", "page 2 left out: needed more memory than its limit of 300 MiB"),
        ("3-numpy2", "1,3", "page 2 left out: needed more memory than its limit of 300 MiB"),
        ("3-abort2", "1,3", "page 2 left out: needed more memory than its limit of 300 MiB"),
        ("2-raise1", "2", "page 1 left out: ValueError: planted fault"),
        ("4-raise2-raise4", "1,3", "pages 2, 4 left out: ValueError: planted fault"),
        ("4-crash2-raise4", "1,3", "pages 2, 4 left out: ended by SIGSEGV; ValueError: planted fault"),
    ],
)
def test_a_bad_page_is_left_out_and_said(paged: ExtractorProcess, stem: str, pages: str, detail: str) -> None:
    ballot = paged.extract(request(stem))
    assert (ballot.failure, ballot.data.get("title"), ballot.detail) == (None, pages, detail)
    assert ballot.status is (Status.PARTIAL if detail else Status.OK)


@pytest.mark.e2e
def test_a_page_that_only_waits_is_left_out_by_the_clock(paged: ExtractorProcess) -> None:
    ballot = paged.extract(request("3-hang2", seconds=5))
    assert (ballot.data["title"], ballot.detail) == ("1,3", "page 2 left out: not read within 2.5 s")


@pytest.mark.parametrize(
    ("stem", "failure", "detail"),
    [
        ("3-crash0", Failure.INTERNAL, "ended by SIGSEGV"),
        ("3-crashend", Failure.INTERNAL, "ended by SIGSEGV"),
        ("3-raiseend", Failure.INTERNAL, "ValueError: planted fault"),
        ("3-bytesend", Failure.CAPACITY, "needed more memory than its limit of 300 MiB"),
        ("1-crash1", Failure.INTERNAL, "ended by SIGSEGV"),
        ("1-spin1", Failure.TIMEOUT, "not read within 1 s of processor time"),
        ("2-raise1-crash2", Failure.INTERNAL, "ended by SIGSEGV"),
        ("3-refuse2", Failure.REFUSED, "planted refusal"),
        ("3-blindend", Failure.UNSUPPORTED_INPUT, "no text layer"),
        ("3-raise2-blindend", Failure.INTERNAL, "page 2: ValueError: planted fault; without it: no text layer"),
        (
            "8-raise1-raise2-raise3-raise4-raise5-raise6",
            Failure.INTERNAL,
            "5 pages were left out and page 6 failed, too: ValueError: planted fault",
        ),
    ],
)
@pytest.mark.e2e
def test_a_document_fails_when_no_single_page_is_to_blame_or_none_would_be_left(
    paged: ExtractorProcess, stem: str, failure: Failure, detail: str
) -> None:
    ballot = paged.extract(request(stem))
    assert (ballot.status, ballot.failure, ballot.detail) == (Status.FAILED, failure, detail)


@pytest.mark.e2e
def test_the_limit_of_the_document_holds_over_all_attempts(paged: ExtractorProcess) -> None:
    started = time.monotonic()
    ballot = paged.extract(request("9-hang2-hang4-hang6", seconds=3))
    assert (ballot.failure, ballot.detail) == (Failure.TIMEOUT, "no answer within 3 s")
    assert time.monotonic() - started < 60


def test_pages_are_heard_as_they_begin(paged: ExtractorProcess) -> None:
    heard: list[tuple[int, int]] = []
    ballot = paged.extract(request("3-raise2"), lambda page, count: heard.append((page, count)))
    assert ballot.data["title"] == "1,3"
    assert heard == [(1, 3), (2, 3), (1, 3), (3, 3)]


def test_the_languages_reach_the_extractor(paged: ExtractorProcess) -> None:
    assert paged.extract(request("1")).data["languages"] == "de,en"


def test_what_is_asked_arrives_as_a_job(tmp_path: Path) -> None:
    asked = Request(Path("/nowhere/a.pdf"), SCHEMA, 60, languages=("pt",), readings=tmp_path)
    begun: list[tuple[int, int]] = []
    ended: list[bool] = []
    job = job_of(asked.to_json(30, [2]), lambda *page: begun.append(page), lambda: ended.append(True))
    assert (job.file, job.languages, job.skip) == (Path("/nowhere/a.pdf"), ("pt",), frozenset({2}))
    assert 20 < job.deadline - time.monotonic() <= 30
    assert job.schema.source == SCHEMA.source
    assert list(job.pages(3)) == [1, 3]
    assert (begun, ended) == ([(1, 3), (3, 3)], [True])
    assert isinstance(job.readings, Readings)


def test_an_extraction_can_be_stopped_while_it_waits_between_attempts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes"
    monkeypatch.setenv(planted.NOTES_FILE, str(notes))
    process = ExtractorProcess("planted_extractors:Failing", planted.Failing.info)

    def stop_once_it_failed_twice() -> None:
        while not notes.exists() or len(notes.read_text().split()) < 2:
            time.sleep(0.02)
        process.stop()

    stopper = threading.Thread(target=stop_once_it_failed_twice)
    stopper.start()
    with process:
        ballot = process.extract(Request(Path("/nowhere/rate_limited9.pdf"), SCHEMA, 600))
    stopper.join()
    assert ballot.failure is Failure.CANCELLED


class Clock:
    """A clock and a processor that stand where they are put."""

    def __init__(self) -> None:
        self.now = 100.0
        self.used: float | None = 7.0

    def watch(self, *, cpu: float = 10, wall: float = 50) -> PageWatch:
        return PageWatch(PageLimits(cpu, wall), lambda: self.used, lambda: self.now)


def test_a_page_is_measured_by_the_processor_and_waited_for_by_the_clock() -> None:
    clock = Clock()
    watch = clock.watch()
    assert (watch.overrun(), watch.seconds_to_look()) == (None, float("inf"))
    watch.began(1, 2)
    clock.now += 2
    assert watch.overrun() is None
    clock.now, clock.used = 140.0, 17.0
    assert watch.overrun() is None
    clock.used = 17.5
    assert watch.overrun() == "not read within 10 s of processor time"
    watch.began(2, 2)
    assert watch.overrun() is None
    clock.now += 51
    assert watch.overrun() == "not read within 50 s"
    watch.finished()
    assert watch.overrun() is None


def test_where_processor_time_is_not_known_the_clock_decides() -> None:
    clock = Clock()
    clock.used = None
    watch = clock.watch()
    watch.began(1, 1)
    clock.now += 49
    assert watch.overrun() is None
    clock.now += 2
    assert watch.overrun() == "not read within 50 s"


@pytest.mark.parametrize(("document", "wall"), [(9000.0, 600.0), (20.0, 10.0)])
def test_a_page_may_take_half_of_what_its_document_may(document: float, wall: float) -> None:
    assert PageLimits.of(60, document) == (60, wall)


@pytest.mark.parametrize(
    ("detail", "pages"),
    [
        ("page 7 left out: ended by SIGSEGV", (7,)),
        ("pages 3, 12 left out", (3, 12)),
        ("stops early; page 2 left out: x", (2,)),
        ("stops early", ()),
        ("", ()),
    ],
)
def test_the_pages_are_read_from_the_detail(detail: str, pages: tuple[int, ...]) -> None:
    assert pages_left_out(detail) == pages


def test_what_the_detail_said_before_stays() -> None:
    ballot = without_pages(Ballot("a", "a", detail="stops early"), {3: ""})
    assert (ballot.status, ballot.detail) == (Status.PARTIAL, "stops early; page 3 left out")
    assert without_pages(ballot, {3: "why"}).detail == "stops early; page 3 left out: why"
    failed = Ballot.failed("a", "a", Failure.TIMEOUT, "late")
    assert without_pages(failed, {3: "why"}) is failed
