"""Headings: which nested record the labels below one belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from extractors.labels import SchemaNames
from extractors.text_cells_lines import fold_text, fold_tokens, lines_of
from extractors.text_cells_names import Claim
from extractors.text_cells_ruled import cell_text
from extractors.text_cells_tables import PageCells
from extractors.words import Word
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema, Record

_SAME_ROW: Final = 3.0
"""In points: headings no further apart stand side by side."""

_SLACK: Final = 6.0
"""In points: a label may begin so far left of its heading."""


class _Heading(NamedTuple):
    page: int
    y: float
    x: float
    path: Path


class Sections:
    """The headings of a document that name records of the schema; a name of two records announces neither."""

    def __init__(self, schema: FrozenSchema, names: SchemaNames) -> None:
        found: dict[str, set[Path]] = {}
        for record in _records(schema.root):
            for tokens in names.of_container(record.path):
                found.setdefault(" ".join(fold_tokens(tokens)), set()).add(record.path)
        self._names = {name: paths.pop() for name, paths in found.items() if len(paths) == 1 and name}
        self._headings: list[_Heading] = []

    def look_at(self, pages: Iterable[PageCells]) -> None:
        """Find the headings of these pages."""
        for page in pages:
            for cell in page.grid.cells:
                if cell.words:
                    self._add(cell_text(cell), cell.words[0])
            for line in lines_of(page.grid.free):
                for run in line.runs:
                    self._add(run.text, run.words[0])

    def announced_by(self, text: str) -> Path | None:
        """The record that a text names as a whole."""
        return self._names.get(fold_text(text).rstrip(": "))

    def narrowed(self, claims: Sequence[Claim], here: Word) -> list[Claim]:
        """The fields that a label means where it stands: those of its section, or else the ones outside sections."""
        section = self._at(here)
        inside = [claim for claim in claims if section and claim.leaf.path[: len(section)] == section]
        if inside:
            return inside
        headed = {heading.path for heading in self._headings}
        outside = [claim for claim in claims if not any(claim.leaf.path[: len(path)] == path for path in headed)]
        at_root = [claim for claim in outside if len(claim.leaf.path) == 1]
        return at_root or outside

    def _add(self, text: str, word: Word) -> None:
        if (path := self.announced_by(text)) is not None:
            self._headings.append(_Heading(word.page, word.y0, word.x0, path))

    def _at(self, here: Word) -> Path | None:
        """The last heading above a word and not right of it; of several side by side the nearest on the left."""
        above = [
            heading
            for heading in self._headings
            if (heading.page, heading.y) <= (here.page, here.y1) and heading.x <= here.x0 + _SLACK
        ]
        if not above:
            return None
        last = max((heading.page, heading.y) for heading in above)
        row = [heading for heading in above if heading.page == last[0] and last[1] - heading.y <= _SAME_ROW]
        return max(row, key=lambda heading: heading.x).path


def _records(record: Record) -> Iterator[Record]:
    for node in record.fields.values():
        if isinstance(node, Record):
            yield node
            yield from _records(node)
