"""From a display list to evidence: line boxes, the hull of several lines, and the ink where a line's box is unfair.

A line's box spans the advance of its text and its ink, and the em band around the baseline. Values of one narrow glyph
(``1``, ``-``) fill so little of that band that somebody who cites the glyph itself would be wrong; there the box of the
ink is evidence as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from groundtruth.evidence import Kind
from synth.display import Area, DisplayList, Run
from synth.fonts import EM_BAND, Face, Ink, load_face
from synth.pdf import font_file

UNFAIR: Final = 0.55
"""Below this intersection over union of a line's box and its ink, the ink is evidence too."""

_DECIMALS: Final = 6
_REMEMBERED: Final = 1 << 14


class Frame(NamedTuple):
    """A rectangle in points from the top left corner."""

    x0: float
    y0: float
    x1: float
    y1: float

    def around(self, other: Frame) -> Frame:
        """The rectangle around both."""
        return Frame(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))

    @property
    def area(self) -> float:
        """In square points."""
        return max(0.0, self.x1 - self.x0) * max(0.0, self.y1 - self.y0)

    def common(self, other: Frame) -> float:
        """The area of what both share."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return width * height if width > 0 and height > 0 else 0.0


class Entry(NamedTuple):
    """One place of a leaf: its page from 1, its box ``x, y, width, height`` of the page frame, what the box frames."""

    page: int
    bbox: tuple[float, float, float, float]
    quote: str | None
    coarse: bool
    kind: Kind


def ink_of(run: Run) -> Frame | None:
    """Where the ink of a run lies; None when it has none."""
    ink = _ink(run.face, run.text)
    if ink is None:
        return None
    x0, y0, x1, y1 = ink
    x, y, size = run.x, run.y, run.size
    return Frame(x + x0 * size, y - y1 * size, x + x1 * size, y - y0 * size)


def line_of(run: Run, ink: Frame | None) -> Frame:
    """The box of a run as a line of text."""
    low, high = EM_BAND
    x0, x1 = run.x, run.x + run.width
    if ink is not None:
        x0, x1 = min(x0, ink.x0), max(x1, ink.x1)
    return Frame(x0, run.y - high * run.size, x1, run.y - low * run.size)


@cache
def _face(name: str) -> Face:
    return load_face(font_file(name))


@lru_cache(_REMEMBERED)
def _ink(face: str, text: str) -> Ink | None:
    """In a list, the same states, towns and dates come again and again."""
    return _face(face).ink(text)


def entries_of(drawn: DisplayList) -> dict[str, list[Entry]]:
    """Every place of every leaf, by instance path: printings in their order, then what is cited."""
    found: dict[str, list[Entry]] = {}
    size = drawn.size
    for key, runs in _printings(drawn).items():
        leaf = key if isinstance(key, str) else key[0]
        entries = _entries(runs, size)
        if leaf in found:
            found[leaf] += entries
        else:
            found[leaf] = entries
    for page, sheet in enumerate(drawn.sheets, start=1):
        for area in sheet.areas:
            if area.leaf is not None:
                found.setdefault(area.leaf, []).append(_tick(page, area, size))
    for leaf, spots in drawn.cited.items():
        for spot in spots:
            run = drawn.sheets[spot.page - 1].runs[spot.run]
            found.setdefault(leaf, []).extend(_entries([(spot.page, run)], size))
    for leaf, above in drawn.same.items():
        found.setdefault(leaf, []).extend(found[above])
    return found


_Placed = tuple[int, Run]
_Framed = tuple[int, Frame, str]


def _printings(drawn: DisplayList) -> Mapping[str | tuple[str, int], list[_Placed]]:
    """The runs of each printing of a leaf; under the leaf itself for the first, which is mostly the only one."""
    found: dict[str | tuple[str, int], list[_Placed]] = {}
    for page, sheet in enumerate(drawn.sheets, start=1):
        for run in sheet.runs:
            leaf = run.leaf
            if leaf is not None:
                key = (leaf, run.printing) if run.printing else leaf
                if key in found:
                    found[key].append((page, run))
                else:
                    found[key] = [(page, run)]
    return found


def _entries(runs: Sequence[_Placed], size: tuple[float, float]) -> list[Entry]:
    """The places of one printing of a value."""
    if len(runs) == 1:
        # Nearly every value is one run, and a long list has hundreds of thousands.
        page, run = runs[0]
        ink = ink_of(run)
        return _line_entries(page, line_of(run, ink), ink, run.text, size)
    found: list[Entry] = []
    framed: list[_Framed] = []
    for page, line, ink, text in _lines(runs):
        framed.append((page, line, text))
        found += _line_entries(page, line, ink, text, size)
    return [*found, *_hulls(framed, runs[0][1].whole, size)] if len(framed) > 1 else found


def _line_entries(page: int, line: Frame, ink: Frame | None, text: str, size: tuple[float, float]) -> list[Entry]:
    """The box of a line, and that of its ink where the line's is unfair."""
    found = [Entry(page, _bbox(line, size), text, False, Kind.LINE)]
    # The ink lies within the line but for tall accents, so this decides nearly all without the exact measure.
    if ink is not None and _area(ink) < UNFAIR * _area(line) and _iou(line, ink) < UNFAIR:
        found.append(Entry(page, _bbox(ink, size), text, False, Kind.INK))
    return found


def _framed(placed: _Placed) -> tuple[int, Frame, Frame | None, str]:
    page, run = placed
    ink = ink_of(run)
    return page, line_of(run, ink), ink, run.text


def _lines(runs: Sequence[_Placed]) -> Iterator[tuple[int, Frame, Frame | None, str]]:
    """The lines of a printing of several runs; runs on one baseline, as a character in each of its cells, are one."""
    by_line: dict[tuple[int, float], list[Run]] = {}
    for page, run in runs:
        by_line.setdefault((page, run.y), []).append(run)
    for (page, _), line in by_line.items():
        _, frame, ink, text = _framed((page, line[0]))
        for run in line[1:]:
            _, other, other_ink, _ = _framed((page, run))
            frame = frame.around(other)
            ink = ink.around(other_ink) if ink and other_ink else ink or other_ink
        if len(line) > 1:
            text = line[0].whole if len(by_line) == 1 else " ".join(run.text for run in line)
        yield page, frame, ink, text


def _hulls(framed: list[_Framed], whole: str, size: tuple[float, float]) -> Iterator[Entry]:
    """The frame around the lines of a value, on each page that has several of them."""
    pages = sorted({page for page, *_ in framed})
    for page in pages:
        own = [(line, text) for at, line, text in framed if at == page]
        if len(own) == 1:
            continue
        hull = own[0][0]
        for line, _ in own[1:]:
            hull = hull.around(line)
        quote = whole if len(pages) == 1 else " ".join(text for _, text in own)
        yield Entry(page, _bbox(hull, size), quote, True, Kind.HULL)


def _tick(page: int, area: Area, size: tuple[float, float]) -> Entry:
    frame = Frame(area.x, area.y, area.x + area.width, area.y + area.height)
    return Entry(page, _bbox(frame, size), None, False, Kind.INK)


def _iou(one: Frame, other: Frame) -> float:
    common = one.common(other)
    return common / (one.area + other.area - common)


def _area(frame: Frame) -> float:
    return (frame[2] - frame[0]) * (frame[3] - frame[1])


def _bbox(frame: Frame, size: tuple[float, float]) -> tuple[float, float, float, float]:
    width, height = size
    x0, y0, x1, y1 = frame
    # Only ink may stand out of the page, by less than a point: runs are refused off the page.
    if x0 < 0.0 or y0 < 0.0 or x1 > width or y1 > height:
        x0, y0, x1, y1 = max(0.0, x0), max(0.0, y0), min(width, x1), min(height, y1)
    return (
        round(x0 / width, _DECIMALS),
        round(y0 / height, _DECIMALS),
        round((x1 - x0) / width, _DECIMALS),
        round((y1 - y0) / height, _DECIMALS),
    )
