"""Rows of long lists: what is written alike is not read, and nothing else changes by that."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth.assignment import pair_records
from groundtruth.jsontext import Json
from scoring.pairing import column_codes
from scoring.shape import shape_of
from scoring.verdict_rows import Pairing
from scoring.verdict_tree import Element, Reader, keys_of
from scoring.verdicts import Together, Verdict, judge

NAMES = ("a", "b", "c")
SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "rows": {"type": "array", "items": {"type": "object", "properties": {name: {} for name in NAMES}}},
    },
}
# Few values, some of them one value in two spellings, so that rows are alike in all ways that there are.
VALUES: list[Json] = ["x", "X", "y", "Y.", "1", 1, True, "true", Decimal("1.0"), Decimal("1.00"), "", "  ", None, "2"]
CASES = st.integers(0, 2**32).map(random.Random)


def rows_of(chance: random.Random) -> list[dict[str, Json]]:
    names = [*NAMES, *NAMES, *NAMES, "undeclared"]
    return [
        {name: chance.choice(VALUES) for name in chance.sample(names, chance.randrange(5))}
        for _ in range(chance.randrange(9))
    ]


def elements(rows: Json, reader: Reader | None = None) -> list[Element]:
    root = (reader or Reader()).read({"rows": rows}, shape_of(SCHEMA))
    return list(root.lists.get(("rows",), {}).values())


@given(CASES)
def test_a_flat_element_says_what_it_holds_before_and_after_it_is_read(chance: random.Random) -> None:
    rows = rows_of(chance)
    unread, read = elements(rows), elements(rows)
    for element in read:
        assert element.scalars is not None
    assert [one.stated for one in unread] == [len(one.scalars) for one in read]
    for name in (*NAMES, "undeclared"):
        assert keys_of(unread, (name,)) == keys_of(read, (name,))
        assert keys_of(read, (name,)) == [each.key if (each := one.scalars.get((name,))) else None for one in read]
    assert all(one.is_object for one in unread)


@given(CASES)
@settings(max_examples=50)
def test_rows_that_are_written_alike_are_paired_as_if_all_were_read(chance: random.Random) -> None:
    truth, prediction = rows_of(chance), rows_of(chance)
    lefts, rights = elements(truth), elements(prediction)
    names = sorted({column for one in (*lefts, *rights) for column in one.scalars})
    codes = [column_codes(keys_of(lefts, name), keys_of(rights, name)) for name in names]
    expected = []
    if codes and lefts and rights:
        left, right = (np.column_stack([code[side] for code in codes]) for side in range(2))
        expected = pair_records(left, right, presence=(left >= 0, right >= 0))
    if lefts and rights:
        assert sorted(Pairing()._pair_many(elements(truth), elements(prediction), ("rows",))) == expected


@given(CASES)
def test_counts_are_those_of_the_verdicts(chance: random.Random) -> None:
    found = judge({"rows": rows_of(chance)}, {"rows": rows_of(chance)}, SCHEMA)
    counts = {kind: count for kind, count in found.counts.items() if count}
    assert counts == Counter(one.verdict for one in found.judged)


def test_most_rows_of_a_long_list_are_never_read() -> None:
    rows: list[Any] = [{"a": f"row {at}", "b": f"city {at % 40}", "c": "open"} for at in range(500)]
    other = [dict(row) for row in rows]
    other[7]["b"] = "city 999"
    random.Random(1).shuffle(other)
    found = judge({"rows": rows}, {"rows": other}, SCHEMA)
    together = [one for one in found.outcomes if isinstance(one, Together)]
    assert (found.counts.total(), found.accuracy) == (1500, 1499 / 1500)
    assert sum(one.truth._scalars is not None for one in together) <= 2


@pytest.mark.parametrize(
    ("truth", "prediction", "right"),
    [
        pytest.param({"a": True}, {"a": 1}, 0, id="true is not 1"),
        pytest.param({"a": Decimal("1.0")}, {"a": 1}, 1, id="1.0 is 1"),
        pytest.param({"a": "x", "b": "1"}, {"b": "1", "a": "x"}, 2, id="another order of keys"),
        pytest.param({"a": "x", "b": None}, {"a": "x"}, 1, id="null is nothing"),
        pytest.param({"a": {"value": "x", "page": 1}}, {"a": "x"}, 1, id="an envelope in a row"),
    ],
)
def test_rows_of_a_long_list_are_equal_by_their_keys(truth: Json, prediction: Json, right: int) -> None:
    more = [{"a": f"row {at}", "b": str(at)} for at in range(30)]
    found = judge({"rows": [*more, truth]}, {"rows": [prediction, *more]}, SCHEMA)
    assert found.counts["matched"] == 60 + right  # type: ignore[index]


ORDERED: dict[str, Json] = {
    "type": "object",
    "properties": {
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"a": {}, "tags": {"type": "array", "items": {}}}},
        },
    },
}


def tagged_rows(chance: random.Random) -> list[dict[str, Json]]:
    return [
        {"a": chance.choice(["x", None]), "tags": [chance.choice("uvw") for _ in range(chance.randrange(4))]}
        for _ in range(1 + chance.randrange(5))
    ]


@given(CASES)
@settings(max_examples=30)
def test_lists_in_which_order_matters_are_paired_in_long_lists_as_in_short_ones(chance: random.Random) -> None:
    truth, prediction = tagged_rows(chance), tagged_rows(chance)
    shuffled = chance.sample(truth, len(truth))
    found = []
    for small, rows in ((400, truth), (0, truth), (0, shuffled)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("scoring.verdict_rows._SMALL", small)
            verdicts = judge({"rows": rows}, {"rows": prediction}, ORDERED, order_matters=["tags"])
        found.append([verdicts.counts[kind] for kind in (Verdict.MATCHED, Verdict.MISREAD, Verdict.UNFOUND)])
    assert found[0] == found[1] == found[2]


def test_a_long_list_tells_rows_apart_by_the_order_of_a_list_in_them() -> None:
    filler: list[Json] = [{"a": f"row {at}", "tags": [str(at)]} for at in range(30)]
    truth = [{"tags": ["u", "v"]}, *filler]
    prediction = [*filler, {"tags": ["v", "u"]}, {"tags": ["u", "w"]}]
    found = judge({"rows": truth}, {"rows": prediction}, ORDERED, order_matters=["tags"])
    assert found.counts[Verdict.MATCHED] == 61
