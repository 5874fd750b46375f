"""Rows that fields of a form are: what stands in them, by the array that their columns name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from extractors.acroform_columns import Block, Column, blocks, gridded, numbered
from extractors.acroform_fields import FormField
from extractors.acroform_match import CLEAR
from extractors.acroform_names import LeafNames
from extractors.acroform_printed import PrintedPage, Run, Side
from extractors.acroform_values import Answered, Reader, Silence, can_answer
from extractors.labels import SchemaNames
from extractors.typed import Parsed, is_judgeable, parse
from groundtruth.jsontext import Malformed
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema, Leaf, Table

_ALIGNED: Final = 4.0
"""Points."""
_FEWEST_COLUMNS: Final = 2
_UNTRUSTED: Final = Malformed("", "a form field that cannot be trusted")

Read = Callable[[FormField, Leaf], Answered]


@dataclass(slots=True)
class FoundRows:
    """The rows of one array.

    Attributes:
        rows: values by leaf; ``Malformed`` where a field cannot be trusted.
        columns: the leaves whose columns were found.
        fields: the fields that the rows are made of.
    """

    rows: list[dict[Path, Parsed]] = field(default_factory=list)
    columns: set[Path] = field(default_factory=set)
    fields: list[FormField] = field(default_factory=list)


class _Fitted(NamedTuple):
    """A block as rows of an array: its columns by leaf."""

    table: Table
    block: Block
    columns: Mapping[Path, Column]
    fit: float

    @property
    def rank(self) -> tuple[int, float]:
        return len(self.columns), self.fit


class RowFinder:
    """Finds the rows of the arrays outside other arrays."""

    def __init__(
        self,
        schema: FrozenSchema,
        names: SchemaNames,
        pages: Mapping[int, PrintedPage],
        reader: Reader,
        read: Read,
    ) -> None:
        self._tables = list(schema.root.tables())
        self._names = {
            table.path: LeafNames(filter(is_judgeable, table.row.leaves()), names, within=table.row.path)
            for table in self._tables
        }
        self._pages = pages
        self._reader = reader
        self._read = read

    def find(self, fields: Sequence[FormField]) -> dict[Path, FoundRows]:
        """The rows by array; an array without a filled row is not there."""
        fitted = self._assigned(blocks(numbered(fields), self._pages))
        used = {id(cell) for one in fitted for cell in one.block.cells()}
        rest = [each for each in fields if id(each) not in used]
        known = {one.table.path for one in fitted}
        gridded_blocks = blocks(gridded(rest, self._pages), self._pages)
        fitted += [one for one in self._assigned(gridded_blocks) if one.table.path not in known]
        found: dict[Path, FoundRows] = {}
        for one in sorted(fitted, key=lambda one: one.block.page):
            self._add(found.setdefault(one.table.path, FoundRows()), one)
        return {path: rows for path, rows in found.items() if rows.rows}

    def _assigned(self, found: Sequence[Block]) -> list[_Fitted]:
        """Each block with the array it fits best, if it is the only one on its page that fits it so well."""
        best: dict[tuple[Path, int], list[_Fitted]] = {}
        for block in found:
            fits = [fitted for table in self._tables if (fitted := self._fitted(table, block)) is not None]
            top = max((one.rank for one in fits), default=None)
            tops = [one for one in fits if one.rank == top]
            if len(tops) == 1:
                best.setdefault((tops[0].table.path, block.page), []).append(tops[0])
        assigned = []
        for candidates in best.values():
            top = max(one.rank for one in candidates)
            tops = [one for one in candidates if one.rank == top]
            if len(tops) == 1:
                assigned.append(tops[0])
        return assigned + self._continued(assigned, found)

    def _continued(self, assigned: Sequence[_Fitted], found: Sequence[Block]) -> list[_Fitted]:
        """Blocks without names of their own, on later pages, whose columns stand where those of a found one do."""
        used = {id(one.block) for one in assigned}
        continued = []
        for block in found:
            if id(block) in used or any(one.block.page == block.page for one in assigned):
                continue
            for one in assigned:
                columns = self._below(one, block)
                if one.block.page < block.page and columns is not None:
                    continued.append(_Fitted(one.table, block, columns, 0.0))
                    break
        return continued

    def _below(self, one: _Fitted, block: Block) -> dict[Path, Column] | None:
        columns = {}
        for path, column in one.columns.items():
            x0, x1 = column.span(self._pages)
            for other in block.columns:
                start, end = other.span(self._pages)
                if abs(start - x0) < _ALIGNED and abs(end - x1) < _ALIGNED and not other.parts:
                    columns[path] = other
        return columns if len(columns) == len(one.columns) else None

    def _fitted(self, table: Table, block: Block) -> _Fitted | None:
        """The columns of a block by the leaf that each names best; None when there are too few."""
        names = self._names[table.path]
        wishes: dict[Path, list[tuple[float, Column]]] = {}
        for column in block.columns:
            fits = sorted(self._column_fits(names, column).items(), key=lambda item: -item[1])
            if fits and (len(fits) == 1 or fits[0][1] > fits[1][1]):
                wishes.setdefault(fits[0][0], []).append((fits[0][1], column))
        columns, total = {}, 0.0
        for path, wishing in wishes.items():
            top = max(fit for fit, _ in wishing)
            tops = [column for fit, column in wishing if fit == top]
            if len(tops) == 1:
                columns[path] = tops[0]
                total += top
        if len(columns) < min(_FEWEST_COLUMNS, len(names.leaves)):
            return None
        return _Fitted(table, block, columns, round(total, 6))

    def _column_fits(self, names: LeafNames, column: Column) -> dict[Path, float]:
        """What a column may be, by the first of tooltip, name and header that names a leaf clearly."""
        first = column.cells[min(column.cells)]
        widgets = [cell.widgets[0] for cell in column.cells.values()]
        headers = self._pages[column.page].around(widgets).texts(Side.ABOVE)
        heard = [
            names.fits(column.tip) if column.tip else {},
            names.fits_name(column.parts),
            {path: fit for text in headers for path, fit in names.fits(text).items()},
        ]
        allowed = [{path: fit for path, fit in fits.items() if can_answer(names.leaves[path], first)} for fits in heard]
        return next((fits for fits in allowed if max(fits.values(), default=0.0) >= CLEAR), {})

    def _add(self, found: FoundRows, one: _Fitted) -> None:
        """Add the filled rows of a block."""
        leaves = self._names[one.table.path].leaves
        labels = self._labels(one, [leaf for path, leaf in leaves.items() if path not in one.columns])
        silent = {path for path, column in one.columns.items() if self._is_silent(leaves[path], column)}
        found.columns |= one.columns.keys() - silent
        found.fields += one.block.cells()
        for number in one.block.numbers():
            row: dict[Path, Parsed] = {}
            is_filled = False
            for path, column in one.columns.items():
                cell = column.cells.get(number)
                if cell is None or path in silent:
                    continue
                is_filled |= cell.is_filled
                answer = self._read(cell, leaves[path])
                if isinstance(answer, Parsed):
                    row[path] = answer
                elif answer is not Silence.BLANK:
                    is_filled = True
                    row[path] = Parsed(_UNTRUSTED, ("text", ""), ())
            label = labels.get(number, {})
            is_labelled = any(not str(parsed.value).isdecimal() for parsed in label.values())
            if is_filled or is_labelled:
                found.columns |= label.keys()
                found.rows.append(label | row)

    def _is_silent(self, leaf: Leaf, column: Column) -> bool:
        """Whether no filled cell of a column can be read as its leaf."""
        filled = [cell for cell in column.cells.values() if cell.is_filled]
        return bool(filled) and not any(isinstance(self._read(cell, leaf), Parsed) for cell in filled)

    def _labels(self, one: _Fitted, leaves: Sequence[Leaf]) -> dict[int, dict[Path, Parsed]]:
        """What is printed at the head of every row, if a header over it names a leaf that no field answers."""
        page = self._pages[one.block.page]
        heads = {number: run for number in one.block.numbers() if (run := _head(page, one.block, number)) is not None}
        if len(heads) < max(_FEWEST_COLUMNS, len(one.block.numbers())):
            return {}
        header = _header(page, heads[min(heads)])
        if header is None:
            return {}
        fits = self._names[one.table.path].fits(header.text)
        named = [leaf for leaf in leaves if fits.get(leaf.path, 0.0) >= CLEAR]
        if len(named) != 1:
            return {}
        return {
            number: {named[0].path: parsed}
            for number, run in heads.items()
            if (parsed := parse(named[0], run.words, self._reader.conventions)) is not None
        }


def _head(page: PrintedPage, block: Block, number: int) -> Run | None:
    """The run nearest at the left of the first field of a row."""
    cells = [column.cells[number] for column in block.columns if number in column.cells]
    if not cells:
        return None
    first = min((page.extent(cell.widgets[0]) for cell in cells), key=lambda place: place.x0)
    before = [
        run
        for run in page.runs
        if run.place.x1 <= first.x0 and first.y0 <= (run.place.y0 + run.place.y1) / 2 <= first.y1
    ]
    return max(before, key=lambda run: run.place.x1, default=None)


def _header(page: PrintedPage, head: Run) -> Run | None:
    """The nearest run over the head of the first row that begins where it begins."""
    height = head.place.y1 - head.place.y0
    above = [
        run
        for run in page.runs
        if 0 < head.place.y0 - run.place.y1 <= 3 * height and abs(run.place.x0 - head.place.x0) < _ALIGNED
    ]
    return max(above, key=lambda run: run.place.y1, default=None)
