"""Pages of a PDF file read with pdfplumber: words, ruled lines, and what stands there that is no text.

Everything is in points of the page as displayed, after ``/Rotate`` and the crop box, from its top left corner.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Final, NamedTuple

from extractors.protocol import ExtractionFailed, Job
from extractors.text_cells_boxes import CHECKED, UNCHECKED, DrawnBox, Extent, Inside, drawn_boxes, symbol
from extractors.words import PageText, Word, is_pdf, word_at
from groundtruth.ballot import Failure
from groundtruth.box import Box

_UPRIGHT_TOLERANCE: Final = math.radians(10)
_WORD_GAP: Final = 0.2
"""In font sizes: characters further apart are two words, even without a space between them."""

_THIN: Final = 3.0
"""In points: a painted rectangle no thicker than this is a ruled line."""

_SHORTEST_RULING: Final = 4.0
_STRAIGHT: Final = 1.0
_WHOLE_PAGE: Final = 0.5
"""A picture over this share of the page makes it a scan: its text layer was recognised, and may lack what is there."""

_STRONG: Final = frozenset({"L", "R", "AL"})
"""Directions of letters, as Unicode names them."""

_UNREADABLE: Final = "(cid:"
_SPEAKING: Final = frozenset({"FreeText", "Stamp", "Ink", "Widget"})


class Ruling(NamedTuple):
    """A ruled line: where it lies across its direction, and from where to where it runs; in points."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class RuledPage:
    """One page.

    Attributes:
        text: its words.
        horizontal: ruled lines from left to right; ``at`` is y.
        vertical: ruled lines from top to bottom; ``at`` is x.
        occupied: where something other than readable words stands: a picture, a filled form field, a drawing, text
            that is turned or cannot be decoded. Such a place is not empty even without words.
    """

    text: PageText
    horizontal: tuple[Ruling, ...] = ()
    vertical: tuple[Ruling, ...] = ()
    occupied: tuple[Extent, ...] = ()

    def is_occupied(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Whether something other than words lies in this part of the page."""
        return any(
            min(x1, right) - max(x0, left) > 1 and min(y1, bottom) - max(y0, top) > 1
            for left, top, right, bottom in self.occupied
        )


def read_pages(job: Job) -> list[RuledPage]:
    """Every page to read, in page order. The values of form fields are not among the words.

    Raises:
        ExtractionFailed: not a PDF file, or pdfplumber cannot open it or read one of its pages.
    """
    if not is_pdf(job.file):
        raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, f"{job.file.name}: not a PDF file")
    import pdfplumber
    from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

    try:
        with pdfplumber.open(job.file) as document:
            pages: list[RuledPage] = []
            first = 0
            for number in job.pages(len(document.pages)):
                page = document.pages[number - 1]
                pages.append(_read(page, number, first))
                first += len(pages[-1].text.words)
                page.close()
            return pages
    except (PdfminerException, MalformedPDFException) as error:
        detail = f"{job.file.name}: pdfplumber cannot read it ({_cause(error)})"
        raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, detail) from error


def _cause(error: Exception) -> str:
    cause = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
    return f"{type(cause).__name__}: {cause}".rstrip(": ")


class _Frame(NamedTuple):
    """The displayed part of a page in pdfplumber's coordinates, and how the file's own coordinates get there."""

    left: float
    top: float
    width: float
    height: float
    page_height: float
    media_left: float
    media_top: float
    turn: Callable[[float, float], tuple[float, float]]

    def of_object(self, thing: dict[str, Any]) -> Extent:
        """Where an object of pdfplumber stands on the displayed page."""
        return (
            thing["x0"] - self.media_left - self.left,
            self.page_height - thing["y1"] - self.top,
            thing["x1"] - self.media_left - self.left,
            self.page_height - thing["y0"] - self.top,
        )

    def of_file(self, corners: Sequence[float]) -> Extent:
        """Where a rectangle of the file's own coordinates stands on the displayed page."""
        (xa, ya), (xb, yb) = self.turn(corners[0], corners[1]), self.turn(corners[2], corners[3])
        return (
            min(xa, xb) - self.left,
            self.page_height - max(ya, yb) - self.top,
            max(xa, xb) - self.left,
            self.page_height - min(ya, yb) - self.top,
        )


def _frame(page: Any) -> _Frame:
    x0, y0, x1, y1 = _sorted_corners(page.page_obj.mediabox)
    turns: dict[int, Callable[[float, float], tuple[float, float]]] = {
        0: lambda x, y: (x - x0, y - y0),
        90: lambda x, y: (y - y0, x1 - x),
        180: lambda x, y: (x1 - x, y1 - y),
        270: lambda x, y: (y1 - y, x - x0),
    }
    turn = turns.get(page.rotation, turns[0])
    height = (y1 - y0) if page.rotation % 180 == 0 else (x1 - x0)
    width = (x1 - x0) if page.rotation % 180 == 0 else (y1 - y0)
    whole = _Frame(0.0, 0.0, width, height, height, float(page.mediabox[0]), float(page.mediabox[1]), turn)
    left, top, right, bottom = whole.of_file(_sorted_corners(page.page_obj.cropbox or page.page_obj.mediabox))
    left, top, right, bottom = max(0.0, left), max(0.0, top), min(width, right), min(height, bottom)
    if left >= right or top >= bottom:
        return whole
    return whole._replace(left=left, top=top, width=right - left, height=bottom - top)


def _sorted_corners(corners: Sequence[float]) -> Extent:
    xa, ya, xb, yb = map(float, corners)
    return min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb)


def _read(page: Any, number: int, first: int) -> RuledPage:
    frame = _frame(page)
    upright, other = _characters(page.chars)
    written = list(_words(upright, frame))
    drawn = _drawn(page, frame)
    boxes = drawn_boxes(drawn.rectangles, drawn.strokes, [Inside(text, extent) for text, _, extent in written])
    occupied = [frame.of_object(character) for character in other]
    occupied += [extent for text, _, extent in written if _UNREADABLE in text]
    shown = [word for word in written if _UNREADABLE not in word[0] and not _is_in_box(word[2], boxes)]
    shown += [(CHECKED if box.is_checked else UNCHECKED, "", box.extent) for box in boxes]
    words: list[Word] = []
    for text, style, extent in shown:
        if (place := _box(extent, frame)) is not None:
            words.append(word_at(text, place, style, number, first + len(words), frame.width, frame.height))
    of_boxes = {box.extent for box in boxes}
    horizontal, vertical = _edges(extent for extent in drawn.rectangles if extent not in of_boxes)
    return RuledPage(
        PageText(number, frame.width, frame.height, tuple(words)),
        tuple(sorted([*drawn.horizontal, *horizontal])),
        tuple(sorted([*drawn.vertical, *vertical])),
        (*occupied, *drawn.curves, *_pictures(page, frame), *_annotations(page, frame)),
    )


def _is_in_box(extent: Extent, boxes: Iterable[DrawnBox]) -> bool:
    x, y = (extent[0] + extent[2]) / 2, (extent[1] + extent[3]) / 2
    return any(x0 <= x <= x1 and y0 <= y <= y1 for (x0, y0, x1, y1), _ in boxes)


def _characters(characters: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The level characters, those drawn twice for boldness once; and the characters that are turned."""
    upright: list[dict[str, Any]] = []
    other: list[dict[str, Any]] = []
    for character in characters:
        a, b = character["matrix"][:2]
        if abs(math.atan2(b, a)) > _UPRIGHT_TOLERANCE:
            other.append(character)
        elif not (upright and _is_repeated(upright[-1], character)):
            upright.append(character)
    return upright, other


def _is_repeated(last: dict[str, Any], character: dict[str, Any]) -> bool:
    return (
        last["text"] == character["text"]
        and not character["text"].isspace()
        and abs(last["x0"] - character["x0"]) < _WORD_GAP * character["size"]
        and abs(last["y0"] - character["y0"]) < _WORD_GAP * character["size"]
    )


def _words(characters: list[dict[str, Any]], frame: _Frame) -> Iterator[tuple[str, str, Extent]]:
    """Text, style and place of every word, those drawn twice in one place once."""
    from pdfplumber.utils.text import WordExtractor

    seen: set[tuple[str, int, int]] = set()
    extractor = WordExtractor(use_text_flow=True, x_tolerance_ratio=_WORD_GAP)
    for _, found in extractor.iter_extract_tuples(characters) if characters else ():
        for part in _parted_behind_colon(found):
            signs = (symbol(extractor.expansions.get(c["text"], c["text"]), str(c["fontname"])) for c in part)
            text = "".join(signs).replace("\x00", "")
            text = "".join(text.split())
            places = [frame.of_object(character) for character in part]
            extent = (
                min(p[0] for p in places), min(p[1] for p in places),
                max(p[2] for p in places), max(p[3] for p in places),
            )  # fmt: skip
            key = (text, round(extent[0]), round(extent[1]))
            if text and key not in seen:
                seen.add(key)
                yield text, str(part[0]["fontname"]).split("+")[-1], extent


def _parted_behind_colon(characters: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """A value glued to the colon of its label is a word of its own; times and addresses of the web stay whole."""
    text = "".join(character["text"] for character in characters)
    place = text.find(":")
    glued = 1 < place < len(text) - 1 and text[:place].replace(".", "").isalpha() and text[place + 1] not in "/\\:"
    if glued and len(text) == len(characters):
        yield characters[: place + 1]
        yield characters[place + 1 :]
    else:
        yield characters


def _box(extent: Extent, frame: _Frame) -> Box | None:
    """The part of a place that lies on the page; None when nothing of it does."""
    x0, x1 = max(0.0, extent[0] / frame.width), min(1.0, extent[2] / frame.width)
    y0, y1 = max(0.0, extent[1] / frame.height), min(1.0, extent[3] / frame.height)
    return Box(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


class _Drawn(NamedTuple):
    """The drawn things of a page: rulings, ruled rectangles, and the rest."""

    horizontal: list[Ruling]
    vertical: list[Ruling]
    rectangles: list[Extent]
    strokes: list[Extent]
    curves: list[Extent]


def _drawn(page: Any, frame: _Frame) -> _Drawn:
    drawn = _Drawn([], [], [], [], [])
    for thing in (*page.lines, *page.rects):
        x0, y0, x1, y1 = extent = frame.of_object(thing)
        if y1 - y0 <= _THIN and x1 - x0 >= _SHORTEST_RULING:
            drawn.horizontal.append(Ruling((y0 + y1) / 2, x0, x1))
        elif x1 - x0 <= _THIN and y1 - y0 >= _SHORTEST_RULING:
            drawn.vertical.append(Ruling((x0 + x1) / 2, y0, y1))
        elif thing["object_type"] == "rect" and thing.get("stroke"):
            drawn.rectangles.append(extent)
        else:
            drawn.strokes.append(extent)
    for curve in page.curves:
        if curve.get("stroke") and _is_rectangle(curve["pts"]):
            drawn.rectangles.append(frame.of_object(curve))
            continue
        edges = list(_straight_edges(curve, frame))
        drawn.horizontal.extend(edge for level, edge in edges if level)
        drawn.vertical.extend(edge for level, edge in edges if not level)
        if not edges:
            drawn.strokes.append(frame.of_object(curve))
            drawn.curves.append(frame.of_object(curve))
    return drawn


def _edges(rectangles: Iterable[Extent]) -> tuple[list[Ruling], list[Ruling]]:
    """The level and the upright sides of rectangles."""
    horizontal: list[Ruling] = []
    vertical: list[Ruling] = []
    for x0, y0, x1, y1 in rectangles:
        horizontal += [Ruling(y0, x0, x1), Ruling(y1, x0, x1)]
        vertical += [Ruling(x0, y0, y1), Ruling(x1, y0, y1)]
    return horizontal, vertical


def _is_rectangle(points: Sequence[tuple[float, float]]) -> bool:
    """Whether a path goes round along two level and two upright edges."""
    closed = [point for point, _ in groupby([*points, points[0]])]
    level = [abs(ya - yb) <= _STRAIGHT < abs(xa - xb) for (xa, ya), (xb, yb) in pairwise(closed)]
    upright = [abs(xa - xb) <= _STRAIGHT < abs(ya - yb) for (xa, ya), (xb, yb) in pairwise(closed)]
    return len(closed) == 5 and level.count(True) == upright.count(True) == 2


def _straight_edges(curve: dict[str, Any], frame: _Frame) -> Iterator[tuple[bool, Ruling]]:
    """The level and upright edges of a path, such as a box with rounded corners; True for the level ones."""
    points = [(x - frame.media_left - frame.left, y - frame.media_top - frame.top) for x, y in curve["pts"]]
    for (xa, ya), (xb, yb) in pairwise(points):
        if abs(ya - yb) <= _STRAIGHT and abs(xa - xb) >= 3 * _SHORTEST_RULING:
            yield True, Ruling((ya + yb) / 2, min(xa, xb), max(xa, xb))
        elif abs(xa - xb) <= _STRAIGHT and abs(ya - yb) >= 2 * _SHORTEST_RULING:
            yield False, Ruling((xa + xb) / 2, min(ya, yb), max(ya, yb))


def _pictures(page: Any, frame: _Frame) -> list[Extent]:
    return [frame.of_object(picture) for picture in page.images]


def _annotations(page: Any, frame: _Frame) -> list[Extent]:
    """Where notes, stamps and filled form fields stand; the whole page when they cannot be told."""
    whole = [(0.0, 0.0, frame.width, frame.height)]
    try:
        found = [annotation["data"] for annotation in page.annots]
        return [frame.of_file([float(c) for c in data["Rect"]]) for data in found if _speaks(data)]
    except Exception:  # noqa: BLE001 - annotations of damaged files fail in many ways, and only places are wanted
        return whole


def _speaks(data: dict[str, Any]) -> bool:
    """Whether an annotation shows something: a form field only when it is filled."""
    kind = getattr(data.get("Subtype"), "name", "")
    if kind != "Widget":
        return kind in _SPEAKING
    from pdfminer.pdftypes import resolve1

    value = resolve1(data.get("V", (resolve1(data.get("Parent")) or {}).get("V")))
    return bool(value) and getattr(value, "name", value) not in {"Off", b"", ""}


def reads_from_the_right(page: RuledPage) -> bool:
    """Whether most words of a page that have a direction read from right to left."""
    first = (
        next((d for d in map(unicodedata.bidirectional, word.text) if d in _STRONG), "") for word in page.text.words
    )
    return sum((direction in {"R", "AL"}) - (direction == "L") for direction in first) > 0


def is_scan(page: RuledPage) -> bool:
    """Whether a picture covers the page, so that its text layer was recognised by somebody."""
    whole = page.text.width * page.text.height
    return any((x1 - x0) * (y1 - y0) > _WHOLE_PAGE * whole for x0, y0, x1, y1 in page.occupied)
