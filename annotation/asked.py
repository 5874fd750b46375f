"""What is known of a document when questions on it are put: its vote, and where its values may stand."""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import NamedTuple

from groundtruth.consensus import NOWHERE, Consensus, LeafConsensus, Location, Presence, RowConsensus
from groundtruth.decision import RowLink, leaf_key, row_fingerprint, row_key
from groundtruth.document import Kind
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, rows_around, schema_path
from groundtruth.schema import FrozenSchema


class Asked(NamedTuple):
    """A document on which questions are put.

    Attributes:
        document: its id.
        type: what sort of document it is, or "".
        kind: every leaf of a form is asked, in the order of the page.
        schema: the compiled schema.
        consensus: the vote.
        page_count: how many pages it has.
        places: where candidates of leaves may stand, by instance path; see ``wanted_places`` for which leaves.
        notices: why a leaf or row is asked again, for people, by instance path.
        settles: ids of the decisions that an answer supersedes, by instance path.
        decided: leaves and rows that are not asked: those decided on, and those that wait for an answer.
        seen: pages of which a person said "not on this page", by instance path.
        singly: leaves that are never part of a bulk question, because a person wanted to see them one by one.
    """

    document: str
    type: str
    kind: Kind
    schema: FrozenSchema
    consensus: Consensus
    page_count: int
    places: Mapping[Path, Location] = {}
    notices: Mapping[Path, str] = {}
    settles: Mapping[Path, tuple[str, ...]] = {}
    decided: Collection[Path] = frozenset()
    seen: Mapping[Path, Collection[int]] = {}
    singly: Collection[Path] = frozenset()


def keys_of(asked: Asked) -> dict[str, Path]:
    """The key of every leaf and row of a document under its present vote and schema, with its instance path."""
    sheet = Sheet(asked)
    keys = {sheet.row_key(row): row.path for row in asked.consensus.rows}
    keys.update((sheet.leaf_key(leaf), leaf.path) for leaf in asked.consensus.leaves)
    return keys


class Sheet:
    """A document's vote by path: leaves, rows, what a row holds, and on which page it is expected."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked

    @cached_property
    def leaves(self) -> dict[Path, LeafConsensus]:
        """Every leaf by instance path."""
        return {leaf.path: leaf for leaf in self.asked.consensus.leaves}

    @cached_property
    def rows(self) -> dict[Path, RowConsensus]:
        """Every row by instance path."""
        return {row.path: row for row in self.asked.consensus.rows}

    @cached_property
    def place_of(self) -> dict[Path, int]:
        """The place of every leaf in the schema's order, by instance path, and of every row that of its first leaf."""
        order: dict[Path, int] = {}
        for at, leaf in enumerate(self.asked.consensus.leaves):
            order[leaf.path] = at
            for row in rows_around(leaf.path):
                order.setdefault(row, at)
        return order

    def was_asked(self, path: Path) -> bool:
        """Whether a leaf or row is asked again."""
        asked = self.asked
        return path in asked.notices or path in asked.settles or path in asked.seen

    def is_apart(self, path: Path) -> bool:
        """Whether a leaf needs a card of its own: a bulk question has no room for why it is asked again."""
        return path in self.asked.singly or self.was_asked(path)

    def location(self, leaf: LeafConsensus) -> Location:
        """Where a leaf stands: the certain places of its proposal, else what was found of its candidates."""
        if leaf.location.certain and leaf.location.evidence:
            return leaf.location
        found = self.asked.places.get(leaf.path, NOWHERE)
        if found.evidence:
            return found
        return leaf.location._replace(certain=False)

    def links(self, path: Path) -> tuple[RowLink, ...]:
        """The rows around a leaf or of a row, each with what it holds."""
        found = []
        for row in rows_around(path):
            if row not in self._links:
                self._links[row] = self._link(row)
            found.append(self._links[row])
        return tuple(found)

    def leaf_key(self, leaf: LeafConsensus) -> str:
        """The key of a leaf under the present schema."""
        return leaf_key(self.asked.document, self._row_ids(leaf.path), leaf.field, self.fingerprint(leaf.field))

    def row_key(self, row: RowConsensus) -> str:
        """The key of a row's presence under the present schema."""
        table = schema_path(row.path[:-1])
        return row_key(self.asked.document, self._row_ids(row.path), table, self.row_fingerprint(table))

    def fingerprint(self, field: Path) -> str:
        """The fingerprint of a leaf, by schema path."""
        return self.asked.schema.leaves[field].fingerprint

    def row_fingerprint(self, table: Path) -> str:
        """The fingerprint of the rows of an array, by schema path."""
        return row_fingerprint(self.asked.schema.tables[table])

    def cells(self, row: Path) -> list[LeafConsensus]:
        """The cells of a row, those of arrays inside it excluded."""
        return self._cells.get(row, [])

    def row_value(self, leaf: LeafConsensus) -> Json:
        """What a cell's row holds there: the proposal, or in a row that the vote does not have, what all readers read.

        None when that is nothing, or when they differ.
        """
        row = tuple(rows_around(leaf.path))[-1]
        if self.rows[row].presence is Presence.PRESENT:
            return leaf.value
        read = [found.value for found in leaf.read_values]
        return read[0] if len(read) == 1 else None

    def row_places(self, row: Path) -> list[Evidence]:
        """The places of the row's own cells; the first pages of ``row_pages`` stand in them most often."""
        return [place for cell in self.cells(row) for place in self.location(cell).evidence]

    def row_pages(self, row: Path) -> list[int]:
        """The pages of a row, the likeliest first: where most of its cells stand, else where its neighbours stand."""
        if row not in self._row_pages:
            self._row_pages[row] = self._own_pages(row) or self._pages_of_neighbours(row)
        return self._row_pages[row]

    @cached_property
    def _cells(self) -> dict[Path, list[LeafConsensus]]:
        cells: dict[Path, list[LeafConsensus]] = defaultdict(list)
        for leaf in self.asked.consensus.leaves:
            around = tuple(rows_around(leaf.path))
            if around:
                cells[around[-1]].append(leaf)
        return cells

    @cached_property
    def _links(self) -> dict[Path, RowLink]:
        return {}

    @cached_property
    def _row_pages(self) -> dict[Path, list[int]]:
        return {}

    @cached_property
    def _rows_read(self) -> dict[tuple[Path, str], list[tuple[int, int]]]:
        """Per array and system: where in its answer the system has a row whose page is known, and that page."""
        read: dict[tuple[Path, str], list[tuple[int, int]]] = defaultdict(list)
        for row in self.asked.consensus.rows:
            pages = self._own_pages(row.path)
            for system, at in row.members.items() if pages else ():
                read[row.path[:-1], system].append((at, pages[0]))
        return {answer: sorted(found) for answer, found in read.items()}

    def _own_pages(self, row: Path) -> list[int]:
        counts: Counter[int] = Counter()
        for cell in self.cells(row):
            counts.update({place.page for place in self.location(cell).evidence})
        return sorted(counts, key=lambda page: (-counts[page], page))

    def _pages_of_neighbours(self, row: Path) -> list[int]:
        nearest: dict[int, int] = {}
        for system, at in self.rows[row].members.items():
            read = self._rows_read.get((row[:-1], system), [])
            after = bisect(read, (at, 0))
            for other, page in read[max(0, after - 1) : after + 1]:
                nearest[page] = min(abs(other - at), nearest.get(page, abs(other - at)))
        return sorted(nearest, key=lambda page: (nearest[page], page))

    def _link(self, row: Path) -> RowLink:
        cells = {format_path(cell.path[len(row) :]): self.row_value(cell) for cell in self.cells(row)}
        return RowLink(schema_path(row[:-1]), self.rows[row].row_id, cells)

    def _row_ids(self, path: Path) -> list[str]:
        return [self.rows[row].row_id for row in rows_around(path)]
