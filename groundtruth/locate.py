"""A value to the words that print it: most systems cite nothing, so what they read has to be found on the pages.

Nothing is approximated. A place is a run of consecutive words that read as the value: a number however it is grouped,
signed or labelled with its currency, a date in any of the readable ways of writing it, a text whatever its spacing and
line breaks. A sum, a translation or a summary is not printed, so it is not found.

Where a value is printed several times, the cells of its row and the labels around its places decide. What they leave
open is said: every place is listed, none is chosen in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from groundtruth.collector import collector_paused
from groundtruth.consensus import Location
from groundtruth.evidence import Evidence, Kind, Source
from groundtruth.locate_cells import CellRanker
from groundtruth.locate_find import Finder, Found, Place, Sought
from groundtruth.locate_label import LabelReader
from groundtruth.locate_layout import Layout, PageWords
from groundtruth.locate_rank import Outcome, Ranked, Ranker
from groundtruth.locate_rows import TableLines
from groundtruth.path import Path, schema_path
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf

MOST_LISTED: Final = 20
"""Of the places of an ambiguous value the best ones are listed; a value printed more often gets no more."""


def locate(sought: Sequence[Sought], pages: Sequence[PageWords]) -> dict[Path, Location]:
    """Find values on the pages of one document.

    Args:
        sought: the values, each path once; their order does not matter.
        pages: the pages of the document in order.

    Returns:
        A location for every path. When it is certain, its evidence is the place that is meant, or all of them when the
        same thing is printed several times. When it is not, all places are listed, the likeliest first and at most
        ``MOST_LISTED``; equally likely ones stand in page order. Reasons are those of ``locate_rank.Outcome``.
    """
    with collector_paused():
        locator = _Locator(pages)
        scalars, tables = _by_row(sought)
        for rows in tables.values():
            locator.locate_table(rows)
        locator.locate_scalars(scalars)
        return {each.path: locator.locations[each.path] for each in sought}


_Rows = dict[Path, dict[Path, Sought]]


def _by_row(sought: Iterable[Sought]) -> tuple[list[Sought], dict[Path, _Rows]]:
    """Split values into those outside rows, and those in rows by schema path of their table and path of their row."""
    scalars: list[Sought] = []
    tables: dict[Path, _Rows] = {}
    for each in sorted(sought, key=lambda each: _sort_key(each.path)):
        last = max((place for place, step in enumerate(each.path) if isinstance(step, int)), default=None)
        if last is None:
            scalars.append(each)
            continue
        rows = tables.setdefault(schema_path(each.path[:last]), {})
        rows.setdefault(each.path[: last + 1], {})[each.path[last + 1 :]] = each
    return scalars, tables


def _sort_key(path: Path) -> tuple[tuple[int, int, str], ...]:
    return tuple((0, step, "") if isinstance(step, int) else (1, 0, str(step)) for step in path)


class _Locator:
    """One document's search; locations gather in ``locations``."""

    def __init__(self, pages: Sequence[PageWords]) -> None:
        self._layout = Layout(pages)
        self._finder = Finder(self._layout)
        labels = LabelReader(self._layout)
        self._ranker = Ranker(self._layout, labels)
        self._cells = CellRanker(self._layout, labels)
        self._claimed: set[tuple[int, ...]] = set()
        self.locations: dict[Path, Location] = {}

    def locate_table(self, rows: Mapping[Path, Mapping[Path, Sought]]) -> None:
        """Locate the cells of all rows of one table."""
        found = [self._find_cells(cells) for cells in rows.values()]
        leaves = {field: cell.leaf for cells in rows.values() for field, cell in cells.items()}
        lines = TableLines(found, len(self._layout.lines))
        for (row, cells), ranked in zip(rows.items(), self._cells.rank(lines, leaves), strict=True):
            for field, cell in ranked.items():
                self._keep(row + field, cell)
                if cell.certain:
                    self._claimed.update(place.words for place in cell.places)
            self._locate_without_row(cell for field, cell in cells.items() if field not in ranked)

    def locate_scalars(self, sought: Sequence[Sought]) -> None:
        """Locate values outside rows."""
        ranked: dict[Path, tuple[Sought, Ranked]] = {}
        for each in sought:
            found = None if each.value is None else self._finder.find(each)
            if found is not None:
                ranked[each.path] = (each, self._ranker.rank(found, each.leaf, self._claimed))
        self._locate_without_row(each for each in sought if each.path not in ranked)
        claims = Counter(place.words for _, each in ranked.values() if each.certain for place in each.places)
        claims.update(self._claimed)
        for path, (each, result) in ranked.items():
            shared = result.certain and len(result.places) == 1 and claims[result.places[0].words] > 1
            if shared and not self._ranker.is_named(result.places[0], each.leaf):
                result = Ranked(result.places, False, Outcome.SHARED)
            self._keep(path, result)

    def _locate_without_row(self, sought: Iterable[Sought]) -> None:
        """Locate what has no places of its own: null, lists, and values without a printed form."""
        for each in sought:
            if each.value is None:
                self.locations[each.path] = Location(reason=Outcome.NOT_SOUGHT)
            elif each.leaf.comparator is Comparator.LIST:
                self.locations[each.path] = self._locate_list(each)
            else:
                self.locations[each.path] = Location(reason=Outcome.NO_PRINTED_FORM)

    def _find_cells(self, cells: Mapping[Path, Sought]) -> dict[Path, Found]:
        found = {field: self._find(cell) for field, cell in cells.items()}
        return {field: places for field, places in found.items() if places is not None}

    def _find(self, sought: Sought) -> Found | None:
        return None if sought.value is None else self._finder.find(sought)

    def _locate_list(self, sought: Sought) -> Location:
        """A list is located by its items; it is certain when every item is, and then each page is one place."""
        items = sought.value if isinstance(sought.value, list) else [sought.value]
        ranked = [
            self._ranked_item(Sought(sought.path, sought.leaf.item, item), sought.leaf.item)
            for item in items
            if item is not None and sought.leaf.item is not None
        ]
        if not ranked:
            return Location(reason=Outcome.NO_PRINTED_FORM)
        if all(each.certain for each in ranked):
            return Location(self._item_evidence([each.places[0] for each in ranked]), True, Outcome.ITEMS)
        places = tuple(dict.fromkeys(place for each in ranked for place in each.places))
        missing = any(not each.places for each in ranked)
        return self._location(Ranked(places, False, Outcome.NOT_FOUND if missing else Outcome.AMBIGUOUS))

    def _ranked_item(self, item: Sought, leaf: Leaf) -> Ranked:
        found = self._finder.find(item)
        if found is None:
            return Ranked((), False, Outcome.NO_PRINTED_FORM)
        return self._ranker.rank(found, leaf, self._claimed)

    def _item_evidence(self, places: Sequence[Place]) -> tuple[Evidence, ...]:
        by_page: dict[int, list[Place]] = {}
        for place in places:
            by_page.setdefault(self._layout.page[place.words[0]], []).append(place)
        return tuple(self._evidence(tuple(word for place in each for word in place.words)) for each in by_page.values())

    def _keep(self, path: Path, ranked: Ranked) -> None:
        self.locations[path] = self._location(ranked)

    def _location(self, ranked: Ranked) -> Location:
        outcome = ranked.outcome
        if outcome is Outcome.NOT_FOUND and self._layout.empty_pages:
            outcome = Outcome.UNREAD_PAGES if self._layout.words else Outcome.NO_TEXT
        evidence = tuple(self._evidence(place.words, part=place.part) for place in ranked.places[:MOST_LISTED])
        return Location(evidence, ranked.certain, outcome)

    def _evidence(self, words: tuple[int, ...], *, part: bool = False) -> Evidence:
        return Evidence(
            page=self._layout.page[words[0]],
            boxes=self._layout.boxes(words),
            quote=self._layout.text(words),
            kind=Kind.WORD if part else Kind.LINE,
            source=Source.LOCATED,
            words=tuple(sorted(self._layout.words[word].id for word in words)),
        )


__all__ = ["MOST_LISTED", "Outcome", "PageWords", "Sought", "locate"]
