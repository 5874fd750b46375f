"""Numbers that an engine may have misread: a comma for a point, or a mark that it lost.

Both give another number that is as good as the right one, so what a number looks like is held against the other
numbers of its column, or of its document.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

UNREADABLE: Final = "\ufffd"
"""Stands in a value for what could not be read for sure, so that it is no value of a typed field."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FEW: Final = 4
_NEARLY_ALL: Final = 0.85
_GROUP: Final = 3


class Form(NamedTuple):
    """How a number is written: its groups of digits and the marks between them."""

    groups: tuple[str, ...]
    marks: str

    @property
    def decimals(self) -> int:
        """Digits after the last mark, if it may be a decimal mark; 0 when all marks group."""
        return 0 if not self.marks or self._only_groups else len(self.groups[-1])

    @property
    def _only_groups(self) -> bool:
        return self.grouped and len(set(self.marks)) == 1 and len(self.groups[-1]) == _GROUP

    @property
    def grouped(self) -> bool:
        """Whether every group but the first and the last holds three digits, and the first at most three."""
        return len(self.groups[0]) <= _GROUP and all(len(group) == _GROUP for group in self.groups[1:-1])

    @property
    def is_ambiguous(self) -> bool:
        """Whether its last three digits are decimals or a group only depends on the reading of its last mark."""
        return bool(self.marks) and len(self.groups[-1]) == _GROUP and self.grouped

    @property
    def is_possible(self) -> bool:
        """Whether nobody would doubt its marks: one kind that groups by three, and at most one decimal mark after."""
        inner = self.marks[:-1]
        return len(self.marks) < 2 or (self.grouped and len(set(inner)) == 1 and not self._mixes(inner))

    def _mixes(self, inner: str) -> bool:
        return self.marks[-1] == inner[0] and len(self.groups[-1]) != _GROUP


def form_of(text: str) -> Form | None:
    """How the only number in a text is written; None for none or several."""
    found = _NUMBER.findall(text)
    if len(found) != 1:
        return None
    return Form(tuple(re.split("[.,]", found[0])), re.sub(r"\d", "", found[0]))


class Habits:
    """How numbers are written where they stand together.

    Attributes:
        decimals: the number of decimals that nearly all of them have; None when they vary or are few.
        decimal: the mark before decimals of which there are not three; None when there is none, or both.
        group: the mark that groups wherever a number says so beyond doubt; None when none does, or several do.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        forms = [form for form in map(form_of, texts) if form is not None and form.is_possible]
        certain = [form for form in forms if not form.is_ambiguous or len(form.marks) > 1]
        shown = certain if len(certain) >= _FEW else forms
        counts = Counter(form.decimals for form in shown)
        most = max(counts, key=lambda decimals: (counts[decimals], decimals), default=0)
        usual = len(shown) >= _FEW and counts[most] >= _NEARLY_ALL * len(shown)
        self.decimals = most if usual else None
        marks = {form.marks[0] for form in forms if len(form.marks) > 1 and form.marks[0] != form.marks[-1]}
        marks |= {form.marks[0] for form in forms if len(form.marks) > 1 and len(set(form.marks)) == 1}
        self.group = marks.pop() if len(marks) == 1 else None
        ends = Counter((form.marks[-1], len(form.groups[-1]) == _GROUP) for form in forms if form.marks)
        decimal = {mark for mark, is_group in ends if not is_group and ends[mark, False] >= ends[mark, True]}
        self.decimal = decimal.pop() if len(decimal) == 1 else None

    def doubts(self, text: str) -> bool:
        """Whether the number in ``text`` may be misread: how it is written is impossible, or unlike the others."""
        form = form_of(text)
        if form is None:
            return False
        if not form.is_possible:
            return True
        if form.is_ambiguous and self.decimals == _GROUP:
            return False
        if form.is_ambiguous and self._is_mixed_up(form):
            return True
        return bool(self.decimals) and form.decimals != self.decimals

    def _is_mixed_up(self, form: Form) -> bool:
        last = form.marks[-1]
        return len(set(form.marks)) > 1 or last == self.decimal or (self.group is not None and last != self.group)
