"""Draws that follow from names alone, so that the same question asked again is answered alike on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from groundtruth import jsontext

T = TypeVar("T")

_RANGE: Final = 1 << 64


class Chance:
    """A source of draws; each is named, and no draw changes another one.

    Args:
        names: what the draws depend on, such as a seed and what they are for.
    """

    def __init__(self, *names: str | int) -> None:
        self._names = names

    def of(self, *names: str | int) -> Chance:
        """A source for something below this one."""
        return Chance(*self._names, *names)

    def draw(self, *names: str | int) -> float:
        """A number from 0 up to, and without, 1."""
        text = jsontext.dumps([*self._names, *names])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) / _RANGE

    def choice(self, name: str, items: Sequence[T]) -> T:
        """One of some items, of which there must be one."""
        return items[int(self.draw(name) * len(items))]

    def shuffled(self, name: str, items: Iterable[T]) -> list[T]:
        """The items in an order by chance."""
        listed = list(items)
        return [listed[at] for at in sorted(range(len(listed)), key=lambda at: self.draw(name, at))]
