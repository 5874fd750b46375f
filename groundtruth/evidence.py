"""Where a value stands on a page: one ``Evidence`` per place, with a box per printed line.

A leaf carries a list of evidence. Several entries mean that the value is printed several times: any of them proves
it. An entry without boxes says the page only.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from groundtruth.box import Box, hull
from groundtruth.errors import JsonError
from groundtruth.jsontext import Json


class Kind(StrEnum):
    """What a box frames."""

    LINE = "line"
    HULL = "hull"
    INK = "ink"
    WORD = "word"


class Source(StrEnum):
    """Who says that the value stands there."""

    CITED = "cited"
    LOCATED = "located"
    PERSON = "person"
    CONSTRUCTED = "constructed"


class Evidence(BaseModel):
    """One place where a value is printed.

    Attributes:
        page: from 1.
        boxes: one box per printed line, page frame; empty when only the page is known.
        quote: the words in the boxes as the page has them, or None.
        value: the reading that this place supports, or None for the leaf's own value.
        kind: what the boxes frame.
        source: who says so.
        systems: the systems that cited this place, sorted; empty for a located one.
        words: which words of the page these are: places in its word list from 0, ascending; empty when nobody
            compared the place with the words, or when none stand there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    page: int = Field(ge=1, strict=True)
    boxes: tuple[Box, ...] = ()
    quote: str | None = None
    value: Any = None
    kind: Kind = Kind.LINE
    source: Source = Source.LOCATED
    systems: tuple[str, ...] = ()
    words: tuple[int, ...] = Field(default=(), strict=True)

    @property
    def hull(self) -> Box | None:
        """The box around all lines, or None when only the page is known."""
        return hull(self.boxes) if self.boxes else None

    def to_json(self) -> dict[str, Json]:
        """The form in our files: ``lines`` holds ``[x, y, w, h]`` per line, ``bbox`` the hull, both normalised."""
        around = self.hull
        return {
            "page": self.page,
            "bbox": list(_rounded(around)) if around else None,
            "lines": [list(_rounded(box)) for box in self.boxes],
            "quote": self.quote,
            "value": self.value,
            "kind": str(self.kind),
            "source": str(self.source),
            "systems": list(self.systems),
            "words": list(self.words),
        }

    @classmethod
    def from_json(cls, data: Json) -> Evidence:
        """Read what ``to_json`` wrote; ``bbox`` alone, as others publish it, is one line.

        Raises:
            JsonError: a missing page, or a box off the page.
        """
        try:
            lines = data.get("lines") or ([data["bbox"]] if data.get("bbox") else [])
            return cls(
                page=data["page"],
                boxes=tuple(Box.from_xywh(map(float, line)) for line in lines),
                quote=data.get("quote"),
                value=data.get("value"),
                kind=Kind(data.get("kind", Kind.LINE)),
                source=Source(data.get("source", Source.CITED)),
                systems=tuple(data.get("systems", ())),
                words=tuple(data.get("words", ())),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise JsonError(f"not evidence: {error}; needs page (from 1) and bbox [x, y, width, height]") from error


def distinct_places(places: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """The places once each, in their order; of those with the same boxes on one page the first stays."""
    found: dict[object, Evidence] = {}
    for place in places:
        found.setdefault((place.page, place.boxes), place)
    return tuple(found.values())


def _rounded(box: Box) -> tuple[float, ...]:
    # Six decimals are finer than 0.001 points on any page, and make files that a person can read and diff.
    return tuple(round(number, 6) for number in box.xywh)
