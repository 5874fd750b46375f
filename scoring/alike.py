"""Texts that are alike: the fuzzy equality of ExtractBench, by the normalised Indel similarity.

Two texts are alike when they are the same without case and punctuation, or when the characters that a shortest way of
inserting and deleting turns one into the other with are few beside the characters of both.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

_AT_ONCE: Final = 256
"""Texts that are looked up together: enough to be quick, few enough to need little memory."""
_FEW_PAIRS: Final = 1_000_000
"""So many pairs are compared one by one; of more, only those that have enough characters in common."""
_ROUNDING: Final = 0.01
"""More than single precision can be wrong by, where half a character decides."""
_NO_WORD = re.compile(r"[^\w\s]")


class AlikeTexts:
    """The texts of one column, to be asked which of them are alike to another.

    Args:
        least: the least similarity, in (0, 1].
        texts: those of the column.
    """

    def __init__(self, least: float, texts: Iterable[str]) -> None:
        self._least = least
        self._by_bare: dict[str, list[str]] = defaultdict(list)
        for text in texts:
            self._by_bare[bare(text)].append(text)
        self._forms = sorted(filter(None, self._by_bare), key=lambda form: (len(form), form))
        self._lengths = [len(form) for form in self._forms]
        self._known: dict[str, list[str]] = {"": []}
        """By bare form, the other bare forms of the column that are alike."""
        self._bags: _Bags | None = None

    def prepare(self, texts: Iterable[str]) -> None:
        """Look up many texts at once, which takes a fraction of the time."""
        asked = sorted(
            {form for form in map(bare, texts) if form not in self._known}, key=lambda form: (len(form), form)
        )
        self._known |= {form: [] for form in asked}
        if self._bags is None and len(asked) * len(self._forms) > _FEW_PAIRS:
            self._bags = _Bags(self._forms, self._least)
        for start in range(0, len(asked), _AT_ONCE):
            queries = asked[start : start + _AT_ONCE]
            # Texts whose lengths differ too much cannot be alike: the shorter one is at most contained in the longer.
            first = bisect_left(self._lengths, self._shortest(len(queries[0])))
            last = bisect_right(self._lengths, self._longest(len(queries[-1])))
            if first < last:
                self._look_up(queries, first, last)

    def _look_up(self, queries: list[str], first: int, last: int) -> None:
        from rapidfuzz import fuzz, process

        near = self._forms[first:last]
        if self._bags is None:
            ratios = process.cdist(queries, near, scorer=fuzz.ratio, score_cutoff=self._least * 100)
            for query, found in zip(*map(np.ndarray.tolist, ratios.nonzero()), strict=True):
                self._known[queries[query]].append(near[found])
            return
        for query, found in zip(*map(np.ndarray.tolist, self._bags.may_be_alike(queries, first, last)), strict=True):
            if fuzz.ratio(queries[query], near[found], score_cutoff=self._least * 100):
                self._known[queries[query]].append(near[found])

    def to(self, text: str) -> Sequence[str]:
        """The texts alike to ``text``."""
        form = bare(text)
        if form not in self._known:
            self.prepare([text])
        forms = dict.fromkeys([form, *self._known[form]]) if form in self._by_bare else self._known[form]
        return [one for found in forms for one in self._by_bare[found]]

    def _shortest(self, length: int) -> int:
        return max(1, int(length * self._least / (2 - self._least)))

    def _longest(self, length: int) -> int:
        return int(length * (2 - self._least) / self._least) + 1


class _Bags:
    """The characters of texts without their order: which texts can be alike at all, for millions of pairs at once.

    What two texts have in common in order is at most what they have in common without, the sum over characters of the
    lesser count. Counts are spelled out, a column for "at least one", one for "at least two", and so on up to what is
    usual, so that a product of matrices gives that sum; what a text has beyond is added in its favour. No pair that
    is alike is ever left out.
    """

    def __init__(self, forms: Sequence[str], least: float) -> None:
        self._least = least
        self._alphabet = np.unique(_codes("".join(forms)))
        counts = self._counts(forms)
        usual = np.quantile(counts, 0.9, axis=0).astype(np.int64)
        self._levels = [(at, level) for at, most in enumerate(usual.tolist()) for level in range(1, most + 1)]
        self._usual = usual
        lengths = np.array(list(map(len, forms)), dtype=np.float32)
        own = [np.ones_like(lengths), lengths * np.float32(-least / 2)]
        self._table = np.column_stack([self._spelled(counts), *own]).astype(np.float32)

    def may_be_alike(self, queries: Sequence[str], first: int, last: int) -> tuple[IntArray, IntArray]:
        """The pairs of places in ``queries`` and, from ``first`` to ``last``, in the forms."""
        counts = self._counts(queries)
        beyond = np.maximum(counts - self._usual, 0).sum(axis=1)
        lengths = np.array(list(map(len, queries)))
        own = [beyond - lengths * self._least / 2, np.ones(len(queries))]
        table = np.column_stack([self._spelled(counts), *own]).astype(np.float32)
        places = np.flatnonzero(table @ self._table[first:last].T >= -_ROUNDING)
        return places // (last - first), places % (last - first)

    def _counts(self, forms: Sequence[str]) -> IntArray:
        """Texts × characters of the column: how often each stands in each."""
        codes = _codes("".join(forms))
        rows = np.repeat(np.arange(len(forms)), list(map(len, forms)))
        columns = np.minimum(np.searchsorted(self._alphabet, codes), len(self._alphabet) - 1)
        is_known = self._alphabet[columns] == codes
        cells = rows[is_known] * len(self._alphabet) + columns[is_known]
        return np.bincount(cells, minlength=len(forms) * len(self._alphabet)).reshape(len(forms), -1)

    def _spelled(self, counts: IntArray) -> NDArray[np.float32]:
        columns, levels = [at for at, _ in self._levels], [level for _, level in self._levels]
        spelled: NDArray[np.float32] = (counts[:, columns] >= levels).astype(np.float32)
        return spelled


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


def bare(text: str) -> str:
    """The text without punctuation and case."""
    return " ".join(_NO_WORD.sub(" ", text).split()).lower()
