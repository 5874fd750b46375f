"""Votes and decisions joined into the truth of a document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import median_low
from typing import Final

from annotation.equality import value_class
from annotation.situation import Known, Situation, Status, Why
from annotation.truth_places import truth_evidence
from groundtruth.consensus import LeafConsensus, Presence, RowConsensus
from groundtruth.decision import Verdict
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path, rows_around
from groundtruth.schema import Leaf, Record, Table
from groundtruth.truth import GroundTruth, TruthEvidence

MADE_BY: Final = "made_by"
RESOLVE: Final = "resolve"
"""What ``MADE_BY`` says in a truth that was made here, and that may be made again."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """The truth of a document as far as it is known.

    Attributes:
        truth: its value, evidence, and under further keys how it is known. ``leaves`` says of every leaf and row that
            the vote did not accept how it was verified and by whom. An unresolved leaf is null in the value, and a row
            whose presence is open is left out; both are said under ``unresolved`` and ``open_rows``.
        unresolved: the open leaves of the rows that are there, by their path in the truth, with why.
        open_rows: the rows whose presence is open, by their path in the vote, with why.
        paths: where each leaf and row of the vote is in the truth, by its path in the vote.
        counts: how many leaves are known how.
    """

    truth: GroundTruth
    unresolved: Mapping[Path, Why]
    open_rows: Mapping[Path, Why]
    paths: Mapping[Path, Path]
    counts: Mapping[Status, int]

    @property
    def is_complete(self) -> bool:
        """Whether nothing is open."""
        return not self.unresolved and not self.open_rows


def _as_it_is(place: Evidence) -> Evidence:
    return place


def resolve(
    situation: Situation, *, provisional: bool = False, quoted: Callable[[Evidence], Evidence] = _as_it_is
) -> Resolution:
    """Join the vote on a document and what people decided on it.

    Args:
        situation: the document's vote and decisions.
        provisional: whether majorities that nobody looked at are taken, and marked; otherwise they are unresolved.
        quoted: gives a place the words that stand there, if it has none.

    What a person decided holds against any vote. A row that was decided to be there stands where the systems that have
    it have it. A cell that follows from its row takes what all systems that have the row read.
    """
    return _Truth(situation, quoted, provisional=provisional).resolution()


class _Truth:
    """The truth while it is put together, in the order of the schema."""

    def __init__(self, situation: Situation, quoted: Callable[[Evidence], Evidence], *, provisional: bool) -> None:
        self._situation = situation
        self._quoted = quoted
        self._provisional = provisional
        self._rows: dict[Path, list[RowConsensus]] = defaultdict(list)
        for row in situation.consensus.rows:
            self._rows[row.path[:-1]].append(row)
        self._evidence: dict[str, tuple[TruthEvidence, ...]] = {}
        self._records: dict[str, Json] = {}
        self._unresolved: dict[Path, Why] = {}
        self._open_rows: dict[Path, Why] = {}
        self._paths: dict[Path, Path] = {}
        self._counts: Counter[Status] = Counter()

    def resolution(self) -> Resolution:
        """The whole of it."""
        situation = self._situation
        value = self._record(situation.schema.root, (), ())
        further: dict[str, Json] = {
            MADE_BY: RESOLVE,
            "verified": not self._unresolved and not self._open_rows,
            "leaves": self._records,
            "unresolved": {format_path(path): str(why) for path, why in self._unresolved.items()},
            "open_rows": [self._open_row(path, why) for path, why in self._open_rows.items()],
        }
        truth = GroundTruth(
            document=situation.document,
            schema_name=situation.schema.name,
            schema_version=situation.schema.version,
            value=value,
            evidence=self._evidence,
            further=further,
        )
        return Resolution(truth, self._unresolved, self._open_rows, self._paths, dict(self._counts))

    def _record(self, record: Record, voted: Path, here: Path) -> dict[str, Json]:
        """One object; ``voted`` is its path in the vote, ``here`` its path in the truth."""
        found: dict[str, Json] = {}
        for name, node in record.fields.items():
            if isinstance(node, Leaf):
                found[name] = self._leaf(node, (*voted, name), (*here, name))
            elif isinstance(node, Table):
                found[name] = self._table(node, (*voted, name), (*here, name))
            else:
                found[name] = self._record(node, (*voted, name), (*here, name))
        return found

    def _table(self, table: Table, voted: Path, here: Path) -> list[Json]:
        return [
            self._row(table, row, (*here, index))
            for index, row in enumerate(_in_order(row for row in self._rows.get(voted, ()) if self._takes(row)))
        ]

    def _row(self, table: Table, row: RowConsensus, here: Path) -> Json:
        self._paths[row.path] = here
        self._record_of(here, self._situation.known_row(row.path), row.tier)
        return self._record(table.row, row.path, here)

    def _takes(self, row: RowConsensus) -> bool:
        """Whether a row of a record that is there belongs in the truth; one that is open is put down."""
        known = self._situation.known_row(row.path)
        if known.is_open:
            self._open_rows[row.path] = known.why or Why.UNDECIDED
            return False
        if known.status is Status.PROVISIONAL and not self._provisional:
            self._open_rows[row.path] = Why.PROVISIONAL
            return False
        return self._situation.is_there(row.path) is True

    def _leaf(self, leaf: Leaf, voted: Path, here: Path) -> Json:
        situation = self._situation
        found = situation.leaves_by_path[voted]
        known = situation.known_leaf(voted)
        if known.status is Status.PROVISIONAL and not self._provisional:
            known = Known(Status.UNRESOLVED, Why.PROVISIONAL)
        self._paths[voted] = here
        self._counts[known.status] += 1
        self._record_of(here, known, found.tier)
        if known.is_open:
            self._unresolved[here] = known.why or Why.UNDECIDED
            return None
        value, alternates, places = self._content(found, known, leaf)
        reviewed = known.status in (Status.REVIEWED, Status.AGREED)
        evidence = truth_evidence(value, alternates, map(self._quoted, places), leaf, reviewed=reviewed)
        if evidence:
            self._evidence[format_path(here)] = evidence
        return value

    def _content(
        self, found: LeafConsensus, known: Known, leaf: Leaf
    ) -> tuple[Json, tuple[Json, ...], tuple[Evidence, ...]]:
        """The value of a leaf that is known, its further readings, and where it stands."""
        situation = self._situation
        certain = found.location.evidence if found.location.certain else ()
        said = situation.leaves.get(found.path)
        if said is None:
            if known.standing is None:
                return found.value, (), certain
            row = situation.settled[found.path]
            value = situation.settled_value(found, row)
            return value, (), certain or self._places_in_row(value, row, leaf)
        value = said.last.value if said.last.verdict is not Verdict.NULL else None
        alternates = said.alternates(leaf) if value is not None else ()
        places = next((each.evidence for each in reversed(said.decisions) if each.evidence), ())
        unseen = not places and not any(each.boxes_changed for each in said.decisions)
        if unseen and value_class(found.value, leaf) == value_class(value, leaf):
            # The vote's place may have been found since the question was put.
            places = certain
        return value, alternates, places

    def _places_in_row(self, value: Json, row: Path, leaf: Leaf) -> tuple[Evidence, ...]:
        """The places that a person saw with a row and that support a value, where no other cell has the value too."""
        situation = self._situation
        said = value_class(value, leaf)
        cells = [situation.leaves_by_path[cell] for cell in situation.row_questions[row].settles]
        values = [value_class(situation.settled_value(cell, row), None) for cell in cells]
        if values.count(value_class(value, None)) != 1:
            return ()
        said_of_row = situation.rows[row].last
        places = said_of_row.evidence if said_of_row.is_row else ()
        return tuple(place for place in places if place.value is not None and value_class(place.value, leaf) == said)

    def _record_of(self, here: Path, known: Known, tier: str) -> None:
        """How a leaf or row was verified, by whom, and on which decisions that rests; nothing when the vote did."""
        if known.status is Status.ACCEPTED:
            return
        record: dict[str, Json] = {"status": str(known.status), "tier": str(tier)}
        if known.why is not None:
            record["why"] = str(known.why)
        if known.standing is not None:
            record["by"] = list(known.standing.by)
            record["decisions"] = [decision.id for decision in known.standing.decisions]
        self._records[format_path(here)] = record

    def _open_row(self, row: Path, why: Why) -> dict[str, Json]:
        """A row that is not in the truth, by what it holds, since it has no path there."""
        array = row[:-1]
        around = tuple(rows_around(array))
        outer = self._paths.get(around[-1], ()) if around else ()
        return {
            "array": format_path((*outer, *array[len(outer) :])),
            "row_id": self._situation.rows_by_path[row].row_id,
            "presence": str(self._situation.rows_by_path[row].presence),
            "why": str(why),
        }


def _in_order(rows: Iterable[RowConsensus]) -> list[RowConsensus]:
    """The rows in the vote's order; those that the vote does not have, where the systems that have them have them."""
    taken = list(rows)
    placed = [row for row in taken if row.presence is Presence.PRESENT]
    for row in taken:
        if row.presence is not Presence.PRESENT:
            placed.insert(_position(row, placed), row)
    return placed


def _position(row: RowConsensus, placed: list[RowConsensus]) -> int:
    """Behind the rows that stand before it in the systems' own answers; of several opinions the middle one."""
    after = []
    for system, own in row.members.items():
        known = [at for at, other in enumerate(placed) if system in other.members]
        if known:
            before = [at for at in known if placed[at].members[system] < own]
            after.append(before[-1] + 1 if before else known[0])
    return median_low(after) if after else len(placed)
