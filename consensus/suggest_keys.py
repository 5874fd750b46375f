"""Which columns tell the rows of an array apart: identity keys proposed from what several systems read.

A good key is unique within each ballot (two rows never share it) and found in most others (systems read it alike).
Both are counted over real ballots, nothing is guessed from names. A key that nobody could have tested is not proposed:
one row is always unique, and one system always agrees with itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from consensus.read import Abstained, Reader, Rows
from groundtruth.ballot import Ballot
from groundtruth.path import Path, format_path
from groundtruth.rules import Comparator
from groundtruth.schema import FrozenSchema, Leaf, Record, Table, relative
from groundtruth.value import Key, Value
from groundtruth.wording import counted

MIN_UNIQUE: Final = 0.95
"""Share of rows that a proposed key must tell apart."""

MIN_AGREEMENT: Final = 0.97
"""Share of its keys that a majority of the systems must have read. Rows whose key is read in two ways fall apart:
below this, alignment by content keeps more of them together."""

MIN_ROWS: Final = 3
"""Rows that one ballot must have for its array to say anything about a key."""

MAX_COLUMNS: Final = 3
"""Columns of a key."""

_SHOWN: Final = 5
_MIN_GAIN: Final = 0.01
_WIDTH: Final = {1: 64, 2: 10, 3: 6}
"""How many columns, the best first, are combined into keys of each size."""

_NO_KEY: Final = frozenset({Comparator.LIST, Comparator.OPAQUE})
_WEAK: Final = frozenset({Comparator.NUMBER, Comparator.CURRENCY, Comparator.BOOLEAN})
_WEAKNESS: Final = 0.05


@dataclass(frozen=True, slots=True)
class KeyCandidate:
    """A set of columns, and how well it would serve as identity.

    Attributes:
        columns: paths of the cells relative to the row, in the order of the schema.
        rows: rows seen, over all ballots.
        unique: rows whose key stands once in their array.
        keyless: rows in which every column is null or unreadable.
        agreement: of the keys that the systems read, the share that most systems on that document read; None when no
            document has two ballots with rows.
        weak: how many of the columns are amounts or booleans, which tell rows apart by chance.
    """

    columns: tuple[Path, ...]
    rows: int
    unique: int
    keyless: int
    agreement: float | None
    weak: int

    @property
    def score(self) -> float:
        """Share of unique rows times agreement, less a little for every weak column."""
        agreed = 1.0 if self.agreement is None else self.agreement
        return self.unique / self.rows * agreed - _WEAKNESS * self.weak

    @property
    def names(self) -> tuple[str, ...]:
        """The columns as a rules file names them."""
        return tuple(format_path(column) for column in self.columns)

    @property
    def why(self) -> str:
        """The figures as a clause."""
        parts = [f"tells {self.unique} of {self.rows} rows apart"]
        if self.agreement is None:
            parts.append("no second system to compare with")
        else:
            parts.append(f"most systems read {self.agreement:.1%} of its values")
        if self.keyless:
            parts.append(f"empty in {counted(self.keyless, 'row')}")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class KeySuggestion:
    """What the ballots say about the identity of one array.

    Attributes:
        table: the array.
        ballots: ballots that have rows of it.
        candidates: the best candidates, best first.
        proposed: the one to declare; None when none is good enough.
        reason: why it is proposed, or why none is.
    """

    table: Table
    ballots: int
    candidates: tuple[KeyCandidate, ...]
    proposed: KeyCandidate | None
    reason: str


def suggest_keys(
    schema: FrozenSchema, documents: Mapping[str, Sequence[Ballot]], *, declared_too: bool = False
) -> list[KeySuggestion]:
    """Propose identity keys for the arrays of objects that declare none.

    The answer depends neither on the order of documents and ballots nor on the names of systems. Candidates of equal
    score: fewer columns first, then the order of the schema.

    Args:
        schema: the compiled schema.
        documents: the ballots of each document; failed ones are passed over.
        declared_too: judge also the arrays whose identity is declared.
    """
    sheets = {path: _Sheet(table) for path, table in schema.tables.items() if declared_too or not table.identity}
    for ballots in documents.values():
        reader = Reader(schema)
        for sheet in sheets.values():
            sheet.open_document()
        for ballot in ballots:
            if ballot.usable:
                _gather(reader, ballot, schema, sheets)
    return [_suggestion(sheet) for sheet in sheets.values()]


@dataclass(frozen=True, slots=True)
class _Answer:
    """The rows of one array in one ballot: ``arrays`` are the bounds of each instance among the sheet's rows."""

    arrays: list[range] = field(default_factory=list)

    @property
    def rows(self) -> Iterator[int]:
        for array in self.arrays:
            yield from array


class _Sheet:
    """All rows of one array over all ballots, column by column, each distinct value as a number; 0 is no value."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.leaves = list(table.row.leaves())
        self.columns: list[list[int]] = [[] for _ in self.leaves]
        self.documents: list[list[_Answer]] = []
        self._numbers: list[dict[Key, int]] = [{} for _ in self.leaves]
        self.rows = 0

    def open_document(self) -> None:
        """The ballots that follow are of another document."""
        self.documents.append([])

    def open_ballot(self) -> None:
        """The arrays that follow are of another ballot."""
        self.documents[-1].append(_Answer())

    def add_array(self, rows: Iterable[Sequence[object]]) -> None:
        """One instance of the array: the readings of each row, leaf by leaf."""
        start = self.rows
        for readings in rows:
            for column, numbers, reading in zip(self.columns, self._numbers, readings, strict=True):
                if isinstance(reading, Value):
                    column.append(numbers.setdefault(reading.key, len(numbers) + 1))
                else:
                    column.append(0)
            self.rows += 1
        self.documents[-1][-1].arrays.append(range(start, self.rows))

    @property
    def answers(self) -> list[_Answer]:
        """The ballots that have rows, over all documents."""
        return [answer for document in self.documents for answer in document if any(answer.arrays)]


def _gather(reader: Reader, ballot: Ballot, schema: FrozenSchema, sheets: Mapping[Path, _Sheet]) -> None:
    for sheet in sheets.values():
        sheet.open_ballot()

    def enter(record: Record, tables: Sequence[Rows | Abstained]) -> None:
        for table, rows in zip(record.tables(), tables, strict=True):
            if isinstance(rows, Abstained):
                continue
            slips = [reader.slip(ballot, table.row, part) for part in rows.parts]
            if table.path in sheets:
                sheets[table.path].add_array(slip.readings for slip in slips)
            for slip in slips:
                enter(table.row, slip.tables)

    enter(schema.root, reader.root(ballot).tables)


def _suggestion(sheet: _Sheet) -> KeySuggestion:
    ballots = len(sheet.answers)
    longest = max((len(array) for answer in sheet.answers for array in answer.arrays), default=0)
    if longest < MIN_ROWS:
        seen = f"no ballot has more than {counted(longest, 'row')}" if longest else "no ballot has a row"
        return KeySuggestion(sheet.table, ballots, (), None, f"{seen} of it, and fewer than {MIN_ROWS} tell nothing")
    ranked = _ranked(sheet)[:_SHOWN]
    good = [candidate for candidate in ranked if _good(candidate)]
    best = next((candidate for candidate in good if not candidate.weak), None)
    reason = best.why if best else _why_none(ranked, good)
    return KeySuggestion(sheet.table, ballots, tuple(ranked), best, reason)


def _good(candidate: KeyCandidate) -> bool:
    agreed = candidate.agreement is not None and candidate.agreement >= MIN_AGREEMENT
    return agreed and candidate.unique >= MIN_UNIQUE * candidate.rows


def _why_none(ranked: Sequence[KeyCandidate], good: Sequence[KeyCandidate]) -> str:
    if ranked and ranked[0].agreement is None:
        return "only one system has rows of it; ballots of a second one are needed to tell"
    if good:
        names = ", ".join(good[0].names)
        return f"only amounts tell its rows apart ({names}), which may be chance; declare them if they always do"
    return (
        f"no key of up to {MAX_COLUMNS} columns tells {MIN_UNIQUE:.0%} of the rows apart with {MIN_AGREEMENT:.0%} of "
        f"its values read alike; its rows stay aligned by content"
    )


def _ranked(sheet: _Sheet) -> list[KeyCandidate]:
    """Candidates, best first.

    Longer keys are looked for only while no shorter one is good, and one counts only if it is clearly better than each
    key inside it.
    """
    usable = [index for index, leaf in enumerate(sheet.leaves) if _may_be_key(sheet, index, leaf)]
    found: dict[tuple[int, ...], KeyCandidate] = {}
    scores: dict[tuple[int, ...], float] = {}
    for size in range(1, MAX_COLUMNS + 1):
        if any(_good(candidate) and not candidate.weak for candidate in found.values()):
            break
        best_columns = sorted(usable, key=lambda index: (-scores.get((index,), 0.0), index))[: _WIDTH[size]]
        for columns in combinations(sorted(best_columns), size):
            candidate = _judge(sheet, columns)
            inner = max((scores[part] for part in _parts(columns) if part in scores), default=0.0)
            scores[columns] = max(candidate.score, inner)
            if candidate.score > inner + _MIN_GAIN:
                found[columns] = candidate
    order = sorted(found, key=lambda columns: (-round(found[columns].score, 6), len(columns), columns))
    return [found[columns] for columns in order]


def _parts(columns: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The keys inside a key, one column shorter."""
    return combinations(columns, len(columns) - 1) if len(columns) > 1 else iter(())


def _may_be_key(sheet: _Sheet, index: int, leaf: Leaf) -> bool:
    return leaf.comparator not in _NO_KEY and any(sheet.columns[index])


def _judge(sheet: _Sheet, columns: tuple[int, ...]) -> KeyCandidate:
    leaves = [sheet.leaves[index] for index in columns]
    keys = list(zip(*(sheet.columns[index] for index in columns), strict=True))
    empty = (0,) * len(columns)
    unique = 0
    for answer in sheet.answers:
        for array in answer.arrays:
            counts = Counter(keys[row] for row in array)
            unique += sum(count == 1 for key, count in counts.items() if key != empty)
    return KeyCandidate(
        columns=tuple(relative(leaf.path, sheet.table.row.path) for leaf in leaves),
        rows=sheet.rows,
        unique=unique,
        keyless=sum(key == empty for key in keys),
        agreement=_agreement(sheet, keys, empty),
        weak=sum(leaf.comparator in _WEAK for leaf in leaves),
    )


def _agreement(sheet: _Sheet, keys: Sequence[tuple[int, ...]], empty: tuple[int, ...]) -> float | None:
    """The share of keys that a majority of the ballots on their document has; None without two ballots.

    A row that one system lacks then says nothing against a column, while one that it misreads does. The rows of a
    nested array are compared across the whole document, because the rows around it are not aligned yet.
    """
    shared = read = 0
    for document in sheet.documents:
        pools = [{keys[row] for row in answer.rows} - {empty} for answer in document if any(answer.arrays)]
        if len(pools) < 2:
            continue
        holders = Counter(key for pool in pools for key in pool)
        read += sum(holders.values())
        shared += sum(count for count in holders.values() if count > len(pools) / 2)
    return shared / read if read else None
