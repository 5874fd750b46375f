"""RapidOCR as an engine: PP-OCR models by ONNX Runtime, one thread, no network.

The detector frames runs of text, each run is cut out along the lines of the page and recognised on its own, so that
what is read of one does not depend on the others. Where words lie in a run is measured on the ink: the positions that
the recogniser gives are those of characters' middles, on a coarse grid.
"""

# RapidOCR says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from extractors.ocr_pages import Picture
from extractors.rapid_boxes import CHECKED, UNCHECKED, CheckBox, check_boxes, without
from extractors.rapid_words import Reading, WordSpan, word_spans
from groundtruth.box import Box
from groundtruth.recognised import Extent, RecognisedPage, RecognisedWord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint8]

Point = tuple[float, float]
Quad = list[Point]

DPI: Final = 200.0
_REVISION: Final = "4"
"""Changes when this module reads the same picture differently."""
_MODELS: Final = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")
_SETTINGS: Final[dict[str, Any]] = {
    "Global.log_level": "error",
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    "Det.max_candidates": 4000,
    # One run at a time and no padding: short cells cost what they measure, and no run changes how another is read.
    "Rec.rec_batch_num": 1,
    "Rec.rec_img_shape": [3, 48, 16],
}

_FEW: Final = 3
_LONG: Final = 5.0
"""A run this many times as long as high shows how the lines of the page lie."""
_STEEPEST: Final = 20.0
"""Degrees: steeper lines are another direction of writing, not a page that lies askew."""
_OWN_ANGLE: Final = 1.5
"""Degrees: a long run that lies this far off the page's lines is cut out along itself."""
_LEVEL: Final = 0.15
"""Degrees: below, a page counts as level and keeps its pixels as they are."""
_UPRIGHT: Final = 1.5
"""A run this many times as high as wide is written upwards or downwards, unless it is as high as a line."""
_ONE_LINE: Final = 1.6
"""In median heights: the height of a single upright character at most."""
_FONT_BAND: Final = (0.12, 0.88)
"""The part of a run's height that the font takes: the detector frames text with a margin."""
_LEAST_CONFIDENCE: Final = 0.5
_HAN_STROKES: Final = {"一": "—", "ー": "—", "二": "=", "丨": "|", "口": "□", "囗": "□"}
"""Signs that the models take for characters of Chinese where they stand alone."""
_HAN_PAGE: Final = 0.1
"""Of the letters of a page: from so many Chinese or Japanese ones on, such signs may be characters."""


class Strip(NamedTuple):
    """A run of text on the picture: its middle, its angle in degrees, its length and height, in pixels."""

    x: float
    y: float
    angle: float
    width: float
    height: float

    def point(self, along: float, across: float) -> tuple[float, float]:
        """The place on the picture of a place on the strip, measured from the strip's top left corner."""
        cosine, sine = math.cos(math.radians(self.angle)), math.sin(math.radians(self.angle))
        right, down = along - self.width / 2, across - self.height / 2
        return self.x + right * cosine - down * sine, self.y + right * sine + down * cosine


Run = tuple[Strip, list[WordSpan]]
"""A run of text and its words."""


class RapidEngine:
    """The models in RapidOCR's wheel. Building it is cheap; the models load with the first page."""

    dpi = DPI

    @cached_property
    def key(self) -> str:
        """Name, versions and settings."""
        from importlib.metadata import version

        return f"rapidocr-{version('rapidocr')}-{_REVISION}-{DPI:.0f}dpi"

    def recognise(self, picture: Picture) -> RecognisedPage:
        """The words that stand upright on the page as displayed, run by run; runs that are hardly legible are left out.

        The confidence of a word is that of its least sure character.
        """
        boxes = check_boxes(picture.pixels, picture.dpi)
        pixels = without(picture.pixels, boxes)
        strips, skew = self._detect(pixels)
        found = [*without_han_dashes(list(self._read(pixels, strips))), *map(_as_run, boxes)]
        words: list[RecognisedWord] = []
        for segment, (strip, spans) in enumerate(found):
            words += _placed(spans, strip, segment, skew, picture)
        return RecognisedPage(picture.number, picture.width, picture.height, skew, tuple(words))

    def _detect(self, pixels: Pixels) -> tuple[list[Strip], float]:
        quads = self._models.detect(pixels)
        skew = page_skew(quads)
        return upright([strip_of(quad, skew) for quad in quads]), skew

    def _read(self, pixels: Pixels, strips: Sequence[Strip]) -> Iterator[Run]:
        cuts = [cut_out(pixels, strip) for strip in strips]
        for strip, cut, reading in zip(strips, cuts, self._models.read(cuts), strict=True):
            if reading.confidence >= _LEAST_CONFIDENCE:
                yield strip, word_spans(cut, reading)

    @cached_property
    def _models(self) -> _Models:
        return _Models()


class _Models:
    """The two models, behind the little of RapidOCR that is used."""

    def __init__(self) -> None:
        from rapidocr import RapidOCR

        # RapidOCR would fetch a model that it does not find.
        if (missing := missing_models()) is not None:
            raise FileNotFoundError(missing)
        self._rapid: Any = RapidOCR(params=_SETTINGS)

    def detect(self, pixels: Pixels) -> list[Quad]:
        """The corners of the runs of text, clockwise from the top left, in pixels."""
        found = self._rapid(_bgr(pixels), use_det=True, use_cls=False, use_rec=False)
        if found.boxes is None:
            return []
        return [[(float(x), float(y)) for x, y in quad] for quad in found.boxes]

    def read(self, cuts: Sequence[Pixels]) -> list[Reading]:
        """What stands on each picture of a run."""
        if not cuts:
            return []
        self._rapid.return_word_box = True
        found = self._rapid.recognize_txt([_bgr(cut) for cut in cuts])
        return [Reading.of(text, info) for text, info in zip(found.txts, found.word_results, strict=True)]


def missing_models() -> str | None:
    """None if the models lie in the installed wheel, or what is missing and how to get it."""
    package = find_spec("rapidocr")
    if package is None or package.origin is None:
        return "rapidocr is not installed; install the project again"
    folder = Path(package.origin).parent / "models"
    missing = [name for name in _MODELS if not (folder / name).is_file()]
    if missing:
        return f"rapidocr lacks its models {', '.join(missing)}; install rapidocr 3.10 from its wheel again"
    return None


def page_skew(quads: Sequence[Quad]) -> float:
    """By how many degrees the lines fall to the right: the median over long runs; 0 when there are few, or hardly any.

    A run counts by its length, since the corners of a short one say little.
    """
    angles: list[tuple[float, float]] = []
    for quad in quads:
        (x0, y0), (x1, y1) = _middle(quad[0], quad[3]), _middle(quad[1], quad[2])
        angle, length = math.degrees(math.atan2(y1 - y0, x1 - x0)), math.hypot(x1 - x0, y1 - y0)
        if length >= _LONG * math.dist(quad[0], quad[3]) and abs(angle) <= _STEEPEST:
            angles.append((angle, length))
    if len(angles) < _FEW:
        return 0.0
    half, passed = sum(length for _, length in angles) / 2, 0.0
    for angle, length in sorted(angles):
        passed += length
        if passed >= half:
            return angle if abs(angle) >= _LEVEL else 0.0
    return 0.0


def strip_of(quad: Quad, skew: float) -> Strip:
    """The run framed along the lines of the page, or along itself where it is long and lies otherwise."""
    (x0, y0), (x1, y1) = _middle(quad[0], quad[3]), _middle(quad[1], quad[2])
    own, length = math.degrees(math.atan2(y1 - y0, x1 - x0)), math.hypot(x1 - x0, y1 - y0)
    is_long = length >= _LONG * math.dist(quad[0], quad[3])
    angle = own if is_long and abs(own - skew) > _OWN_ANGLE else skew
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    along = [x * cosine + y * sine for x, y in quad]
    across = [y * cosine - x * sine for x, y in quad]
    middle, height = (min(along) + max(along)) / 2, (min(across) + max(across)) / 2
    return Strip(
        x=middle * cosine - height * sine,
        y=middle * sine + height * cosine,
        angle=angle,
        width=max(along) - min(along),
        height=max(across) - min(across),
    )


def upright(strips: Sequence[Strip]) -> list[Strip]:
    """The strips whose text stands upright; a single narrow character does, as high as it is."""
    if not strips:
        return []
    line = sorted(strip.height for strip in strips if strip.width >= strip.height) or [strips[0].height]
    tallest = _ONE_LINE * line[len(line) // 2]
    return [strip for strip in strips if strip.height < _UPRIGHT * strip.width or strip.height <= tallest]


def without_han_dashes(runs: Sequence[Run]) -> list[Run]:
    """The runs with lone strokes read as the signs they are, unless the page is in Chinese or Japanese."""
    letters = [letter for _, spans in runs for span in spans for letter in span.text if letter.isalpha()]
    han = sum(unicodedata.east_asian_width(letter) == "W" and letter not in _HAN_STROKES for letter in letters)
    if han >= _HAN_PAGE * max(1, len(letters)):
        return list(runs)
    return [
        (strip, [span._replace(text=_HAN_STROKES.get(span.text, span.text)) for span in spans]) for strip, spans in runs
    ]


def cut_out(pixels: Pixels, strip: Strip) -> Pixels:
    """The pixels of a strip, turned level."""
    import cv2
    import numpy as np

    width, height = max(1, round(strip.width)), max(1, round(strip.height))
    if strip.angle == 0.0:
        x, y = max(0, round(strip.x - strip.width / 2)), max(0, round(strip.y - strip.height / 2))
        return pixels[y : y + height, x : x + width]
    corners = np.array([strip.point(0, 0), strip.point(width, 0), strip.point(0, height)], dtype=np.float32)
    level = np.array([(0, 0), (width, 0), (0, height)], dtype=np.float32)
    cut = cv2.warpAffine(
        pixels,
        cv2.getAffineTransform(corners, level),
        (width, height),
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return cut.astype(np.uint8, copy=False)


def _as_run(box: CheckBox) -> Run:
    """A check box as a run of one sign."""
    width, height = box.x1 - box.x0, box.y1 - box.y0
    strip = Strip((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, 0.0, width, height)
    return strip, [WordSpan(CHECKED if box.checked else UNCHECKED, 0.0, width, 1.0)]


def _placed(
    spans: Sequence[WordSpan], strip: Strip, segment: int, skew: float, picture: Picture
) -> Iterator[RecognisedWord]:
    """The words of a strip where they stand on the page; those that lie off it are left out."""
    top, bottom = (share * strip.height for share in _FONT_BAND)
    for span in spans:
        corners = [strip.point(x, y) for x in (span.start, span.end) for y in (top, bottom)]
        box = _page_box(corners, picture)
        if box is not None:
            level = _turned_level([_in_points(corner, picture) for corner in corners], skew, picture)
            yield RecognisedWord(span.text, box, level, span.confidence, segment)


def _page_box(corners: Sequence[Point], picture: Picture) -> Box | None:
    height, width = picture.pixels.shape[:2]
    x0, x1 = max(0.0, min(x for x, _ in corners)), min(float(width), max(x for x, _ in corners))
    y0, y1 = max(0.0, min(y for _, y in corners)), min(float(height), max(y for _, y in corners))
    return Box(x0 / width, y0 / height, x1 / width, y1 / height) if x0 < x1 and y0 < y1 else None


def _in_points(point: Point, picture: Picture) -> Point:
    height, width = picture.pixels.shape[:2]
    return point[0] * picture.width / width, point[1] * picture.height / height


def _turned_level(points: Sequence[Point], skew: float, picture: Picture) -> Extent:
    """The extent of places once the page is turned about its centre so that its lines are level."""
    cosine, sine = math.cos(math.radians(skew)), math.sin(math.radians(skew))
    middle_x, middle_y = picture.width / 2, picture.height / 2
    turned = [
        (
            middle_x + (x - middle_x) * cosine + (y - middle_y) * sine,
            middle_y + (y - middle_y) * cosine - (x - middle_x) * sine,
        )
        for x, y in points
    ]
    xs, ys = [x for x, _ in turned], [y for _, y in turned]
    return min(xs), min(ys), max(xs), max(ys)


def _middle(first: Point, second: Point) -> Point:
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 2


def _bgr(pixels: Pixels) -> Pixels:
    import numpy as np

    return np.ascontiguousarray(pixels[:, :, ::-1])
