"""The words that an OCR engine recognised on a page: the word list of a page that has no text layer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundtruth.box import Box
from groundtruth.errors import JsonError
from groundtruth.jsontext import Json

Extent = tuple[float, float, float, float]


class RecognisedWord(NamedTuple):
    """One word as an engine read it.

    Attributes:
        text: without white space.
        box: around it, in the frame of the page as displayed.
        level: x0, y0, x1, y1 in points on the page turned so that its lines are level; origin top left.
        confidence: the engine's own, in [0, 1].
        segment: the run of text that the engine found it in, counted from 0 on the page.
    """

    text: str
    box: Box
    level: Extent
    confidence: float
    segment: int


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """What was read on one page.

    Attributes:
        number: from 1.
        width: of the page as displayed, in points.
        height: in points.
        skew: by how many degrees the lines of the page fall to the right; 0 for level lines.
        words: in the engine's reading order.
    """

    number: int
    width: float
    height: float
    skew: float
    words: tuple[RecognisedWord, ...]

    def to_json(self) -> dict[str, Json]:
        """The form in a file: a word is ``[text, [x, y, width, height], [x0, y0, x1, y1], confidence, segment]``."""
        return {
            "page": self.number,
            "size": [round(self.width, 3), round(self.height, 3)],
            "skew": round(self.skew, 4),
            "words": [
                [
                    word.text,
                    [round(value, 6) for value in word.box.xywh],
                    [round(value, 3) for value in word.level],
                    round(word.confidence, 4),
                    word.segment,
                ]
                for word in self.words
            ],
        }

    @classmethod
    def from_json(cls, data: Json) -> RecognisedPage:
        """Read what ``to_json`` wrote.

        Raises:
            JsonError: anything else.
        """
        try:
            width, height = map(float, data["size"])
            words = tuple(_word(form) for form in data["words"])
            return cls(int(data["page"]), width, height, float(data["skew"]), words)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise JsonError(f"not a recognised page: {error}") from error


def _word(form: Sequence[Json]) -> RecognisedWord:
    text, box, level, confidence, segment = form
    x0, y0, x1, y1 = map(float, level)
    return RecognisedWord(str(text), Box.from_xywh(map(float, box)), (x0, y0, x1, y1), float(confidence), int(segment))
