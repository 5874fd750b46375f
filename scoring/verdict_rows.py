"""Which element of a prediction stands for which element of the truth, for the metric ``verdicts``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from groundtruth.assignment import IntArray, Nested, pair_records
from groundtruth.closeness import did_you_mean
from groundtruth.errors import GoldleafError
from scoring.pairing import column_codes, equal_pairs, features, heaviest, others, pairs_alone, priced
from scoring.verdict_tree import ELEMENT, Element, Names, keys_of

_SMALL = 400
"""So many pairs of elements are weighed one by one; of more, only those that matter."""

Elements = Mapping[int, Element]
T = TypeVar("T")
Keys = tuple[str | None, ...]
"""Those of an element by column; None states nothing."""
Columns = Sequence[Sequence[str | None]]
Pair = tuple[int, int]
"""Indices of two elements that stand for one another."""
Steps = tuple[str | int, ...]
Worth = tuple[int, int]
"""Addresses with equal values, and common addresses."""


@dataclass(slots=True)
class Pairing:
    """Pairs the elements of arrays.

    Attributes:
        ordered: the arrays whose elements are paired by their position.
    """

    ordered: frozenset[Names] = frozenset()
    _worths: dict[tuple[int, int], Worth] = field(default_factory=dict)

    @classmethod
    def where_order_matters(
        cls, texts: Sequence[str], known: Iterable[Names], *, ignore_unknown: bool = False
    ) -> Pairing:
        """A pairing that keeps the order of the arrays that texts name: by path (``orders[].items``), or last name.

        Raises:
            GoldleafError: a text that names no array of the documents.
        """
        by_text: dict[str, set[Names]] = {}
        for place in known:
            for text in texts_of(place):
                by_text.setdefault(text, set()).add(place)
        if not ignore_unknown:
            require_arrays(texts, by_text)
        return cls(frozenset(place for text in texts for place in by_text.get(text, ())))

    def pairs(self, truth: Elements, prediction: Elements, place: Names) -> list[Pair]:
        """Indices of elements that stand for one another: for the most equal values, then the most common addresses.

        Args:
            truth: the elements by index; none is blank.
            prediction: the same of the prediction.
            place: the array.

        Raises:
            WorkLimitExceeded: see ``pair_records``.
        """
        if place in self.ordered:
            return [(index, index) for index in truth if index in prediction]
        if len(truth) * len(prediction) <= _SMALL:
            mine, other = self._by_content(truth, place), self._by_content(prediction, place)
            found = heaviest(self._table([truth[at] for at in mine], [prediction[at] for at in other], place))
        else:
            # These are numbered by their contents there.
            mine, other = list(truth), list(prediction)
            found = self._pair_many(list(truth.values()), list(prediction.values()), place)
        return sorted((mine[left], other[right]) for left, right in found)

    def _table(self, lefts: Sequence[Element], rights: Sequence[Element], place: Names) -> IntArray:
        """The weights of all pairs: one equal value is more than all common addresses together."""
        worths = np.array([[self._worth(left, right, place) for right in rights] for left in lefts], dtype=np.int64)
        matched, shared = worths.reshape(len(lefts), len(rights), 2).transpose(2, 0, 1)
        weight: IntArray = np.where(matched > 0, matched * (1 + int(shared.sum())) + shared, 0)
        return weight

    def _worth(self, truth: Element, prediction: Element, place: Names) -> Worth:
        key = (id(truth), id(prediction))
        if key not in self._worths:
            common = truth.scalars.keys() & prediction.scalars.keys()
            matched = sum(truth.scalars[names].key == prediction.scalars[names].key for names in common)
            more = self._nested_worth(truth, prediction, place)
            self._worths[key] = matched + more[0], len(common) + more[1]
        return self._worths[key]

    def _nested_worth(self, truth: Element, prediction: Element, place: Names) -> Worth:
        matched = shared = 0
        for names in truth.lists.keys() & prediction.lists.keys():
            mine, other, inside = truth.lists[names], prediction.lists[names], (*place, ELEMENT, *names)
            for left, right in self.pairs(mine, other, inside):
                more = self._worth(mine[left], other[right], inside)
                matched, shared = matched + more[0], shared + more[1]
        return matched, shared

    def _pair_many(self, lefts: Sequence[Element], rights: Sequence[Element], place: Names) -> list[Pair]:
        if any(element.lists for element in lefts) and any(element.lists for element in rights):
            # Elements may hold lists alone; a column that says nothing of any of them stands for the others then.
            columns = _columns(lefts, rights) or [()]
            left, right = ([keys_of(side, names) for names in columns] for side in (lefts, rights))
            return _pair_by_codes(left, right, self._nested(lefts, rights, place))
        return _with_others(_written_alike(lefts, rights), lefts, rights, _pair_read)

    def _nested(self, lefts: Sequence[Element], rights: Sequence[Element], place: Names) -> Nested:
        inside = (*place, ELEMENT)
        items = [[list(self._nested_values(element, inside)) for element in side] for side in (lefts, rights)]
        most = [np.array([len(values) for values in side], dtype=np.int64) for side in items]
        contents = [[tuple(self._lists_content(element, inside)) for element in side] for side in (lefts, rights)]
        return Nested(
            features=features(*items),
            content=column_codes(*contents),
            most_tie=(most[0], most[1]),
            price=priced(lambda left, right: self._nested_worth(lefts[left], rights[right], place)),
        )

    def _nested_values(self, element: Element, place: Names) -> Iterator[tuple[Steps, str]]:
        """The values below the lists of an element, with their place below it, and their index where order matters."""
        for names, elements in element.lists.items():
            here = (*place, *names)
            for index, each in elements.items():
                step = (*names, index if here in self.ordered else ELEMENT)
                yield from ((step + below, scalar.key) for below, scalar in each.scalars.items())
                yield from ((step + below, key) for below, key in self._nested_values(each, (*here, ELEMENT)))

    def _by_content(self, elements: Elements, place: Names) -> list[int]:
        """The indices by what stands in the elements, so that their order in the document decides nothing."""
        inside = (*place, ELEMENT)
        return sorted(elements, key=lambda index: self._content_of(elements[index], inside))

    def _content_of(self, element: Element, place: Names) -> tuple[object, ...]:
        """What stands in an element, in a form that orders; lists count in their order only where that matters."""
        if element.content is None:
            scalars = tuple(sorted((names, scalar.key) for names, scalar in element.scalars.items()))
            element.content = (scalars, *self._lists_content(element, place))
        return element.content

    def _lists_content(self, element: Element, place: Names) -> Iterator[tuple[object, ...]]:
        for names in sorted(element.lists):
            here, elements = (*place, *names), element.lists[names]
            contents = [self._content_of(each, (*here, ELEMENT)) for each in elements.values()]
            yield (
                (names, tuple(elements), tuple(contents)) if here in self.ordered else (names, tuple(sorted(contents)))
            )


def _pair_read(lefts: Sequence[Element], rights: Sequence[Element]) -> list[Pair]:
    """The pairs of elements without lists, from the keys of all that they state."""
    columns = _columns(lefts, rights)
    left, right = _rows(lefts, columns), _rows(rights, columns)
    return _with_others(equal_pairs(left, right), left, right, _pair_rows)


def _pair_rows(left: Sequence[Keys], right: Sequence[Keys]) -> list[Pair]:
    return _pair_by_codes(list(zip(*left, strict=True)), list(zip(*right, strict=True)), None)


def _with_others(
    sure: list[Pair], lefts: Sequence[T], rights: Sequence[T], pair: Callable[[Sequence[T], Sequence[T]], list[Pair]]
) -> list[Pair]:
    """Pairs that every best pairing makes, and those of what they leave."""
    mine, other = others(len(lefts), (left for left, _ in sure)), others(len(rights), (right for _, right in sure))
    if not mine or not other:
        return sure
    found = pair([lefts[at] for at in mine], [rights[at] for at in other])
    return sure + [(mine[left], other[right]) for left, right in found]


def _written_alike(lefts: Sequence[Element], rights: Sequence[Element]) -> list[Pair]:
    """Pairs of flat elements that are written alike, and in some column alone with their key.

    Those are some of the ``equal_pairs``, found from the keys of one column: what is written in the others need not be
    read. The column in which most of them differ comes first.
    """
    places = {right.written: at for at, right in enumerate(rights) if right.written is not None}
    alike = [(at, places[left.written]) for at, left in enumerate(lefts) if left.written in places]
    alike = [(left, right) for left, right in alike if lefts[left].columns == rights[right].columns]
    columns = _most_different([lefts[left] for left, _ in alike])
    return pairs_alone(alike, ((keys_of(lefts, names), keys_of(rights, names)) for names in columns))


def _most_different(elements: Sequence[Element]) -> list[Names]:
    """The columns of the first flat element, those in which most is written differently first."""
    columns = tuple(elements[0].columns) if elements else ()
    values = [
        element.written[0] for element in elements if element.written is not None and tuple(element.columns) == columns
    ]
    different = {names: len(set(column)) for names, column in zip(columns, zip(*values, strict=True), strict=True)}
    return sorted(columns, key=lambda names: -different[names])


def _pair_by_codes(lefts: Columns, rights: Columns, nested: Nested | None) -> list[Pair]:
    """Pairs of elements, from the keys of their columns."""
    codes = [column_codes(left, right) for left, right in zip(lefts, rights, strict=True)]
    left, right = (np.column_stack([code[side] for code in codes]) for side in range(2))
    return pair_records(left, right, presence=(left >= 0, right >= 0), nested=nested)


def _columns(lefts: Sequence[Element], rights: Sequence[Element]) -> list[Names]:
    """All names that lead to scalars, in order, and perhaps some of blanks."""
    by_id: dict[int, Iterable[Names]] = {}
    for side in (lefts, rights):
        for element in side:
            found = element.scalars if element.written is None else element.columns
            by_id[id(found)] = found
    return sorted(set().union(*by_id.values()))


def texts_of(place: Names) -> tuple[str, str]:
    """How an array may be named: by its path (``orders[].items``), and by its last name."""
    return ".".join(place).replace(f".{ELEMENT}", ELEMENT), place[-1] if place else ""


def require_arrays(texts: Iterable[str], known: Collection[str]) -> None:
    """Refuse a text that names none of the known arrays.

    Raises:
        GoldleafError: there is one; the message names it, and those that there are.
    """
    for text in texts:
        if text not in known:
            raise GoldleafError(
                f"no array is called {text!r}; there is {', '.join(sorted(known)) or 'none'}{did_you_mean(text, known)}"
            )


def _rows(elements: Sequence[Element], columns: Sequence[Names]) -> list[Keys]:
    return list(zip(*(keys_of(elements, names) for names in columns), strict=True))
