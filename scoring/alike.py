"""Texts that are alike: the fuzzy equality of ExtractBench, by the normalised Indel similarity.

Two texts are alike when they are the same without case and punctuation, or when the characters that a shortest way of
inserting and deleting turns one into the other with are few beside the characters of both.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

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
        self._by_length: dict[int, list[str]] = defaultdict(list)
        for form in self._by_bare:
            self._by_length[len(form)].append(form)
        self._known: dict[str, tuple[str, ...]] = {}

    def to(self, text: str) -> Sequence[str]:
        """The texts alike to ``text``."""
        form = bare(text)
        if form not in self._known:
            self._known[form] = tuple(one for found in self._forms_alike(form) for one in self._by_bare[found])
        return self._known[form]

    def _forms_alike(self, form: str) -> list[str]:
        from rapidfuzz import fuzz, process

        found = [form] if form in self._by_bare else []
        if not form:
            return found
        score = self._least * 100
        # Texts whose lengths differ too much cannot be alike: the shorter one is at most contained in the longer.
        for length in range(self._shortest(len(form)), self._longest(len(form)) + 1):
            near = self._by_length.get(length)
            if near and length:
                matches = process.extract(form, near, scorer=fuzz.ratio, score_cutoff=score, limit=None)
                found += [match for match, _, _ in matches if match != form]
        return found

    def _shortest(self, length: int) -> int:
        return max(1, int(length * self._least / (2 - self._least)))

    def _longest(self, length: int) -> int:
        return int(length * (2 - self._least) / self._least) + 1


def bare(text: str) -> str:
    """The text without punctuation and case."""
    return " ".join(_NO_WORD.sub(" ", text).split()).lower()
