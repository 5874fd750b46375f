"""From the cells of a table, however it was found, to rows of an array: decoys out, cells typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from extractors.answer import Row
from extractors.conventions import Conventions
from extractors.labels import SchemaNames, Tokens
from extractors.text_cells_lines import fold_text, fold_tokens
from extractors.text_cells_names import NamePatterns
from extractors.typed import Parsed, is_judgeable, is_text, parse
from extractors.words import Word, join
from groundtruth.path import Path
from groundtruth.schema import Leaf, Table

_USUAL: Final = 0.8
"""A column filled in this share of the rows is usually filled."""

_WEAK: Final = 0.5
"""A row that fills no more than this share of the usual columns is no row."""

_MOST_MISREAD: Final = 0.2
"""A column of which more cells are no value of its field is another column."""

_GARBLED: Final = 2
"""So many cells that are no values of their fields make a line no row of this table."""

_DASHES: Final = frozenset({"-", "–", "—", "--", "---", "n/a", "N/A"})

_SUMMARY = re.compile(
    r"(sub|grand|page|running|group|section)?[\s-]*totals?\b|(amount|balance)?\s*(carried|brought)\s+(forward|down|over)"
    r"|[cb]/[fd]\b|balance\s+[cb]/[fd]|zwischensumme|übertrag|gesamt|summe|sous-total|report\b|à reporter|totale?\b"
    r"|suma\b|subtotale?\b|totaal|subtotaal|razem",
    re.IGNORECASE,
)
_CARRIED = re.compile(
    r"sub|page|running|group|section|carried|brought|[cb]/[fd]|zwischen|übertrag|report", re.IGNORECASE
)


class RawRow(NamedTuple):
    """A row as it is printed.

    Attributes:
        cells: the words of each named column that has some.
        lead: the text of its first words, whatever column they are in.
    """

    cells: Mapping[Path, tuple[Word, ...]]
    lead: str


@dataclass(frozen=True)
class Sought:
    """An array of objects as it may be printed.

    Attributes:
        table: the array.
        leaves: the fields of a row, by path.
        patterns: their names.
        titles: names by which a heading may announce the array, folded.
    """

    table: Table
    leaves: Mapping[Path, Leaf]
    patterns: NamePatterns
    titles: frozenset[str]

    @classmethod
    def of(cls, table: Table, names: SchemaNames) -> Sought:
        """What to look for; fields that are not printed as they are have no name."""
        leaves = [leaf for leaf in table.row.leaves() if is_judgeable(leaf)]
        return cls(
            table,
            {leaf.path: leaf for leaf in leaves},
            NamePatterns(name for leaf in leaves for name in names.of_leaf(leaf, within=table.row.path)),
            frozenset(map(_folded, names.of_container(table.path, table.title))),
        )

    @property
    def identity(self) -> frozenset[Path]:
        """The paths of the declared key cells."""
        return frozenset((*self.table.row.path, *key) for key in self.table.identity)

    def is_announced_by(self, text: str) -> bool:
        """Whether a heading names the array."""
        return fold_text(text).rstrip(": ") in self.titles


@dataclass(frozen=True)
class Settled:
    """The rows of one array in one place.

    Attributes:
        rows: typed values by leaf.
        columns: the leaves whose columns were found.
        usual: the columns that hold something in nearly every row.
        words: the orders of the words in its rows.
    """

    rows: tuple[Row, ...]
    columns: frozenset[Path]
    usual: frozenset[Path]
    words: frozenset[int]


def is_summary(text: str) -> bool:
    """Whether a line that begins so sums up others: a total, a subtotal, what is carried over."""
    return _SUMMARY.match(text.strip()) is not None


def is_closing(text: str) -> bool:
    """Whether such a line ends the table: a total that is no subtotal and is not carried over."""
    return is_summary(text) and _CARRIED.match(text.strip()) is None


def settle(sought: Sought, columns: Iterable[Path], raw: Sequence[RawRow], conventions: Conventions) -> Settled | None:
    """The rows among ``raw``, typed; None when none is left or no column is.

    Out go rows that sum up, rows of which two cells are no values of their fields, rows that lack all of a declared
    identity, and rows that fill half of the usual columns or less. A column most of whose cells are values of its field
    keeps the others as they are printed: they are then no value of the field for the vote either. A dash in a column of
    numbers or dates is a blank.
    """
    judged = [(row, _sound(row, sought, conventions)) for row in raw if row.cells]
    judged = [(row, sound) for row, sound in judged if len(row.cells) - len(sound) < _GARBLED]
    usual = _usual([row for row, _ in judged])
    kept = [row for row, sound in judged if _is_row(row, sound, usual, sought)]
    named = frozenset(columns)
    typed = {path: _typed(sought.leaves[path], kept, conventions) for path in named}
    good = {path: values for path, values in typed.items() if values is not None}
    rows = [
        {path: parsed for path, values in good.items() if (parsed := values[index]) is not None}
        for index in range(len(kept))
    ]
    if not good or not any(rows):
        return None
    words = frozenset(word.order for row in kept for cell in row.cells.values() for word in cell)
    return Settled(tuple(rows), frozenset(good), usual & frozenset(good), words)


def _sound(row: RawRow, sought: Sought, conventions: Conventions) -> frozenset[Path]:
    """The fields whose cells hold values of them, or a dash where there is none."""
    return frozenset(
        path
        for path, words in row.cells.items()
        if is_text(sought.leaves[path]) or join(words) in _DASHES or parse(sought.leaves[path], words, conventions)
    )


def _usual(rows: Sequence[RawRow]) -> frozenset[Path]:
    plain = [row for row in rows if not is_summary(row.lead)] or rows
    most = max((len(row.cells) for row in plain), default=0)
    plain = [row for row in plain if len(row.cells) > _WEAK * most]
    counts: dict[Path, int] = {}
    for row in plain:
        for path in row.cells:
            counts[path] = counts.get(path, 0) + 1
    return frozenset(path for path, count in counts.items() if count >= _USUAL * len(plain))


def _is_row(row: RawRow, sound: frozenset[Path], usual: frozenset[Path], sought: Sought) -> bool:
    filled = len(usual & sound)
    if is_summary(row.lead) and filled < len(usual):
        return False
    keys = sought.identity & usual
    if keys and not keys & row.cells.keys():
        return False
    return not usual or filled > _WEAK * len(usual)


def _typed(leaf: Leaf, rows: Sequence[RawRow], conventions: Conventions) -> list[Parsed | None] | None:
    """The values of one column; None when it is not the column of this field."""
    values: list[Parsed | None] = []
    filled = misread = 0
    for row in rows:
        words = row.cells.get(leaf.path, ())
        if not words or (not is_text(leaf) and join(words) in _DASHES):
            values.append(None)
            continue
        filled += 1
        parsed = parse(leaf, words, conventions)
        if parsed is None:
            misread += 1
            text = join(words)
            parsed = Parsed(text, ("text", text), words)
        values.append(parsed)
    return None if misread > _MOST_MISREAD * filled else values


def _folded(tokens: Tokens) -> str:
    return " ".join(fold_tokens(tokens))
