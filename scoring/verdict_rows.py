"""Which element of a prediction stands for which element of the truth, for the metric ``verdicts``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from groundtruth.assignment import IntArray, Nested, pair_records
from groundtruth.closeness import did_you_mean
from groundtruth.errors import GoldleafError
from scoring.pairing import column_codes, equal_pairs, features, heaviest, others, priced
from scoring.verdict_tree import ELEMENT, Element, Names

_SMALL = 400
"""So many pairs of elements are weighed one by one; of more, only those that matter."""

Elements = Mapping[int, Element]
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

    def pairs(self, truth: Elements, prediction: Elements, place: Names) -> list[tuple[int, int]]:
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
            mine, other = _by_content(truth), _by_content(prediction)
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

    def _pair_many(self, lefts: Sequence[Element], rights: Sequence[Element], place: Names) -> list[tuple[int, int]]:
        columns = sorted(set().union(*(element.scalars for side in (lefts, rights) for element in side)))
        if any(element.lists for element in lefts) and any(element.lists for element in rights):
            return _pair_by_codes(lefts, rights, columns, self._nested(lefts, rights, place))
        sure = equal_pairs(_rows(lefts, columns), _rows(rights, columns))
        mine, other = others(len(lefts), (pair[0] for pair in sure)), others(len(rights), (pair[1] for pair in sure))
        if not mine or not other:
            return sure
        found = _pair_by_codes([lefts[at] for at in mine], [rights[at] for at in other], columns, None)
        return sure + [(mine[one], other[two]) for one, two in found]

    def _nested(self, lefts: Sequence[Element], rights: Sequence[Element], place: Names) -> Nested:
        items = [[list(_nested_values(element)) for element in side] for side in (lefts, rights)]
        most = [np.array([len(values) for values in side], dtype=np.int64) for side in items]
        contents = [[tuple(_lists_content(element)) for element in side] for side in (lefts, rights)]
        return Nested(
            features=features(*items),
            content=column_codes(*contents),
            most_tie=(most[0], most[1]),
            price=priced(lambda left, right: self._nested_worth(lefts[left], rights[right], place)),
        )


def _pair_by_codes(
    lefts: Sequence[Element], rights: Sequence[Element], columns: Sequence[Names], nested: Nested | None
) -> list[tuple[int, int]]:
    codes = [column_codes(_keys(lefts, names), _keys(rights, names)) for names in columns]
    left, right = (
        np.column_stack([code[side] for code in codes]) if codes else np.zeros((size, 0), dtype=np.int64)
        for side, size in enumerate((len(lefts), len(rights)))
    )
    return pair_records(left, right, presence=(left >= 0, right >= 0), nested=nested)


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


def _keys(elements: Iterable[Element], names: Names) -> list[str | None]:
    return [scalar.key if (scalar := element.scalars.get(names)) is not None else None for element in elements]


def _rows(elements: Sequence[Element], columns: Sequence[Names]) -> list[tuple[str | None, ...]]:
    return list(zip(*(_keys(elements, names) for names in columns), strict=True))


def _nested_values(element: Element, place: Names = ()) -> Iterator[tuple[Names, str]]:
    """The values below the lists of an element, with their place below it."""
    for names, elements in element.lists.items():
        inside = (*place, *names, ELEMENT)
        for each in elements.values():
            yield from ((inside + below, scalar.key) for below, scalar in each.scalars.items())
            yield from _nested_values(each, inside)


def _by_content(elements: Elements) -> list[int]:
    """The indices, ordered by what stands in the elements, so that their order in the document decides nothing."""
    return sorted(elements, key=lambda index: content_of(elements[index]))


def content_of(element: Element) -> tuple[object, ...]:
    """What stands in an element, in a form that orders; equal for elements that differ in the order of lists alone."""
    if element.content is None:
        scalars = tuple(sorted((names, scalar.key) for names, scalar in element.scalars.items()))
        element.content = (scalars, *_lists_content(element))
    return element.content


def _lists_content(element: Element) -> Iterator[tuple[Names, tuple[tuple[object, ...], ...]]]:
    for names in sorted(element.lists):
        yield names, tuple(sorted(map(content_of, element.lists[names].values())))
