"""Where a system says that it read its values: flat citation lists into evidence by leaf.

A citation is ``{"field_path", "page", "bbox": [x, y, width, height] | null, "reference_text"?}``, page from 1, box
normalised with its origin at the top left. One that is not sure to be meant for the leaf, the page and the place it
lands on is dropped and counted: a guessed page is a false citation, and a column cited without its row is not row 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from groundtruth.box import Box
from groundtruth.errors import PathError
from groundtruth.evidence import Evidence, Source
from groundtruth.jsontext import Json
from groundtruth.path import Each, Path, parse_path

_ROUNDING: Final = 0.001
"""How far a box may stand over the page's edge: a thousandth is what three written decimals can add."""

_DECIMALS: Final = 6
"""As evidence is stored, so that reading what was written gives the same boxes."""


class Drop(StrEnum):
    """Why a citation was dropped."""

    NOT_A_CITATION = "not_a_citation"
    BAD_PATH = "bad_path"
    NO_INDEX = "no_index"
    NO_SUCH_LEAF = "no_such_leaf"
    NO_PAGE = "no_page"
    NO_SUCH_PAGE = "no_such_page"
    BAD_BOX = "bad_box"
    OFF_PAGE = "off_page"


@dataclass(frozen=True, slots=True)
class Citations:
    """What a list of citations comes to.

    Attributes:
        evidence: by instance path, in the order given; a cited item of a list of scalars is evidence for the list,
            and its ``value`` is the item.
        dropped: how many citations were dropped, by reason.
    """

    evidence: Mapping[Path, tuple[Evidence, ...]]
    dropped: Mapping[Drop, int]


def read_citations(citations: Json, data: Json, *, system: str, page_count: int | None = None) -> Citations:
    """Turn a list of citations into evidence.

    Args:
        citations: the list; None is an empty one, and anything else that is no list one bad citation.
        data: the extraction that the paths lead into, with the indices of its own rows.
        system: who cites.
        page_count: of the document; None leaves pages unchecked at the upper end.
    """
    found: dict[Path, list[Evidence]] = {}
    dropped: Counter[Drop] = Counter()
    for citation in [] if citations is None else citations if isinstance(citations, list) else [citations]:
        read = _read(citation, data, system, page_count)
        if isinstance(read, Drop):
            dropped[read] += 1
            continue
        path, place = read
        places = found.setdefault(path, [])
        if place not in places:
            places.append(place)
    return Citations({path: tuple(places) for path, places in found.items()}, dict(sorted(dropped.items())))


def _read(citation: Json, data: Json, system: str, page_count: int | None) -> tuple[Path, Evidence] | Drop:
    if not isinstance(citation, dict) or not isinstance(citation.get("field_path"), str):
        return Drop.NOT_A_CITATION
    target = _target(citation["field_path"], data)
    if isinstance(target, Drop):
        return target
    page = citation.get("page")
    if type(page) is not int or page < 1:
        return Drop.NO_PAGE
    if page_count is not None and page > page_count:
        return Drop.NO_SUCH_PAGE
    box = None if citation.get("bbox") is None else _box(citation["bbox"])
    if isinstance(box, Drop):
        return box
    quote = citation.get("reference_text")
    path, value = target
    return path, Evidence(
        page=page,
        boxes=() if box is None else (box,),
        quote=quote if isinstance(quote, str) else None,
        value=value,
        source=Source.CITED,
        systems=(system,),
    )


def _target(text: str, data: Json) -> tuple[Path, Json] | Drop:
    """The leaf that a cited path names, and the value that is cited when it is one item of a list leaf."""
    try:
        path = parse_path(text)
    except PathError:
        return Drop.BAD_PATH
    value = data
    for step in path:
        if isinstance(step, Each) or (isinstance(value, list) and not isinstance(step, int)):
            return Drop.NO_INDEX
        if not _holds(value, step):
            return Drop.NO_SUCH_LEAF
        value = value[step]
    if not path:
        return Drop.NO_SUCH_LEAF
    is_item = isinstance(path[-1], int) and not isinstance(value, (dict, list))
    return (path[:-1], value) if is_item else (path, None)


def _holds(value: Json, step: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(step, int) and step < len(value)
    return isinstance(value, dict) and step in value


def _box(bbox: Json) -> Box | Drop:
    if not isinstance(bbox, list) or len(bbox) != 4 or any(isinstance(part, (bool, str)) for part in bbox):
        return Drop.BAD_BOX
    try:
        x, y, width, height = map(float, bbox)
    except (TypeError, ValueError, OverflowError):
        return Drop.BAD_BOX
    edges = (x, y, x + width, y + height)
    if not all(-_ROUNDING <= edge <= 1 + _ROUNDING for edge in edges):
        return Drop.OFF_PAGE
    x, y, right, bottom = (min(1.0, max(0.0, edge)) for edge in edges)
    rounded = [round(number, _DECIMALS) for number in (x, y, right - x, bottom - y)]
    return Box.from_xywh(rounded) if min(rounded[2:]) > 0 else Drop.BAD_BOX
