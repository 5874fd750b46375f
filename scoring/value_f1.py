"""The metric ``value-f1``: precision, recall and F1 of cells, and of the words and pages cited for them.

Defined by ExtractBench. A cell is a scalar, or a list of scalars as a whole. Lists of records are paired one to one for
the most right cells, then for the most cells cited in the right box, then on the right page; as many pairs are made as
the shorter list has records. Missing is null, and null is a value like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from groundtruth.jsontext import Json
from scoring.cell_pairing import Places, pair_records_of
from scoring.cell_rows import NO_EVIDENCE, Cell, Plan, Reader, Record, accept, extra_addresses, plan_of
from scoring.field_evidence import FieldEvidence, Place
from scoring.grounding import boxes_agree, pages_agree
from scoring.shape import Shape, shape_of


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


@dataclass(slots=True)
class ValueF1:
    """The score of one document.

    Attributes:
        value: of the cells.
        word: of the boxes cited; None when the truth has no box.
        page: of the pages cited; None when the truth has no page.
        cells: every cell, paired as scored.
        extra: addresses at which the prediction states something that neither schema nor truth has.
    """

    value: Score = field(default_factory=Score)
    word: Score | None = None
    page: Score | None = None
    cells: list[CellVerdict] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)


def score(
    truth: Json,
    prediction: Json,
    schema: Json,
    *,
    evidence: Mapping[str, FieldEvidence] | None = None,
    citations: Mapping[str, tuple[Place, ...]] | None = None,
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
    known = evidence or {}
    plan = plan_of(shape, [truth])
    mine, other = Reader().record(truth, plan), Reader().record(prediction, plan)
    accept(mine, other, plan, known)
    scorer = _Scorer(known, citations or {})
    scorer.compare(mine, other, plan)
    found = scorer.found
    found.extra = [format_path(address) for address in extra_addresses(prediction, plan)]
    found.value.predicted += len(found.extra)
    if found.word is not None and not found.word.expected:
        found.word = None
    if found.page is not None and not found.page.expected:
        found.page = None
    return found


def _unwrapped(value: Json, shape: Shape) -> Json:
    """What stands in an object of ``value`` alone, unless the schema has such a field; anything but an object is {}."""
    if isinstance(value, dict) and set(value) == {"value"} and shape.child("value") is None:
        value = value["value"]
    return value if isinstance(value, dict) else {}


class _Scorer:
    def __init__(self, evidence: Mapping[str, FieldEvidence], citations: Mapping[str, tuple[Place, ...]]) -> None:
        self._places = Places(evidence, citations)
        self._evidence = evidence
        self._citations = citations
        self.found = ValueF1(word=Score(), page=Score())

    def compare(self, truth: Record, prediction: Record, plan: Plan) -> None:
        for cell, other in zip(truth.cells, prediction.cells, strict=True):
            self._add_pair(cell, other)
        for place, (_, inner) in enumerate(plan.lists):
            self._compare_lists(truth.lists[place], prediction.lists[place], inner)

    def _compare_lists(self, truth: Sequence[Record], prediction: Sequence[Record], plan: Plan) -> None:
        pairs = pair_records_of(truth, prediction, plan, self._places)
        for mine, other in pairs:
            self.compare(truth[mine], prediction[other], plan)
        for mine in _others(len(truth), (pair[0] for pair in pairs)):
            self._add_missing(truth[mine])
        for other in _others(len(prediction), (pair[1] for pair in pairs)):
            self._add_surplus(prediction[other])

    def _add_pair(self, truth: Cell, prediction: Cell) -> None:
        correct = truth.accepts(prediction)
        value = self.found.value
        value.expected += 1
        value.predicted += 1
        value.correct += correct
        word, page = self._ground(truth, prediction, correct=correct)
        self.found.cells.append(CellVerdict(truth, prediction, correct, word, page))

    def _ground(self, truth: Cell, prediction: Cell, *, correct: bool) -> tuple[bool | None, bool | None]:
        if not self._evidence:
            return None, None
        places = self._evidence.get(truth.address, NO_EVIDENCE).places
        if not places:
            return None, None
        cited = self._citations.get(prediction.address, ())
        has_boxes = any(place.box for place in places)
        page = _claim(self.found.page, claimed=bool(cited), right=correct and pages_agree(places, cited))
        if not has_boxes:
            return None, page
        claimed = any(place.box for place in cited)
        word = _claim(self.found.word, claimed=claimed, right=correct and boxes_agree(places, cited))
        return word, page

    def _add_missing(self, record: Record) -> None:
        for cell in _cells(record):
            self.found.value.expected += 1
            places = self._evidence.get(cell.address, NO_EVIDENCE).places
            if places and self.found.page is not None:
                self.found.page.expected += 1
            if any(place.box for place in places) and self.found.word is not None:
                self.found.word.expected += 1
            self.found.cells.append(CellVerdict(cell, None, correct=False))

    def _add_surplus(self, record: Record) -> None:
        for cell in _cells(record):
            self.found.value.predicted += 1
            self.found.cells.append(CellVerdict(None, cell, correct=False))


def _claim(score: Score | None, *, claimed: bool, right: bool) -> bool:
    if score is not None:
        score.expected += 1
        score.predicted += claimed
        score.correct += right
    return right


def _cells(record: Record) -> Iterator[Cell]:
    yield from record.cells
    for rows in record.lists:
        for row in rows:
            yield from _cells(row)


def _others(size: int, taken: Iterator[int]) -> list[int]:
    known = set(taken)
    return [index for index in range(size) if index not in known]
