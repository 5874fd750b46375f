"""Makers of what an OCR engine might have recognised, for the tests of pages that have no text layer."""

from __future__ import annotations

import math

import document_builders
from groundtruth.box import Box
from groundtruth.recognised import RecognisedPage, RecognisedWord
from locate_builders import HEIGHT, WIDTH, WordsPage

RAPID, TESS = "rapidocr-3.10.0-200", "tesseract-5.5.4-300"


def scan() -> bytes:
    """A picture of one page, 600 x 800 points; what stands on it is for a reading to say."""
    picture = document_builders.marked_image((int(WIDTH), int(HEIGHT)))
    return document_builders.image_file(picture, "PNG", dpi=(72, 72))


def recognised(page: WordsPage, *, skew: float = 0.0) -> RecognisedPage:
    """The words of a page as if it lay skewed under the glass, its lines falling to the right by so many degrees."""
    words = []
    for word in page.words:
        x0, y0, x1, y1 = word.box
        level = (x0 * WIDTH, y0 * HEIGHT, x1 * WIDTH, y1 * HEIGHT)
        words.append(RecognisedWord(word.text, _turned(level, skew), level, 0.99, word.line))
    return RecognisedPage(page.number, WIDTH, HEIGHT, skew, tuple(words))


def _turned(level: tuple[float, float, float, float], degrees: float) -> Box:
    x0, y0, x1, y1 = level
    turned = [_turn(x, y, degrees) for x in (x0, x1) for y in (y0, y1)]
    xs, ys = [x / WIDTH for x, _ in turned], [y / HEIGHT for _, y in turned]
    return Box(min(xs), min(ys), max(xs), max(ys))


def _turn(x: float, y: float, degrees: float) -> tuple[float, float]:
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    x, y = x - WIDTH / 2, y - HEIGHT / 2
    return cosine * x - sine * y + WIDTH / 2, sine * x + cosine * y + HEIGHT / 2
