"""Single fields: a label and its value in one ruled cell, in neighbouring cells, or in a line of text.

Each place that a label stands in gives at most one candidate. What is surer wins; candidates of one rank that differ
leave the field unjudged, and so do two fields that lay claim to the same words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from extractors.conventions import Conventions
from extractors.labels import words_of_name
from extractors.text_cells_grid import Cell
from extractors.text_cells_lines import Run, TextLine, fold_words, is_label_like, lines_of, look_alike
from extractors.text_cells_marks import Option, is_mark, options
from extractors.text_cells_names import Claim, Hit, NamePatterns
from extractors.text_cells_ruled import cell_text
from extractors.text_cells_sections import Sections
from extractors.text_cells_tables import PageCells
from extractors.typed import Parsed, is_number_like, is_plausible, is_text, parse
from extractors.words import Word, join
from groundtruth.path import Path
from groundtruth.schema import Leaf

_PROSE: Final = frozenset({"address", "description", "notes", "note", "remarks", "comments", "terms", "reason"})
_BELOW: Final = 1.6
"""In line heights: a value under its label is no further away."""

_ALIGNED: Final = 1.5
"""In mean character widths: how exactly a value stands under its label."""

_ROOMY: Final = 2.2
"""In line heights: a cell so high has room for a value under its label."""

_SAME_WIDTH: Final = 5.0
"""In points: a cell under a label is as wide as its label's."""

_LINE_GAP: Final = 0.7


class How(IntEnum):
    """How surely a value belongs to its label."""

    BELOW = 1
    BESIDE = 1
    COLON = 2
    CELL = 2


class Candidate(NamedTuple):
    """A value that may be a field's, or with ``parsed`` None a ruled place for it that is empty."""

    leaf: Leaf
    parsed: Parsed | None
    rank: tuple[int, int, int]


@dataclass(frozen=True)
class FoundFields:
    """The values of fields, and the fields whose ruled place is empty."""

    values: Mapping[Path, Parsed]
    blank: frozenset[Path]


class FieldReader:
    """Reads the fields outside arrays."""

    def __init__(self, patterns: NamePatterns, sections: Sections, conventions: Conventions) -> None:
        self._patterns = patterns
        self._sections = sections
        self._conventions = conventions

    def read(self, pages: Iterable[PageCells], taken: frozenset[int]) -> FoundFields:
        """The fields of a document; words whose order is in ``taken`` are neither label nor value."""
        candidates: list[Candidate] = []
        for page in pages:
            for cell in page.grid.cells:
                if not any(word.order in taken for word in cell.words):
                    candidates += self._in_cell(cell, page, taken)
            candidates += self._in_lines(
                lines_of(word for word in page.grid.free if word.order not in taken), How.COLON
            )
        return _resolved(candidates)

    def _in_cell(self, cell: Cell, page: PageCells, taken: frozenset[int]) -> Iterator[Candidate]:
        lines = lines_of(cell.words)
        if not lines:
            return
        if claims := self._patterns.whole(cell_text(cell)):
            yield from self._by_neighbours(cell, claims, page, taken)
            return
        for count in range(min(3, len(lines) - 1), 0, -1):
            claims = self._patterns.whole(" ".join(join(line.words) for line in lines[:count]))
            rest = [word for line in lines[count:] for word in line.words]
            if claims and not any(self._opens(line) for line in lines[count:]):
                yield from self._candidates(claims, rest, How.CELL, cell.words[0])
                return
        yield from self._in_lines(lines, How.CELL)

    def _opens(self, line: TextLine) -> bool:
        """Whether a line begins with a label, known or not."""
        hits = self._hits(line)
        return any(is_label_like(word.text) for word in line.words[:4]) or bool(hits and hits[0].start == 0)

    def _by_neighbours(
        self, cell: Cell, claims: Sequence[Claim], page: PageCells, taken: frozenset[int]
    ) -> Iterator[Candidate]:
        """The value of a cell that holds a label alone: to its right, below it, or nowhere."""
        right, below = page.grid.right_of(cell), page.grid.below(cell)
        if below is not None and not _is_as_wide(below, cell) and not is_label_like(cell.words[-1].text):
            below = None
        kinds = [self._kind(neighbour, page, taken) for neighbour in (right, below)]
        here = cell.words[0]
        values = [
            (neighbour, list(self._candidates(claims, _ordered(neighbour), How.CELL, here)))
            for neighbour, kind in zip((right, below), kinds, strict=True)
            if neighbour is not None and kind == "value"
        ]
        sound = [(neighbour, found) for neighbour, found in values if found]
        if len(values) == 2 or (len(values) == 1 and "blank" in kinds):
            sound = [(neighbour, found) for neighbour, found in sound if self._leads_to(cell, right, below, neighbour)]
        if len(sound) == 1:
            yield from sound[0][1]
        elif not values and self._is_blank(cell, kinds, page):
            for claim in self._meant(claims, here):
                yield Candidate(claim.leaf, None, (*claim.rank, How.CELL))

    def _leads_to(self, label: Cell, right: Cell | None, below: Cell | None, neighbour: Cell) -> bool:
        """Whether of two neighbours, one of which may be empty, the value is this one.

        A colon points to the right. Without one the styles decide: a neighbour set like the label is another label.
        """
        if is_label_like(label.words[-1].text):
            return neighbour is right
        other = below if neighbour is right else right
        if look_alike(neighbour.words[0], label.words[0]):
            return False
        return other is None or not other.words or look_alike(other.words[0], label.words[0])

    def _kind(self, cell: Cell | None, page: PageCells, taken: frozenset[int]) -> str:
        if cell is None:
            return "none"
        if not cell.words:
            return "other" if page.page.is_occupied(cell.x0, cell.y0, cell.x1, cell.y1) else "blank"
        if any(word.order in taken for word in cell.words):
            return "other"
        lines = lines_of(cell.words)
        texts = [" ".join(join(line.words) for line in lines[: end + 1]) for end in range(len(lines))]
        is_label = any(map(self._patterns.whole, texts)) or any(is_label_like(word.text) for word in cell.words)
        return "label" if is_label or self._sections.announced_by(texts[-1]) else "value"

    def _is_blank(self, cell: Cell, kinds: Sequence[str], page: PageCells) -> bool:
        """Whether a cell with a label alone has an empty neighbour, or room that is empty."""
        right, below = kinds
        if "other" in kinds or page.page.is_occupied(cell.x0, cell.y0, cell.x1, cell.y1):
            return False
        if right == "blank":
            return True
        if below == "blank":
            return right in {"label", "none"}
        height = cell.words[0].y1 - cell.words[0].y0
        return cell.y1 - cell.y0 >= _ROOMY * height

    def _in_lines(self, lines: Sequence[TextLine], surest: How) -> Iterator[Candidate]:
        for index, line in enumerate(lines):
            found = options(line)
            yield from self._marked(found)
            labels = {option.label[0].order for option in found if option.label}
            hits = [hit for hit in self._hits(line) if line.words[hit.start].order not in labels]
            for place, hit in enumerate(hits):
                end = hits[place + 1].start if place + 1 < len(hits) else len(line.words)
                yield from self._of_hit(lines, index, hit, end, surest)

    def _hits(self, line: TextLine) -> list[Hit]:
        """The labels of a line: what begins it or stands behind a gap, and further on what a colon ends."""
        accepted: list[Hit] = []
        for hit in self._patterns.hits(fold_words(line.words)):
            before = line.words[hit.start - 1].text if hit.start else ""
            first = min((run.words[0].order for run in line.runs if line.words[hit.start] in run.words), default=-1)
            lead = [word.text for word in line.words[: hit.start] if word.order >= first and _same_run(line, word, hit)]
            if not (hit.opens or all(map(_is_bullet, lead)) or (hit.colon and not before[-1:].isalpha())):
                continue
            run = next((run for run in line.runs if line.words[hit.start] in run.words), None)
            rest = [word for word in line.words[hit.end :] if run is not None and word in run.words]
            if hit.colon or not rest or self._is_value(hit.claims, rest):
                accepted.append(hit)
        return accepted

    def _is_value(self, claims: Sequence[Claim], words: Sequence[Word]) -> bool:
        """Whether words right behind a label without a colon are such a value as no other words are."""
        return any(_has_gate(claim.leaf) and self._parse(claim.leaf, words) for claim in claims)

    def _of_hit(self, lines: Sequence[TextLine], index: int, hit: Hit, end: int, surest: How) -> Iterator[Candidate]:
        line = lines[index]
        here = line.words[hit.start]
        label = line.words[hit.start : hit.end]
        rest = tuple(word for word in line.words[hit.end : end] if word.text not in ":：")
        runs = TextLine(rest).runs if rest else ()
        first = runs[0] if runs else None
        glued = first is not None and first.x0 - label[-1].x1 <= 2 * line.unit and first.words[0] is rest[0]
        if first is not None and is_mark(first.words):
            behind = {word.order for word in rest}
            found = [option for option in options(line) if option.mark[0].order in behind]
            yield from self._chosen(hit.claims, found, here)
            return
        if len(runs) > 1 and any(self._is_choice(claim.leaf, runs[:2]) for claim in hit.claims):
            return
        if first is not None and any(is_label_like(word.text) for word in first.words):
            if glued:
                return
            first = None
        below = self._below(lines, index, Run(label), line)
        if first is None:
            if below is not None and (hit.colon or self._stands_apart(label, below[0], line, lines, index)):
                yield from self._candidates(hit.claims, self._block(lines, below, hit.claims), How.BELOW, here)
            return
        how = surest if hit.colon else How.BESIDE
        words = list(first.words)
        if not hit.colon:
            claims = [claim for claim in hit.claims if _has_gate(claim.leaf)] if glued or below else list(hit.claims)
            yield from self._candidates(claims, words, how, here)
            rest_claims = [claim for claim in hit.claims if claim not in claims]
            if below and not glued and rest_claims and self._stands_apart(label, below[0], line, lines, index):
                yield from self._candidates(rest_claims, self._block(lines, below, rest_claims), How.BELOW, here)
            return
        yield from self._candidates(
            hit.claims, [*words, *self._more(lines, index, first, hit.claims, here.x0)], how, here
        )

    def _is_choice(self, leaf: Leaf, runs: Sequence[Run]) -> bool:
        """Whether both runs are values of a field that allows only a few: then they are its options, unmarked."""
        few = bool(leaf.enum) or leaf.types == {"boolean"}
        return few and all(self._parse(leaf, run.words) for run in runs)

    def _below(self, lines: Sequence[TextLine], index: int, label: Run, line: TextLine) -> tuple[Run, int] | None:
        """The run right under a label that has its run to itself, and the index of its line."""
        if index + 1 >= len(lines):
            return None
        under = lines[index + 1]
        if under.y0 - line.y1 > _BELOW * (line.y1 - line.y0):
            return None
        slack = _ALIGNED * line.unit
        for run in under.runs:
            aligned = (
                abs(run.x0 - label.x0) <= slack
                or abs(run.x1 - label.x1) <= slack
                or abs(run.x0 + run.x1 - label.x0 - label.x1) <= 2 * slack
            )
            if aligned and min(run.x1, label.x1) > max(run.x0, label.x0):
                if any(is_label_like(word.text) for word in run.words) or self._patterns.whole(run.text):
                    return None
                return run, index + 1
        return None

    def _stands_apart(
        self, label: Sequence[Word], value: Run, line: TextLine, lines: Sequence[TextLine], index: int
    ) -> bool:
        """Whether a label without a colon is one: set unlike its value, or one of a row of labels over values."""
        if not look_alike(label[0], value.words[0]):
            return True
        runs, under = line.runs, lines[index + 1].runs
        over = sum(any(min(one.x1, two.x1) > max(one.x0, two.x0) for two in under) for one in runs)
        return len(runs) >= 2 and over == len(runs) == len(under)

    def _block(self, lines: Sequence[TextLine], below: tuple[Run, int], claims: Sequence[Claim]) -> list[Word]:
        run, index = below
        return [*run.words, *self._more(lines, index, run, claims, run.x0)]

    def _more(
        self, lines: Sequence[TextLine], index: int, first: Run, claims: Sequence[Claim], margin: float
    ) -> Iterator[Word]:
        """The further lines of a value that may have several, each right under the one before.

        Nothing stands between them and the ``margin``, which is where the label begins.
        """
        if not all(words_of_name(claim.leaf) & _PROSE and is_text(claim.leaf) for claim in claims):
            return
        above = lines[index]
        for line in lines[index + 1 :]:
            if line.y0 - above.y1 > _LINE_GAP * (line.y1 - line.y0):
                return
            run = next((run for run in line.runs if run.x0 >= margin - line.unit), None)
            if (
                run is None
                or abs(run.x0 - first.x0) > line.unit
                or any(is_label_like(word.text) for word in run.words)
                or self._patterns.whole(run.text)
            ):
                return
            if not look_alike(run.words[0], first.words[0]) or self._sections.announced_by(run.text):
                return
            yield from run.words
            above = line

    def _marked(self, found: Sequence[Option]) -> Iterator[Candidate]:
        """Fields that are boxes to check: the mark stands before the label."""
        for option in found:
            claims = [claim for claim in self._patterns.whole(join(option.label)) if "boolean" in claim.leaf.types]
            if claims:
                yield from self._candidates(claims, option.mark, How.COLON, option.mark[0])

    def _chosen(self, claims: Sequence[Claim], found: Sequence[Option], here: Word) -> Iterator[Candidate]:
        """A field whose value is the one checked option behind its label, or a lone box."""
        if len(found) == 1 and not found[0].label:
            yield from self._candidates(claims, found[0].mark, How.COLON, here)
            return
        checked = [option for option in found if option.is_checked]
        if len(checked) == 1 and len(found) > 1 and checked[0].label:
            yield from self._candidates(claims, checked[0].label, How.COLON, here)

    def _candidates(self, claims: Sequence[Claim], words: Sequence[Word], how: How, here: Word) -> Iterator[Candidate]:
        """The value as one of the fields that the label may mean; nothing when it is a value of several of them."""
        if not words:
            return
        text = join(words)
        if self._patterns.whole(text) or self._sections.announced_by(text):
            return
        read = [(claim, self._parse(claim.leaf, words)) for claim in self._meant(claims, here)]
        sound = [(claim, parsed) for claim, parsed in read if parsed is not None]
        if len(sound) == 1:
            claim, parsed = sound[0]
            yield Candidate(claim.leaf, parsed, (*claim.rank, how))

    def _parse(self, leaf: Leaf, words: Sequence[Word]) -> Parsed | None:
        parsed = parse(leaf, words, self._conventions)
        return parsed if parsed is not None and is_plausible(leaf, parsed) else None

    def _meant(self, claims: Sequence[Claim], here: Word) -> list[Claim]:
        return self._sections.narrowed(claims, here)


def _resolved(candidates: Iterable[Candidate]) -> FoundFields:
    by_leaf: dict[Path, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_leaf[candidate.leaf.path].append(candidate)
    best: dict[Path, Candidate] = {}
    blank: set[Path] = set()
    for path, held in by_leaf.items():
        rank = max(candidate.rank for candidate in held)
        surest = [candidate for candidate in held if candidate.rank == rank]
        keys = {None if candidate.parsed is None else candidate.parsed.key for candidate in surest}
        if len(keys) == 1 and surest[0].parsed is not None:
            best[path] = surest[0]
        elif keys == {None} and len(held) == len(surest):
            blank.add(path)
    return FoundFields(_apart(best), frozenset(blank))


def _apart(best: Mapping[Path, Candidate]) -> dict[Path, Parsed]:
    """The values without those whose words another field claims at least as surely."""
    claims: dict[int, list[tuple[tuple[int, int, int], Path]]] = defaultdict(list)
    for path, candidate in best.items():
        for word in candidate.parsed.words if candidate.parsed else ():
            claims[word.order].append((candidate.rank, path))
    beaten: set[Path] = set()
    for held in claims.values():
        most = max(rank for rank, _ in held)
        winners = [path for rank, path in held if rank == most]
        beaten.update(path for rank, path in held if rank < most or len(winners) > 1)
    return {path: found.parsed for path, found in best.items() if path not in beaten and found.parsed is not None}


def _is_as_wide(below: Cell, label: Cell) -> bool:
    """Whether a cell stands under its label's cell alone; under a wider one it has a label of its own."""
    return abs(below.x0 - label.x0) <= _SAME_WIDTH and abs(below.x1 - label.x1) <= _SAME_WIDTH


def _ordered(cell: Cell) -> list[Word]:
    return [word for line in lines_of(cell.words) for word in line.words]


def _has_gate(leaf: Leaf) -> bool:
    """Whether not any text is a value of the field."""
    return not is_text(leaf) or is_number_like(leaf)


def _is_bullet(text: str) -> bool:
    return len(text.strip("().:•·-*")) <= 2


def _same_run(line: TextLine, word: Word, hit: Hit) -> bool:
    return any(word in run.words and line.words[hit.start] in run.words for run in line.runs)
