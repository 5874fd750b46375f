"""The ballot of an extractor that reads by rules: filled value by value, honest about what it could not judge.

A leaf that got a value, or that was found blank, is judged. Every other leaf is unsupported, so that the ballot
abstains there: that a rule found nothing says nothing about the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from extractors.layout import evidence
from extractors.typed import Parsed
from groundtruth.ballot import Ballot
from groundtruth.jsontext import Json
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema, Record, Table

Row = Mapping[Path, Parsed]
"""Values of one row of an array by schema path."""


class Answer:
    """What was found in one document under one schema."""

    def __init__(self, schema: FrozenSchema) -> None:
        self._root = schema.root
        self._leaves = list(schema.leaves)
        self._values: dict[Path, Parsed] = {}
        self._rows: dict[Path, int] = {}
        self._judged: set[Path] = set()

    def add_rows(self, table: Path, rows: Sequence[Row], columns: Iterable[Path]) -> None:
        """The rows of an array of objects in the order they are printed, and the leaves whose columns were found.

        A leaf of ``columns`` that a row lacks is null there. Without rows nothing is said of the array: a header
        under which nothing can be read says nothing about rows. Of two calls for one array the second adds rows.
        """
        if not rows:
            return
        first = self._rows.get(table, 0)
        self._rows[table] = first + len(rows)
        self._judged.update(columns)
        for index, row in enumerate(rows, start=first):
            for leaf, parsed in row.items():
                self._values[(*table, index, *leaf[len(table) + 1 :])] = parsed

    def add_value(self, leaf: Path, parsed: Parsed) -> None:
        """The value of a leaf that stands outside arrays of objects; the last one counts."""
        self._values[leaf] = parsed
        self._judged.add(leaf)

    def add_blank(self, leaf: Path) -> None:
        """A leaf whose place on the page was found empty; a value that was added counts more."""
        self._judged.add(leaf)

    def ballot(self, system: str, family: str, *, asserts_null: bool = False) -> Ballot:
        """The ballot, with a citation for every value that stands on words of a page."""
        return Ballot(
            system=system,
            family=family,
            data=self._record(self._root, ()),
            asserts_null=asserts_null,
            unsupported=frozenset(path for path in self._leaves if path not in self._judged),
            citations={
                path: evidence(parsed.words, system)
                for path, parsed in sorted(self._values.items(), key=_order)
                if parsed.words
            },
        )

    def _record(self, record: Record, at: Path) -> dict[str, Json]:
        data: dict[str, Json] = {}
        for name, node in record.fields.items():
            here = (*at, name)
            if isinstance(node, Record):
                data[name] = self._record(node, here)
            elif isinstance(node, Table):
                if here in self._rows:
                    data[name] = [self._record(node.row, (*here, index)) for index in range(self._rows[here])]
            elif node.path in self._judged:
                data[name] = self._values[here].value if here in self._values else None
        return data


def _order(item: tuple[Path, Parsed]) -> tuple[int, str]:
    path, parsed = item
    return parsed.words[0].order if parsed.words else -1, repr(path)
