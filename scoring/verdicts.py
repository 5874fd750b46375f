"""The metric ``verdicts``: one of six verdicts on every address of truth and prediction.

Defined by OmniExtractBench. Arrays are sets: their elements are paired one to one for the greatest number of equal
values, then for the greatest number of common addresses; elements that have no value in common are never paired. Row
order, key order and spelling that the equality of ``verdict_keys`` folds change nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from groundtruth.errors import GoldleafError
from groundtruth.jsontext import Json
from scoring.shape import shape_of
from scoring.verdict_rows import Pairing, texts_of
from scoring.verdict_tree import ELEMENT, Element, Names, Reader, Scalar


class Verdict(StrEnum):
    """What became of an address."""

    MATCHED = "matched"
    MISREAD = "misread"
    UNFOUND = "unfound"
    FABRICATED = "fabricated"
    INVENTED_ITEM = "invented_item"
    INVENTED_FIELD = "invented_field"


class Why(StrEnum):
    """The reason of a verdict."""

    AS_WRITTEN = "as_written"
    """The two values are written alike."""
    AS_READ = "as_read"
    """The two values differ as written and are equal once read."""
    DIFFERENT = "different"
    """The two values differ once read."""
    NO_ANSWER = "no_answer"
    """The prediction states nothing here."""
    ROW_NOT_FOUND = "row_not_found"
    """No element of the prediction was paired with this one."""
    TRUTH_IS_BLANK = "truth_is_blank"
    """The schema has this field and the truth states nothing here."""
    EXTRA_ROW = "extra_row"
    """No element of the truth was paired with this one."""
    UNDECLARED = "undeclared"
    """The schema has no scalar here."""


class Unpaired(int):
    """The index of an element of the prediction that no element of the truth was paired with."""

    __slots__ = ()


Address = tuple[str | int, ...]
"""Names, indices of the truth, and ``Unpaired`` indices of the prediction."""


class Judged(NamedTuple):
    """The verdict on one address; a side that states nothing there is None."""

    address: Address
    verdict: Verdict
    why: Why
    truth: Scalar | None
    prediction: Scalar | None


class Together(NamedTuple):
    """Two elements that stand for one another, those of a long list in their thousands."""

    address: Address
    truth: Element
    prediction: Element

    def judged(self) -> Iterator[Judged]:
        """The verdicts on their scalars."""
        stated = self.prediction.scalars
        for names, scalar in self.truth.scalars.items():
            other, address = stated.get(names), (*self.address, *names)
            if other is None:
                yield Judged(address, Verdict.UNFOUND, Why.NO_ANSWER, scalar, None)
            elif other.key == scalar.key:
                yield _matched(address, scalar, other)
            else:
                yield Judged(address, Verdict.MISREAD, Why.DIFFERENT, scalar, other)
        for names, scalar in stated.items():
            if names not in self.truth.scalars:
                yield _extra(self.prediction, names, scalar, self.address)

    def add_to(self, counts: Counter[Verdict]) -> None:
        """Add what ``judged`` would give, without reading what is written alike."""
        differing = self.truth.written_otherwise(self.prediction)
        if differing is None:
            counts.update(one.verdict for one in self.judged())
            return
        counts[Verdict.MATCHED] += self.truth.stated
        for names in differing:
            mine, other = self.truth.key(names), self.prediction.key(names)
            counts[Verdict.MATCHED] -= mine is not None
            if mine is not None:
                counts[Verdict.UNFOUND if other is None else Verdict.MATCHED if mine == other else Verdict.MISREAD] += 1
            elif other is not None:
                counts[_extra(self.prediction, names, self.prediction.scalars[names], self.address).verdict] += 1


@dataclass(frozen=True, slots=True)
class Verdicts:
    """All verdicts on one document.

    Attributes:
        outcomes: what became of every address, those of two elements together.
        skipped: the open maps that were not judged, as names and ``[]``.
        truth_rows: elements of the truth that are objects, at every depth.
        predicted_rows: those of the prediction.
        paired_rows: those that were paired.
    """

    outcomes: Sequence[Judged | Together]
    skipped: tuple[Names, ...] = ()
    truth_rows: int = 0
    predicted_rows: int = 0
    paired_rows: int = 0
    counts: Counter[Verdict] = field(init=False)

    def __post_init__(self) -> None:
        counts = Counter(one.verdict for one in self.outcomes if isinstance(one, Judged))
        for one in self.outcomes:
            if isinstance(one, Together):
                one.add_to(counts)
        object.__setattr__(self, "counts", counts)

    @property
    def judged(self) -> Iterator[Judged]:
        """One record per address."""
        for one in self.outcomes:
            if isinstance(one, Together):
                yield from one.judged()
            else:
                yield one

    @property
    def addresses(self) -> int:
        """How many addresses were judged."""
        return self.counts.total()

    @property
    def accuracy(self) -> float | None:
        """Matched addresses of all; None when neither side states anything."""
        return _ratio(self.counts[Verdict.MATCHED], self.addresses)

    @property
    def precision(self) -> float | None:
        """Matched addresses of those that the prediction states; None when it states nothing."""
        return _ratio(self.counts[Verdict.MATCHED], self.addresses - self.counts[Verdict.UNFOUND])

    @property
    def recall(self) -> float | None:
        """Matched addresses of those that the truth states; None when it states nothing."""
        stated = sum(self.counts[kind] for kind in (Verdict.MATCHED, Verdict.MISREAD, Verdict.UNFOUND))
        return _ratio(self.counts[Verdict.MATCHED], stated)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def judge(
    truth: Json,
    prediction: Json,
    schema: Json,
    *,
    order_matters: Sequence[str] = (),
    ignore_unknown_arrays: bool = False,
) -> Verdicts:
    """The verdicts on a prediction.

    Args:
        truth: a JSON object, or None for a document that states nothing.
        prediction: what a system returned; anything but an object states nothing.
        schema: the JSON Schema.
        order_matters: arrays whose elements are compared by their position, as ``items`` or ``orders[].items``.
        ignore_unknown_arrays: pass over a name in ``order_matters`` that no array of these documents has, as one of
            many documents may lack what others have.

    Raises:
        SchemaError: the schema is unusable.
        GoldleafError: a truth that is no object, or a name in ``order_matters`` that no array has.
    """
    if truth is not None and not isinstance(truth, dict):
        raise GoldleafError(f"a truth is a JSON object, not {type(truth).__name__}")
    shape = shape_of(schema)
    reader = Reader()
    truth_root = reader.read(truth or {}, shape)
    other = Reader(keeps=reader.places, texts=reader.texts)
    predicted_root = other.read(prediction if isinstance(prediction, dict) else {}, shape)
    arrays = [*_arrays(truth_root, ()), *_arrays(predicted_root, ())]
    walk = _Walk(Pairing.where_order_matters(order_matters, arrays, ignore_unknown=ignore_unknown_arrays))
    walk.compare(truth_root, predicted_root, (), ())
    return Verdicts(
        walk.outcomes,
        tuple(sorted(reader.skipped | other.skipped)),
        _rows(truth_root),
        _rows(predicted_root),
        walk.paired,
    )


def array_texts(document: Json, schema: Json) -> set[str]:
    """How the arrays of a document may be named in ``order_matters``: by their paths, and by their last names.

    Raises:
        SchemaError: the schema is unusable.
    """
    shape = shape_of(schema)
    root = Reader().read(document if isinstance(document, dict) else {}, shape)
    return {text for place in _arrays(root, ()) for text in texts_of(place)}


def _arrays(element: Element, place: Names) -> Iterator[Names]:
    for names, elements in element.lists.items():
        here = (*place, *names)
        yield here
        for each in elements.values():
            yield from _arrays(each, (*here, ELEMENT))


def _rows(element: Element) -> int:
    return sum(each.is_object + _rows(each) for elements in element.lists.values() for each in elements.values())


class _Walk:
    """Collects the verdicts while truth and prediction are walked together."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        self.outcomes: list[Judged | Together] = []
        self.paired = 0

    def compare(self, truth: Element, prediction: Element, address: Address, place: Names) -> None:
        """Judge two elements that stand for one another."""
        self.outcomes.append(Together(address, truth, prediction))
        if not truth.lists and not prediction.lists:
            return
        for names in dict.fromkeys([*truth.lists, *prediction.lists]):
            self._compare_lists(
                truth.lists.get(names, {}), prediction.lists.get(names, {}), (*address, *names), (*place, *names)
            )

    def _compare_lists(
        self, truth: dict[int, Element], prediction: dict[int, Element], address: Address, place: Names
    ) -> None:
        inside = (*place, ELEMENT)
        pairs = self._pairing.pairs(truth, prediction, place) if truth and prediction else []
        # Where there is nothing to pair, or position decides, an extra element keeps its index.
        keeps_index = not truth or place in self._pairing.ordered
        unpaired = {index: index if keeps_index else Unpaired(index) for index in prediction}
        for mine, other in pairs:
            del unpaired[other]
            self.paired += truth[mine].is_object and prediction[other].is_object
            self.compare(truth[mine], prediction[other], (*address, mine), inside)
        paired = {mine for mine, _ in pairs}
        for mine in (index for index in truth if index not in paired):
            self._add_unfound(truth[mine], (*address, mine))
        for other, index in unpaired.items():
            self._add_extras(prediction[other], (*address, index))

    def _add_unfound(self, element: Element, address: Address) -> None:
        for names, scalar in element.scalars.items():
            self.outcomes.append(Judged((*address, *names), Verdict.UNFOUND, Why.ROW_NOT_FOUND, scalar, None))
        for names, elements in element.lists.items():
            for index, each in elements.items():
                self._add_unfound(each, (*address, *names, index))

    def _add_extras(self, element: Element, address: Address) -> None:
        for names, scalar in element.scalars.items():
            self.outcomes.append(_extra(element, names, scalar, address))
        for names, elements in element.lists.items():
            for index, each in elements.items():
                self._add_extras(each, (*address, *names, index))


def _extra(element: Element, names: Names, scalar: Scalar, address: Address) -> Judged:
    """The verdict on a scalar of the prediction where the truth states none; the address is that of its element."""
    if any(isinstance(step, Unpaired) for step in address):
        verdict, why = Verdict.INVENTED_ITEM, Why.EXTRA_ROW
    elif (shape := element.shape_at(names)) is not None and shape.is_slot:
        verdict, why = Verdict.FABRICATED, Why.TRUTH_IS_BLANK
    else:
        verdict, why = Verdict.INVENTED_FIELD, Why.UNDECLARED
    return Judged((*address, *names), verdict, why, None, scalar)


def _matched(address: Address, truth: Scalar, prediction: Scalar) -> Judged:
    is_alike = type(truth.value) is type(prediction.value) and bool(truth.value == prediction.value)
    return Judged(address, Verdict.MATCHED, Why.AS_WRITTEN if is_alike else Why.AS_READ, truth, prediction)
