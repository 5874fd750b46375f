"""The figures of the bench count what they say they count."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from bench.judging import Count, judge
from extraction_builders import NUMBER, TEXT, records, schema
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.jsontext import Malformed
from groundtruth.path import parse_path

SCHEMA = schema({"name": TEXT, "total": NUMBER, "lines": records({"item": TEXT, "amount": NUMBER})})
TRUTH: dict[str, Any] = {
    "name": "Ann",
    "total": None,
    "lines": [{"item": "bolt", "amount": Decimal("1.5")}, {"item": "nut", "amount": None}],
}


def judged(data: Any, **ballot: Any) -> tuple[Count, Count]:
    unsupported = frozenset(parse_path(path) for path in ballot.pop("unsupported", ()))
    judgement = judge(SCHEMA, Ballot("reader", "readers", data=data, unsupported=unsupported, **ballot), TRUTH)
    return judgement.fields, judgement.cells


def test_the_truth_itself_is_all_right() -> None:
    fields, cells = judged(TRUTH)
    assert fields == Count(truth=1, given=1, right=1, nulls=1, nulls_right=1)
    assert cells == Count(truth=3, given=3, right=3, nulls=1, nulls_right=1, rows=2, rows_given=2, rows_paired=2)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param({}, Count(truth=1, nulls=2, nulls_right=1), id="a null where a value is"),
        pytest.param({"name": "Bob"}, Count(truth=1, given=1, nulls=1, nulls_right=1), id="another value"),
        pytest.param({"name": "Ann", "total": 3}, Count(truth=1, given=2, right=1), id="a value where none is"),
        pytest.param(
            {"name": Malformed("An", "not_read_for_sure")},
            Count(truth=1, nulls=1, nulls_right=1),
            id="a reading that is no value is neither a value nor a null",
        ),
    ],
)
def test_fields(data: Any, expected: Count) -> None:
    assert judged(data)[0] == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([], Count(truth=3, rows=2), id="no row"),
        pytest.param(
            [{"item": "nut", "amount": None}],
            Count(truth=3, given=1, right=1, nulls=1, nulls_right=1, rows=2, rows_given=1, rows_paired=1),
            id="a missing row",
        ),
        pytest.param(
            [*reversed(TRUTH["lines"])],
            Count(truth=3, given=3, right=3, nulls=1, nulls_right=1, rows=2, rows_given=2, rows_paired=2),
            id="the order of rows does not count",
        ),
        pytest.param(
            [*TRUTH["lines"], {"item": "Subtotal", "amount": 9}],
            Count(truth=3, given=5, right=3, nulls=1, nulls_right=1, rows=2, rows_given=3, rows_paired=2),
            id="a row too many",
        ),
    ],
)
def test_tables(lines: Any, expected: Count) -> None:
    assert judged({"lines": lines})[1] == expected


def test_a_leaf_that_is_not_judged_says_nothing() -> None:
    assert judged({}, unsupported=("name", "total"))[0] == Count(truth=1)


def test_what_a_partial_ballot_lacks_says_nothing() -> None:
    assert judged({}, status=Status.PARTIAL)[0] == Count(truth=1)


def test_a_failed_ballot_gives_nothing() -> None:
    ballot = Ballot.failed("reader", "readers", Failure.TIMEOUT, "too slow")
    judgement = judge(SCHEMA, ballot, TRUTH)
    assert (judgement.fields.recall, judgement.fields.precision) == (0.0, None)
    assert judgement.cells == Count(truth=3, rows=2)
