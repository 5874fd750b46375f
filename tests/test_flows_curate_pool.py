"""Extractor processes are used again, at most so many are there at once, and a stop ends them."""

from __future__ import annotations

from pathlib import Path

import pytest

import planted_extractors as planted
from extraction_builders import HARMFUL, TEXT, is_running, schema
from extractors.process import ExtractorProcess
from extractors.request import Request
from flows.process_pool import ProcessPool
from groundtruth.ballot import Failure

LYING = "planted_extractors:Lying"
SCHEMA = schema({"title": TEXT})


def pid(process: ExtractorProcess, stem: str) -> int:
    """The process's number, after it read a document."""
    assert process.extract(Request(Path(f"/nowhere/{stem}.pdf"), SCHEMA, 60)).usable
    running = process._link._process
    assert running is not None
    return running.pid


def harmful(pool: ProcessPool) -> int:
    with pool.lend(HARMFUL, planted.Harmful.info) as process:
        return pid(process, "good")


def lying(pool: ProcessPool) -> int:
    with pool.lend(LYING, planted.Lying.info) as process:
        return pid(process, "true")


def test_a_process_is_used_again_until_another_needs_its_place() -> None:
    pool = ProcessPool()
    with pool.serving(1):
        first = harmful(pool)
        assert harmful(pool) == first
        other = lying(pool)
        assert (is_running(first), is_running(other)) == (False, True)
        assert harmful(pool) != first
        assert not is_running(other)
    assert not is_running(first)


def test_as_many_idle_as_may_be_at_work() -> None:
    pool = ProcessPool()
    with pool.serving(2):
        first, other = harmful(pool), lying(pool)
        assert (harmful(pool), lying(pool)) == (first, other)
    assert not is_running(first)
    assert not is_running(other)


def test_where_nobody_serves_none_idles() -> None:
    assert not is_running(harmful(ProcessPool()))


def test_an_error_stops_those_at_work_and_those_to_come() -> None:
    pool = ProcessPool()
    begun: list[int] = []

    def work() -> None:
        with pool.serving(2), pool.lend(HARMFUL, planted.Harmful.info) as process:
            begun.extend((pid(process, "good"), lying(pool)))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    assert not any(map(is_running, begun))
    with pool.lend(HARMFUL, planted.Harmful.info) as late:
        assert late.extract(Request(Path("/nowhere/good.pdf"), SCHEMA, 60)).failure is Failure.CANCELLED


def test_one_that_was_lent_before_is_stopped_from_afar() -> None:
    pool = ProcessPool()

    def interrupted() -> None:
        with pool.serving(1):
            raise KeyboardInterrupt

    with pool.lend(HARMFUL, planted.Harmful.info) as early:
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert early.extract(Request(Path("/nowhere/good.pdf"), SCHEMA, 60)).failure is Failure.CANCELLED
