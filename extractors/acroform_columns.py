"""Fields that repeat: columns by a number in the name or by their place in a grid, and blocks of columns.

Fields whose names differ by one number are a column (``items[0].qty`` and ``items[1].qty``, ``QtyRow1`` and
``QtyRow2``); where names say nothing, fields of one width under one another are. Columns whose fields stand side by
side are a block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from extractors.acroform_fields import FormField
from extractors.acroform_printed import Extent, PrintedPage, Side

_SHARED_ROWS: Final = 0.7
"""Columns of one block have so many of their rows in common."""
_ALIGNED: Final = 3.0
"""Points by which the edges of the fields of one column may differ."""
_NEXT_ROW: Final = 1.5
"""Fields of one column are at most so many of their heights apart."""
_FEWEST_ROWS: Final = 2

_NUMBER = re.compile(r"\d+")
_ROW_WORD = re.compile(r"(row|line|item|entry|zeile|ligne)[\s_.#-]*\[?$", re.IGNORECASE)
_AROUND_NUMBER = re.compile(r"[\s_.,:-]*(row|line|item|entry|zeile|ligne)?[\s_.#-]*\[?\0\]?[\s_.,:-]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Column:
    """Fields of one meaning, by row.

    Attributes:
        page: the page they are on.
        cells: by the number of the row.
        parts: their name without the number; () in a grid.
        tip: their tooltip without the number.
    """

    page: int
    cells: Mapping[int, FormField]
    parts: tuple[str, ...] = ()
    tip: str = ""

    def span(self, pages: Mapping[int, PrintedPage]) -> tuple[float, float]:
        """The left and the right edge of its first field, in points."""
        place = pages[self.page].extent(self.cells[min(self.cells)].widgets[0])
        return place.x0, place.x1


class Block(NamedTuple):
    """Columns that stand side by side."""

    page: int
    columns: tuple[Column, ...]

    def cells(self) -> list[FormField]:
        """Every field of the block."""
        return [cell for column in self.columns for cell in column.cells.values()]

    def numbers(self) -> list[int]:
        """The numbers of its rows, rising."""
        return sorted({number for column in self.columns for number in column.cells})


class _Pattern(NamedTuple):
    """A name in which one number gave way to a mark."""

    page: int
    parts: tuple[str, ...]


def numbered(fields: Sequence[FormField]) -> list[Column]:
    """The columns of fields that are counted in their names."""
    families: dict[_Pattern, dict[int, FormField]] = {}
    for field in fields:
        for pattern, number in _patterns(field):
            families.setdefault(pattern, {}).setdefault(number, field)
    members: dict[_Pattern, dict[int, FormField]] = {}
    for field in fields:
        for pattern, number in _patterns(field):
            if len(families[pattern]) >= _FEWEST_ROWS and families[pattern][number] is field:
                members.setdefault(pattern, {})[number] = field
                break
    return [
        Column(pattern.page, cells, _without_number(pattern.parts), _common_tip(cells))
        for pattern, cells in members.items()
        if len(cells) >= _FEWEST_ROWS
    ]


def _patterns(field: FormField) -> Iterator[tuple[_Pattern, int]]:
    """The patterns that a field's name is of, the likeliest first: a number after a word for row, then the last."""
    found = [
        (_ROW_WORD.search(part[: match.start()]) is None, -at, -match.start(), match)
        for at, part in enumerate(field.name)
        for match in _NUMBER.finditer(part)
    ]
    for _, negative, _, match in sorted(found, key=lambda entry: entry[:3]):
        at = -negative
        marked = f"{field.name[at][: match.start()]}\0{field.name[at][match.end() :]}"
        pattern = _Pattern(field.widgets[0].page, (*field.name[:at], marked, *field.name[at + 1 :]))
        yield pattern, int(match.group())


def _without_number(parts: tuple[str, ...]) -> tuple[str, ...]:
    bare = (_AROUND_NUMBER.sub(" ", part) if "\0" in part else part for part in parts)
    # A field that is called Item1 is the item, not the first row of something without a name.
    return tuple(part for part in bare if part.strip()) or tuple(part.replace("\0", " ") for part in parts)


def _common_tip(cells: Mapping[int, FormField]) -> str:
    """What the tooltips of a column say without their numbers; "" when they differ otherwise."""
    tips = {
        " ".join(_AROUND_NUMBER.sub(" ", re.sub(rf"(?<!\d)0*{number}(?!\d)", "\0", cell.tip, count=1)).split())
        for number, cell in cells.items()
    }
    return tips.pop() if len(tips) == 1 else ""


def gridded(fields: Sequence[FormField], pages: Mapping[int, PrintedPage]) -> list[Column]:
    """The columns of fields that stand under one another and are equally wide, with no label between them."""
    columns = []
    for page in pages.values():
        single = [field for field in fields if len(field.widgets) == 1 and field.widgets[0].page == page.number]
        placed = sorted((page.extent(field.widgets[0]), field.name, field) for field in single)
        levels = _levels([place for place, _, _ in placed])
        stacks: list[list[tuple[Extent, FormField]]] = []
        for place, _, field in sorted(placed, key=lambda entry: (entry[0].y0, entry[0].x0)):
            stack = next((stack for stack in stacks if _goes_on(stack[-1], place, field, page)), None)
            if stack is None:
                stacks.append([(place, field)])
            else:
                stack.append((place, field))
        for stack in stacks:
            if len(stack) >= _FEWEST_ROWS:
                columns.append(Column(page.number, {levels[place]: field for place, field in stack}))
    return columns


def _goes_on(last: tuple[Extent, FormField], place: Extent, field: FormField, page: PrintedPage) -> bool:
    above, before = last
    is_aligned = abs(above.x0 - place.x0) < _ALIGNED and abs(above.x1 - place.x1) < _ALIGNED
    is_next = -_ALIGNED <= place.y0 - above.y1 <= _NEXT_ROW * (above.y1 - above.y0)
    has_label = bool(page.labels(field.widgets[0]).texts(Side.ABOVE))
    return is_aligned and is_next and before.kind is field.kind and not has_label


def _levels(places: Sequence[Extent]) -> dict[Extent, int]:
    """The number of the row that each place is in, counted from the top."""
    levels: dict[Extent, int] = {}
    number, bottom = -1, float("-inf")
    for place in sorted(places, key=lambda place: (place.y0 + place.y1, place.x0)):
        middle = (place.y0 + place.y1) / 2
        if middle > bottom:
            number += 1
            bottom = place.y1
        levels[place] = number
    return levels


def blocks(columns: Iterable[Column], pages: Mapping[int, PrintedPage]) -> list[Block]:
    """Columns that stand side by side, page by page."""
    found: list[list[Column]] = []
    for column in sorted(columns, key=lambda column: (column.page, column.span(pages), column.parts)):
        block = next((block for block in found if _are_side_by_side(block[0], column, pages)), None)
        if block is None:
            found.append([column])
        else:
            block.append(column)
    return [Block(block[0].page, tuple(block)) for block in found]


def _are_side_by_side(first: Column, second: Column, pages: Mapping[int, PrintedPage]) -> bool:
    if first.page != second.page:
        return False
    shared = first.cells.keys() & second.cells.keys()
    if len(shared) < _SHARED_ROWS * max(len(first.cells), len(second.cells)):
        return False
    page = pages[first.page]
    for number in shared:
        one, other = (page.extent(column.cells[number].widgets[0]) for column in (first, second))
        if min(one.y1, other.y1) - max(one.y0, other.y0) <= 0:
            return False
    return True
