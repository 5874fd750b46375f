"""How far a run is, and how long it will take, as a person is told."""

from __future__ import annotations

import pytest

from flows.curate_plan import Due
from flows.curate_results import Outcome, PageBegun, Result
from flows.progress import Tally, progress

OCR = Due("scan", "ocr", 10, 50.0)
TEXT = Due("scan", "text", 10, 0.5)


class Clock:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_is_told_by_what_pages_cost() -> None:
    clock = Clock()
    tally = Tally([OCR, TEXT], clock)
    assert (tally.extractions, tally.pages, tally.seconds_left) == (2, 20, None)
    tally.hear(PageBegun("scan", "ocr", 1, 10))
    clock.now += 20
    tally.hear(PageBegun("scan", "ocr", 6, 10))
    assert (tally.pages_done, tally.pages_a_second) == (5, 0.25)
    assert tally.share == pytest.approx(25 / 50.5)
    assert tally.seconds_left == pytest.approx(20.4)
    tally.hear(Result("scan", "ocr", Outcome.DONE))
    clock.now += 20
    assert (tally.done, tally.pages_done) == (1, 10)
    assert tally.seconds_left == pytest.approx(0.4)
    tally.hear(Result("scan", "text", Outcome.FAILED, "timeout", "late"))
    assert (tally.done, tally.pages_done, tally.share, tally.seconds_left) == (2, 20, 1.0, 0.0)


def test_pages_that_begin_again_do_not_turn_it_back() -> None:
    tally = Tally([OCR], Clock())
    for page in (1, 6, 1, 2):
        tally.hear(PageBegun("scan", "ocr", page, 10))
    assert tally.pages_done == 5


def test_an_extraction_that_nobody_expected_does_no_harm() -> None:
    tally = Tally([TEXT], Clock())
    tally.hear(PageBegun("other", "text", 3, 0))
    tally.hear(Result("other", "text", Outcome.DONE))
    assert (tally.pages_done, tally.share) == (0, 0.0)


def test_off_a_terminal_it_is_a_line_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (True, False):
        with progress([OCR, TEXT], quiet=quiet) as listener:
            listener(PageBegun("scan", "ocr", 1, 10))
            listener(Result("scan", "text", Outcome.DONE))
            listener(Result("scan", "ocr", Outcome.DONE))
    assert capsys.readouterr().err == "2 of 2 read, 20 of 20 pages\n"


def test_now_and_then_it_is_a_line_with_pages_and_the_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with progress([OCR, TEXT], quiet=False, clock=clock) as listener:
        listener(PageBegun("scan", "ocr", 1, 10))
        clock.now += 100
        listener(PageBegun("scan", "ocr", 6, 10))
        clock.now += 1
        listener(PageBegun("scan", "ocr", 7, 10))
    said = "0 of 2 read, 5 of 20 pages, 0.05 a second, about 1 min 42 s left: scan (ocr)\n"
    assert capsys.readouterr().err == said


def test_nothing_due_is_nothing_said(capsys: pytest.CaptureFixture[str]) -> None:
    with progress([], quiet=False) as listener:
        listener(Result("a", "x", Outcome.DONE))
    assert capsys.readouterr().err == ""
