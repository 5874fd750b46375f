"""Laws of both metrics on random documents, a brute-force optimum, and the published scorer of verdicts beside ours."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth.jsontext import Json
from scoring.field_evidence import read_citations, read_evidence
from scoring.result_json import address_text
from scoring.value_f1 import score
from scoring.verdicts import Verdict, judge

WORDS = ["alpha", "beta", "x1", "2024-01-05", "Jan 5, 2024", "12.50", "7", "N/A", "-", "", None, True, False, 3]
TEXT = {"type": ["string", "null"]}
SAMPLES = settings(max_examples=40)


def random_schema(chance: random.Random, depth: int = 0) -> Json:
    properties: dict[str, Json] = {}
    for number in range(chance.randint(1, 3)):
        kind = chance.random() if depth < 2 else 1.0
        if kind < 0.35:
            properties[f"f{number}"] = {"type": "array", "items": random_schema(chance, depth + 1)}
        elif kind < 0.45:
            properties[f"f{number}"] = {"type": "array", "items": TEXT}
        elif kind < 0.55:
            properties[f"f{number}"] = random_schema(chance, depth + 1)
        else:
            properties[f"f{number}"] = TEXT
    return {"type": "object", "properties": properties}


def random_document(schema: Json, chance: random.Random) -> Json:
    if schema["type"] == "object":
        return {name: random_document(below, chance) for name, below in schema["properties"].items()}
    if schema["type"] == "array":
        return [random_document(schema["items"], chance) for _ in range(chance.randint(0, 4))]
    return chance.choice(WORDS)


def damaged(value: Json, chance: random.Random) -> Json:
    """A document with values misread, rows lost, repeated and moved, and fields invented."""
    if isinstance(value, dict):
        found = {name: damaged(below, chance) for name, below in value.items() if chance.random() < 0.93}
        return {**found, "zz": chance.choice(WORDS)} if chance.random() < 0.05 else found
    if isinstance(value, list):
        items = [damaged(item, chance) for item in value if chance.random() < 0.9]
        if value and chance.random() < 0.15:
            items.append(damaged(chance.choice(value), chance))
        chance.shuffle(items)
        return items
    return chance.choice(WORDS) if chance.random() < 0.2 else value


def shuffled(value: Json, chance: random.Random) -> Json:
    """The same document with rows and keys in another order; lists of scalars keep theirs."""
    if isinstance(value, dict):
        items = [(name, shuffled(below, chance)) for name, below in value.items()]
        chance.shuffle(items)
        return dict(items)
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        items = [shuffled(item, chance) for item in value]
        chance.shuffle(items)
        return items
    return value


CASES = st.integers(0, 10**6).map(random.Random)


def drawn(chance: random.Random) -> tuple[Json, Json, Json]:
    schema = random_schema(chance)
    truth = random_document(schema, chance)
    return schema, truth, damaged(truth, chance)


def verdict_counts(truth: Json, answer: Json, schema: Json) -> dict[Verdict, int]:
    return dict(judge(truth, answer, schema).counts)


def value_counts(truth: Json, answer: Json, schema: Json) -> tuple[int, int, int]:
    value = score(truth, answer, schema).value
    return value.correct, value.predicted, value.expected


METRICS = pytest.mark.parametrize("counts", [verdict_counts, value_counts], ids=["verdicts", "value-f1"])
Counts = Callable[[Json, Json, Json], Any]


@SAMPLES
@given(chance=CASES)
def test_a_truth_against_itself_is_perfect(chance: random.Random) -> None:
    schema, truth, _ = drawn(chance)
    assert judge(truth, truth, schema).accuracy in (1.0, None)
    assert score(truth, truth, schema).value.f1 == 1.0 or score(truth, truth, schema).value.is_vacuous


@METRICS
@SAMPLES
@given(chance=CASES)
def test_the_order_of_rows_and_keys_changes_nothing(counts: Counts, chance: random.Random) -> None:
    schema, truth, answer = drawn(chance)
    expected = counts(truth, answer, schema)
    assert counts(shuffled(truth, chance), answer, schema) == expected
    assert counts(truth, shuffled(answer, chance), schema) == expected


@METRICS
@SAMPLES
@given(chance=CASES)
def test_wrapping_a_document_one_level_deeper_changes_nothing(counts: Counts, chance: random.Random) -> None:
    schema, truth, answer = drawn(chance)
    deeper = {"type": "object", "properties": {"inside": schema}}
    assert counts({"inside": truth}, {"inside": answer}, deeper) == counts(truth, answer, schema)


def scalar_places(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict):
        for name, below in value.items():
            yield from scalar_places(below, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from scalar_places(item, (*path, index))
    else:
        yield path


def replaced(value: Json, path: tuple[str | int, ...], scalar: Json) -> Json:
    if not path:
        return scalar
    if isinstance(value, dict):
        return {**value, path[0]: replaced(value[path[0]], path[1:], scalar)}
    return [replaced(item, path[1:], scalar) if index == path[0] else item for index, item in enumerate(value)]


def at(value: Json, path: tuple[str | int, ...]) -> Json:
    for step in path:
        value = value[step]
    return value


@SAMPLES
@given(chance=CASES)
def test_correcting_one_value_never_lowers_a_score(chance: random.Random) -> None:
    schema, truth, _ = drawn(chance)
    places = list(scalar_places(truth))
    if not places:
        return
    # Wrong values in their places only, so that the right value of each is known.
    answer = truth
    for place in places:
        if chance.random() < 0.4:
            answer = replaced(answer, place, f"wrong {chance.randint(0, 3)}")
    place = chance.choice(places)
    better = replaced(answer, place, at(truth, place))
    assert (judge(truth, better, schema).accuracy or 0) >= (judge(truth, answer, schema).accuracy or 0)
    assert score(truth, better, schema).value.f1 >= score(truth, answer, schema).value.f1


@SAMPLES
@given(chance=CASES)
def test_verdicts_part_all_addresses(chance: random.Random) -> None:
    schema, truth, answer = drawn(chance)
    found = judge(truth, answer, schema)
    addresses = [address_text(one.address) for one in found.judged]
    assert len(set(addresses)) == len(addresses)
    assert found.counts.total() == len(addresses)


NESTED = {
    "type": "object",
    "properties": {
        "l": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "a": TEXT,
                    "b": TEXT,
                    "k": {"type": "array", "items": {"type": "object", "properties": {"c": TEXT, "d": TEXT}}},
                },
            },
        }
    },
}


def nested_rows(chance: random.Random) -> list[Json]:
    return [
        {
            "a": chance.choice("xy"),
            "b": chance.choice(["x", "y", None]),
            "k": [{"c": chance.choice("xyz"), "d": chance.choice("xy")} for _ in range(chance.randint(0, 2))],
        }
        for _ in range(chance.randint(1, 4))
    ]


def best(left: list[Json], right: list[Json], agreement: Callable[[Json, Json], int]) -> int:
    """The greatest sum of agreements over all ways to pair two short lists."""
    if len(left) > len(right):
        return best(right, left, lambda one, other: agreement(other, one))
    return max(
        sum(agreement(one, right[index]) for one, index in zip(left, order, strict=True))
        for order in permutations(range(len(right)), len(left))
    )


@settings(max_examples=80)
@given(chance=CASES)
def test_right_cells_are_as_many_as_brute_force_finds(chance: random.Random) -> None:
    def cells(one: Json, other: Json) -> int:
        return sum(one[name] == other[name] for name in one if name != "k")

    def records(one: Json, other: Json) -> int:
        return cells(one, other) + best(one["k"], other["k"], cells)

    left, right = nested_rows(chance), nested_rows(chance)
    assert score({"l": left}, {"l": right}, NESTED).value.correct == best(left, right, records)


@settings(max_examples=80)
@given(chance=CASES)
def test_matched_addresses_are_as_many_as_brute_force_finds(chance: random.Random) -> None:
    def values(one: Json, other: Json) -> int:
        return sum(one[name] == other[name] for name in one if name != "k" and one[name] is not None)

    def elements(one: Json, other: Json) -> int:
        return values(one, other) + best(one["k"], other["k"], values)

    left, right = nested_rows(chance), nested_rows(chance)
    found = judge({"l": left}, {"l": right}, NESTED)
    assert found.counts[Verdict.MATCHED] == best(left, right, elements)


@settings(max_examples=80)
@given(chance=CASES)
def test_verdicts_are_those_of_the_published_scorer(chance: random.Random) -> None:
    omni_extract_bench = pytest.importorskip("omni_extract_bench")
    schema, truth, answer = drawn(chance)
    theirs, ours = omni_extract_bench.score(answer, truth, schema), judge(truth, answer, schema)
    for kind in (Verdict.MATCHED, Verdict.MISREAD, Verdict.UNFOUND):
        assert ours.counts[kind] == theirs[str(kind)], kind
    # Between pairings that are worth the same, which extra element is left over is for each scorer to choose.
    invented = (Verdict.FABRICATED, Verdict.INVENTED_ITEM, Verdict.INVENTED_FIELD)
    assert sum(ours.counts[kind] for kind in invented) == sum(theirs[str(kind)] for kind in invented)
    for name in ("accuracy", "precision", "recall"):
        assert (getattr(ours, name) or 0.0) == theirs[name], name


def grounding(truth: list[Json], answer: list[Json], schema: Json) -> list[tuple[int, int, int] | None]:
    """The counts of values, words and pages of two lists of rows; a cell is its value, and where that stands."""
    sides = []
    for rows in (truth, answer):
        cited: dict[str, list[Json]] = {}

        def plain(value: Json, path: str, cited: dict[str, list[Json]] = cited) -> Json:
            if isinstance(value, tuple):
                cited[path] = value[1]
                return value[0]
            if isinstance(value, list):
                return [plain(item, f"{path}[{index}]", cited) for index, item in enumerate(value)]
            return {name: plain(item, f"{path}.{name}", cited) for name, item in value.items()}

        sides.append(({"l": plain(rows, "l", cited)}, cited))
    (document, evidence), (prediction, cited) = sides
    citations = [{"field_path": path, **place} for path, places in cited.items() for place in places]
    found = score(document, prediction, schema, evidence=read_evidence(evidence), citations=read_citations(citations))
    scores = (found.value, found.word, found.page)
    return [None if one is None else (one.correct, one.predicted, one.expected) for one in scores]


def placed_rows(chance: random.Random, *, nested: bool) -> list[Json]:
    """Rows of which many are equal, and of these many stand at different places."""

    def cell() -> tuple[Json, list[Json]]:
        boxes = ([0.1, 0.1, 0.2, 0.2], [0.5, 0.5, 0.2, 0.2], None)
        places = [
            {"page": chance.randint(1, 2), "bbox": chance.choice(boxes)} for _ in range(chance.choice([0, 1, 1, 2]))
        ]
        return chance.choice(["x", "y", None]), places

    rows: list[Json] = [{"a": cell(), "b": cell()} for _ in range(chance.randint(1, 5))]
    return [{**row, "k": [{"c": cell()} for _ in range(chance.randint(0, 2))]} for row in rows] if nested else rows


@pytest.mark.parametrize("small", [400, 0], ids=["weighed one by one", "by codes"])
@pytest.mark.parametrize("nested", [False, True], ids=["flat", "nested"])
@settings(max_examples=15)
@given(chance=CASES)
def test_the_order_of_rows_changes_no_grounding(nested: bool, small: int, chance: random.Random) -> None:
    truth, answer = placed_rows(chance, nested=nested), placed_rows(chance, nested=nested)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("scoring.cell_pairing._SMALL", small)
        expected = grounding(truth, answer, NESTED)
        assert grounding(shuffled(truth, chance), shuffled(answer, chance), NESTED) == expected
