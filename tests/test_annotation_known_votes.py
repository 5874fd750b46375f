"""Real readings found again in a truth, and the places that a truth has."""

from __future__ import annotations

from typing import Any

from annotation.known_votes import places_of_truth, readings_of_truth
from builders import ballots
from consensus.vote import vote
from groundtruth.evidence import Kind
from groundtruth.path import format_path
from groundtruth.truth import TruthEvidence
from known_builders import SCHEMA

TRUTH: dict[str, Any] = {
    "number": "AB-1",
    "issued": None,
    "tags": [],
    "rows": [{"sku": f"K{at}", "amount": 100 + at, "kind": "SH", "remark": None} for at in range(4)],
}


def entry(kind: Kind, y: float, height: float = 0.02, page: int = 1) -> TruthEvidence:
    return TruthEvidence(page, (0.1, y, 0.2, height), None, "q", kind=kind)


def found(*readings: dict[str, Any]) -> dict[str, list[Any]]:
    consensus = vote(SCHEMA, ballots(readings))
    read = readings_of_truth(SCHEMA, TRUTH, consensus)
    return {format_path(path): [each.value for each in classes] for path, classes in read.items()}


def reading(*rows: int, **amounts: int) -> dict[str, Any]:
    """The truth with these rows, and other amounts by article."""
    kept = [TRUTH["rows"][at] for at in rows]
    return {**TRUTH, "rows": [{**row, "amount": amounts.get(row["sku"], row["amount"])} for row in kept]}


def test_readings_are_found_under_the_rows_that_the_truth_has() -> None:
    short, wrong = reading(1, 2, 3), reading(1, 2, 3, K2=777)
    assert found(short, short, wrong) == {"rows[2].amount": [102, 777]}


def test_a_leaf_that_nobody_reads_rightly_is_left_out() -> None:
    assert found(reading(1, K1=5), reading(1, K1=6), reading(1, K1=7)) == {}


def test_what_all_read_alike_is_left_out() -> None:
    assert found(reading(0, 1), reading(0, 1), reading(0, 1)) == {}


def test_a_row_that_the_truth_does_not_have_is_left_out() -> None:
    other = {"sku": "X9", "amount": 1, "kind": "PRN", "remark": "none of it"}
    readings = [{**TRUTH, "rows": [{**other, "amount": amount}]} for amount in (1, 1, 2)]
    assert found(*readings) == {}


def test_lines_inside_a_hull_are_one_place_and_ink_repeats_a_line() -> None:
    places = places_of_truth(
        [
            entry(Kind.LINE, 0.1),
            entry(Kind.LINE, 0.13),
            entry(Kind.HULL, 0.1, 0.05),
            entry(Kind.LINE, 0.5),
            entry(Kind.INK, 0.505, 0.01),
            entry(Kind.LINE, 0.1, page=2),
        ]
    )
    assert sorted((place.page, len(place.boxes)) for place in places) == [(1, 1), (1, 2), (2, 1)]


def test_a_place_without_a_box_is_none() -> None:
    assert places_of_truth([TruthEvidence(1, None, None, "q")]) == ()
