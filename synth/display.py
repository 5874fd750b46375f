"""The display list: everything that a document prints, where, and which leaf it proves.

The PDF and the boxes are both made from it, and nothing is read back from the PDF. Places are in points from the top
left corner of the page; a run of text starts at the pen's position on its baseline.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

Align = Literal["left", "right", "centre"]
Colour = tuple[float, float, float]

INK: Final[Colour] = (0.08, 0.08, 0.1)
GREY: Final[Colour] = (0.4, 0.41, 0.44)
PALE: Final[Colour] = (0.925, 0.93, 0.94)
LINE: Final[Colour] = (0.6, 0.61, 0.64)
WHITE: Final[Colour] = (1.0, 1.0, 1.0)

LETTER: Final = (612.0, 792.0)
A4: Final = (595.28, 841.89)


class Run(NamedTuple):
    """A piece of text in one line.

    Attributes:
        x: the pen at its start.
        y: the baseline.
        text: its characters, without spaces around them unless they separate it from a neighbour.
        width: how far it moves the pen.
        face: the name of a face of the book.
        size: of an em.
        colour: red, green and blue from 0 to 1.
        leaf: the instance path of the leaf that it prints, or None for what is no value.
        printing: which of several printings of the leaf this is; the lines of one value are one printing.
        whole: the whole text of which it is a line, as printed.
    """

    x: float
    y: float
    text: str
    width: float
    face: str
    size: float
    colour: Colour
    leaf: str | None
    printing: int
    whole: str


class Rule(NamedTuple):
    """A straight line, drawn over the text."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float
    colour: Colour


class Area(NamedTuple):
    """A rectangle from its upper left corner, drawn under the text. ``leaf`` is one that it shows, as a tick box does.

    Without ``fill`` it is see-through, without ``stroke`` it has no edge.
    """

    x: float
    y: float
    width: float
    height: float
    fill: Colour | None
    stroke: Colour | None
    line: float
    leaf: str | None


@dataclass(slots=True)
class Sheet:
    """What stands on one page."""

    runs: list[Run] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    areas: list[Area] = field(default_factory=list)


class Spot(NamedTuple):
    """A run of a display list by its page, from 1, and its number on the page; with its width."""

    page: int
    run: int
    width: float


@dataclass(slots=True)
class DisplayList:
    """A document as drawn.

    Attributes:
        title: what the document is called, in its metadata.
        author: who issues it, in its metadata.
        size: width and height of every page.
        sheets: the pages.
        cited: by leaf, further places that prove it beside those that print it, such as the heading of its section.
        same: by leaf that is printed as *the same as above*, the leaf above.
    """

    title: str
    author: str
    size: tuple[float, float]
    sheets: list[Sheet] = field(default_factory=list)
    cited: dict[str, list[Spot]] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)

    def runs(self) -> Iterator[tuple[int, Run]]:
        """Every run with its page, from 1, in the order of drawing."""
        for page, sheet in enumerate(self.sheets, start=1):
            for run in sheet.runs:
                yield page, run

    def digest(self) -> str:
        """SHA-256 of all that is drawn: equal where the PDF looks equal, whatever wrote it."""
        hashed = hashlib.sha256(repr((self.title, self.author, self.size)).encode())
        for sheet in self.sheets:
            hashed.update(repr((list(map(tuple, sheet.runs)), sheet.rules, sheet.areas)).encode())
        hashed.update(repr((sorted(self.cited.items()), sorted(self.same.items()))).encode())
        return hashed.hexdigest()
