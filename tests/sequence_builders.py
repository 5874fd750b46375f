"""Makers of recognised pages, for the tests of what is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from extractors.ocr_tess import read_pages
from groundtruth.ballot import Ballot
from groundtruth.box import Box
from groundtruth.jsontext import Json, Malformed
from groundtruth.recognised import RecognisedPage, RecognisedWord
from groundtruth.schema import FrozenSchema

WIDTH, HEIGHT = 595.0, 842.0
LETTER = 5.0
SPACE = 3.0
LINE = 8.0
ROW = 14.0
SURE = 0.95


class Put(NamedTuple):
    """Words that begin at x, with their top at y, in points; every word was read with ``confidence``."""

    x: float
    y: float
    text: str
    confidence: float = SURE


def page(number: int, puts: Iterable[Put], *, doubts: Mapping[str, float] | None = None) -> RecognisedPage:
    """A page with these texts in fixed-width letters; ``doubts`` gives words other confidences."""
    words = []
    for segment, put in enumerate(sorted(puts, key=lambda put: (put.y, put.x))):
        x = put.x
        for text in put.text.split(" "):
            x1, y1 = x + LETTER * len(text), put.y + LINE
            box = Box(x / WIDTH, put.y / HEIGHT, min(1.0, x1 / WIDTH), y1 / HEIGHT)
            confidence = (doubts or {}).get(text, put.confidence)
            words.append(RecognisedWord(text, box, (x, put.y, x1, y1), confidence, segment))
            x = x1 + SPACE
    return RecognisedPage(number, WIDTH, HEIGHT, 0.0, tuple(words))


def grid(y: float, columns: Sequence[float], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()) -> list[Put]:
    """Rows of texts, ``ROW`` points apart; the columns numbered in ``right`` end at their place, "" leaves a blank."""
    ending = frozenset(right)
    return [
        Put(x - _width(cell) if number in ending else x, y + row * ROW, cell)
        for row, cells in enumerate(rows)
        for number, (x, cell) in enumerate(zip(columns, cells, strict=False))
        if cell
    ]


def _width(text: str) -> float:
    return sum(LETTER * len(word) for word in text.split(" ")) + SPACE * text.count(" ")


def read(compiled: FrozenSchema, *pages: RecognisedPage) -> Ballot:
    """What the extractor makes of the pages."""
    return read_pages(pages, compiled)


def shown(value: Json) -> Json:
    """A value with ``?text`` for what was not read for sure."""
    if isinstance(value, Malformed):
        return f"?{value.raw}"
    if isinstance(value, dict):
        return {key: shown(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shown(inner) for inner in value]
    return value
