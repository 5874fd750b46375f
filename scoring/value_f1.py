"""The metric ``value-f1``: precision, recall and F1 of cells, and of the words and pages cited for them.

Defined by ExtractBench. A cell is a scalar, or a list of scalars as a whole. Lists of records are paired one to one for
the most right cells, then for the most cells cited in the right box, then on the right page; as many pairs are made as
the shorter list has records. Missing is null, and null is a value like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundtruth.jsontext import Json
from scoring.cell_pairing import Worths, pair_records_of
from scoring.cell_rows import Cell, Plan, Record, accept, extra_addresses, plan_of, read_records
from scoring.field_evidence import FieldEvidence, KnownFields
from scoring.grounding import grounds_of
from scoring.pairing import others
from scoring.places import NOWHERE, Place, Places
from scoring.shape import Shape, shape_of

_UNSAID: Final = -1
"""In an array of what is right: there is nothing to compare."""
_SAID: Final = {_UNSAID: None, 0: False, 1: True}


@dataclass(slots=True)
class Score:
    """Counts of cells, and what follows from them.

    Attributes:
        correct: right cells.
        predicted: cells that the prediction answers for.
        expected: cells that the truth has.
    """

    correct: int = 0
    predicted: int = 0
    expected: int = 0

    @property
    def is_vacuous(self) -> bool:
        """Whether there is nothing to score."""
        return not (self.predicted or self.expected)

    @property
    def precision(self) -> float:
        """Right cells of the predicted ones; 0 when there are none."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Right cells of the expected ones; 0 when there are none."""
        return self.correct / self.expected if self.expected else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 when both are."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


class CellVerdict(NamedTuple):
    """What became of one cell; the side that does not have it is None.

    Attributes:
        truth: the cell of the truth.
        prediction: the cell of the prediction.
        correct: whether its value is right.
        word: whether a box cited for it is right; None where there is nothing to compare.
        page: the same of pages.
    """

    truth: Cell | None
    prediction: Cell | None
    correct: bool
    word: bool | None = None
    page: bool | None = None


class Outcome(NamedTuple):
    """What became of the cells of one record, or of two that are scored against each other.

    Attributes:
        truth: the record of the truth; None for one that the prediction alone has.
        prediction: the record of the prediction; None for one that it lacks.
        right: of each cell whether its value is right; empty when a side is missing.
        grounds: cells × 2, whether a box and whether a page cited for it is right; 1, 0, or -1 where there is nothing
            to compare; None when that is everywhere.
    """

    truth: Record | None
    prediction: Record | None
    right: Sequence[bool] = ()
    grounds: NDArray[np.int8] | None = None

    def cells(self) -> Iterator[CellVerdict]:
        """The cells one by one, in the order of their plan."""
        if self.truth is None or self.prediction is None:
            for cell in self.truth.cells if self.truth else ():
                yield CellVerdict(cell, None, correct=False)
            for cell in self.prediction.cells if self.prediction else ():
                yield CellVerdict(None, cell, correct=False)
            return
        grounds = repeat((_UNSAID, _UNSAID)) if self.grounds is None else self.grounds.tolist()
        for mine, other, right, (word, page) in zip(
            self.truth.cells, self.prediction.cells, self.right, grounds, strict=False
        ):
            yield CellVerdict(mine, other, right, _SAID[word], _SAID[page])


@dataclass(slots=True)
class ValueF1:
    """The score of one document.

    Attributes:
        value: of the cells.
        word: of the boxes cited; None when the truth has no box.
        page: of the pages cited; None when the truth has no page.
        outcomes: every cell, paired as scored, a record at a time.
        extra: addresses at which the prediction states something that neither schema nor truth has.
    """

    value: Score = field(default_factory=Score)
    word: Score | None = None
    page: Score | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)

    @property
    def cells(self) -> Iterator[CellVerdict]:
        """Every cell, paired as scored."""
        for outcome in self.outcomes:
            yield from outcome.cells()


def score(
    truth: Json,
    prediction: Json,
    schema: Json,
    *,
    evidence: Mapping[str, FieldEvidence] | None = None,
    citations: Mapping[str, Sequence[Place]] | None = None,
) -> ValueF1:
    """Score a prediction.

    Args:
        truth: a JSON object.
        prediction: what a system returned; anything but an object states nothing.
        schema: the JSON Schema.
        evidence: what is known of the truth by address, with the truth's indices.
        citations: what the prediction cites by address, with its own indices.

    Raises:
        SchemaError: the schema is unusable.
        WorkLimitExceeded: lists that resemble one another too much to be paired; see ``pair_records``.
    """
    from groundtruth.path import format_path

    shape = shape_of(schema)
    truth, prediction = _unwrapped(truth, shape), _unwrapped(prediction, shape)
    known, cited = KnownFields.of(evidence or {}), Places.of(citations or {})
    plan = plan_of(shape, [truth])
    mine, other = read_records([truth, prediction], plan)
    accept(mine, other, plan, known)
    scorer = _Scorer(known.places, cited)
    scorer.compare(mine, other, plan)
    found = scorer.found
    if known.places:
        _add_grounds(found, known.places, cited)
    found.extra = [format_path(address) for address in extra_addresses(prediction, plan)]
    found.value.predicted += len(found.extra)
    return found


def _unwrapped(value: Json, shape: Shape) -> Json:
    """What stands in an object of ``value`` alone, unless the schema has such a field; anything but an object is {}."""
    if isinstance(value, dict) and set(value) == {"value"} and shape.child("value") is None:
        value = value["value"]
    return value if isinstance(value, dict) else {}


class _Scorer:
    """Pairs records and counts right values."""

    def __init__(self, truth: Places, cited: Places) -> None:
        self._worths = Worths(truth, cited)
        self.found = ValueF1()

    def compare(self, truth: Record, prediction: Record, plan: Plan) -> None:
        right = truth.right(prediction)
        value = self.found.value
        value.expected += len(right)
        value.predicted += len(right)
        value.correct += sum(right)
        self.found.outcomes.append(Outcome(truth, prediction, right))
        for place, (_, inner) in enumerate(plan.lists):
            self._compare_lists(truth.lists[place], prediction.lists[place], inner)

    def _compare_lists(self, truth: Sequence[Record], prediction: Sequence[Record], plan: Plan) -> None:
        pairs = pair_records_of(truth, prediction, plan, self._worths)
        for mine, other in pairs:
            self.compare(truth[mine], prediction[other], plan)
        for mine in others(len(truth), (pair[0] for pair in pairs)):
            for one in _with_nested(truth[mine]):
                self.found.value.expected += len(one.keys)
                self.found.outcomes.append(Outcome(one, None))
        for other in others(len(prediction), (pair[1] for pair in pairs)):
            for one in _with_nested(prediction[other]):
                self.found.value.predicted += len(one.keys)
                self.found.outcomes.append(Outcome(None, one))


def _with_nested(record: Record) -> Iterator[Record]:
    yield record
    for rows in record.lists:
        for row in rows:
            yield from _with_nested(row)


def _add_grounds(found: ValueF1, truth: Places, cited: Places) -> None:
    """Say of all cells at once whether their boxes and pages are right, and count them."""
    compared = [(at, one) for at, one in enumerate(found.outcomes) if one.truth and one.prediction]
    stated = truth.find(_addresses(one.truth for _, one in compared))
    said = cited.find(_addresses(one.prediction for _, one in compared))
    right = np.fromiter(chain.from_iterable(one.right for _, one in compared), dtype=np.bool_)
    missing = truth.find(_addresses(one.truth for one in found.outcomes if not one.prediction))
    grounds = grounds_of(truth, stated, cited, said)
    columns = [
        ("word", grounds.word, truth.boxed(stated), cited.boxed(said), truth.boxed(missing)),
        ("page", grounds.page, stated != NOWHERE, said != NOWHERE, missing != NOWHERE),
    ]
    cells = np.full((stated.size, len(columns)), _UNSAID, dtype=np.int8)
    for column, (name, agree, expected, claimed, missed) in enumerate(columns):
        correct = right & agree & expected
        cells[expected, column] = correct[expected]
        score = Score(int(correct.sum()), int((expected & claimed).sum()), int(expected.sum() + missed.sum()))
        setattr(found, name, score if score.expected else None)
    start = 0
    for at, one in compared:
        stop = start + len(one.right)
        found.outcomes[at] = one._replace(grounds=cells[start:stop])
        start = stop


def _addresses(records: Iterable[Record | None]) -> Iterator[str]:
    return chain.from_iterable(record.addresses for record in records if record is not None)
