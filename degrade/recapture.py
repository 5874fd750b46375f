"""Re-capture pages, and drawing again those on which a value could no longer be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from degrade.document import Picture
from degrade.geometry import Homography, WarpedBox, warp_box
from degrade.legibility import Score, score_value, worst
from degrade.page import Captured, Clean, capture, decode, most_dpi, read_clean, sha256_of_pixels
from degrade.recipe import DrawnPage, Recipe, Strength, draw_page
from degrade.record import Attempt, Hashes, PageRecord
from groundtruth.box import Box
from groundtruth.jsontext import Json
from groundtruth.truth import XYWH, GroundTruth, TruthEvidence

if TYPE_CHECKING:
    from groundtruth.pages import Page

ATTEMPTS: Final = 5
"""So many drawings at one strength, and then as many at the next lower one."""
_DECIMALS: Final = 6

Places = Mapping[str, Sequence[Box]]
"""By the path of a leaf, the boxes on one page in which its value must be read."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be made of a document: recipe, strength, the user's seed and the SHA-256 of the clean bytes."""

    recipe: Recipe
    strength: Strength
    seed: int
    document_sha256: str


@dataclass(frozen=True, slots=True)
class _Judged:
    captured: Captured
    drawn: DrawnPage
    raster_sha256: str
    clipped: tuple[str, ...]
    lost: tuple[str, ...]
    scores: Mapping[str, Score]

    @property
    def illegible(self) -> tuple[str, ...]:
        return tuple(sorted(path for path, score in self.scores.items() if not score.is_legible()))

    @property
    def faults(self) -> int:
        return len(set(self.illegible) | set(self.clipped) | set(self.lost))


def recapture_page(page: Page, order: Order, places: Places) -> tuple[Picture, PageRecord]:
    """Make the re-capture of a page on which every value can be read, or the best of all attempts.

    A page is drawn again while a value on it is illegible, clipped or lost: five times at the strength asked for, five
    times at each lower one. Then the drawing with the fewest such values is taken, and they are named in the record.

    Raises:
        DocumentError: the page cannot be read or rendered.
    """
    best: _Judged | None = None
    unused: list[Attempt] = []
    for drawn in _drawings(page, order):
        judged = _judge(page, drawn, places)
        if best is None or judged.faults < best.faults:
            best = judged
        if not judged.faults:
            break
        unused.append(Attempt(attempt=drawn.attempt, strength=drawn.strength, illegible=judged.faults))
    if best is None:
        raise AssertionError("a page is drawn at least once")
    rest = tuple(one for one in unused if one.attempt != best.drawn.attempt)
    return best.captured.picture, _record(page.number, best, rest)


def remake_page(page: Page, recorded: PageRecord) -> tuple[Picture, Hashes]:
    """Make a page again from its record.

    Raises:
        DocumentError: the page cannot be read or rendered.
    """
    clean = read_clean(page, recorded.drawn)
    captured = capture(clean, recorded.drawn)
    return captured.picture, _hashes(sha256_of_pixels(clean.pixels), captured)


def _drawings(page: Page, order: Order) -> Iterator[DrawnPage]:
    strength: Strength | None = order.strength
    attempt = 1
    while strength is not None:
        for _ in range(ATTEMPTS):
            yield drawing(page, order, strength, attempt)
            attempt += 1
        strength = strength.weaker


def drawing(page: Page, order: Order, strength: Strength, attempt: int) -> DrawnPage:
    """What an attempt at a page draws, from 1, in a strength that need not be that of the order."""
    return draw_page(
        order.recipe,
        strength,
        seed=order.seed,
        document=order.document_sha256,
        page=page.number,
        attempt=attempt,
        most_dpi=most_dpi(page),
    )


def _judge(page: Page, drawn: DrawnPage, places: Places) -> _Judged:
    clean = read_clean(page, drawn)
    captured = capture(clean, drawn)
    warped = {path: [warp_box(captured.homography, box) for box in boxes] for path, boxes in places.items()}
    return _Judged(
        captured,
        drawn,
        sha256_of_pixels(clean.pixels),
        clipped=tuple(sorted(path for path, boxes in warped.items() if _is_clipped(boxes))),
        lost=tuple(sorted(path for path, boxes in warped.items() if any(one.box is None for one in boxes))),
        scores=_scores(clean, captured, places),
    )


def _is_clipped(boxes: Iterable[WarpedBox]) -> bool:
    return any(one.box is not None and not one.is_whole for one in boxes)


def _scores(clean: Clean, captured: Captured, places: Places) -> dict[str, Score]:
    if not places:
        return {}
    seen = decode(captured.picture)
    found = ((path, score_value(clean, captured.homography, seen, boxes)) for path, boxes in places.items())
    return {path: score for path, score in found if score is not None}


def _record(number: int, judged: _Judged, unused: tuple[Attempt, ...]) -> PageRecord:
    captured, scores = judged.captured, list(judged.scores.values())
    return PageRecord(
        page=number,
        points=captured.picture.points,
        size=captured.picture.size,
        homography=captured.homography.to_hex(),
        drawn=judged.drawn,
        hashes=_hashes(judged.raster_sha256, captured),
        values=len(scores),
        worst=worst(scores) if scores else None,
        illegible=judged.illegible,
        clipped=judged.clipped,
        lost=judged.lost,
        unused=unused,
    )


def _hashes(raster_sha256: str, captured: Captured) -> Hashes:
    from hashlib import sha256

    return Hashes(
        raster=raster_sha256,
        pixels=sha256_of_pixels(captured.pixels),
        picture=sha256(captured.picture.data).hexdigest(),
    )


def places_on_pages(truth: GroundTruth) -> dict[int, dict[str, list[Box]]]:
    """By page and path, the boxes in which a value stands; the coarse ones, which frame others, are left out."""
    found: dict[int, dict[str, list[Box]]] = {}
    for path, entries in truth.evidence.items():
        for entry in entries:
            if entry.page is not None and entry.bbox is not None and not entry.coarse:
                box = Box.from_xywh(map(float, entry.bbox))
                found.setdefault(entry.page, {}).setdefault(path, []).append(box)
    return found


def recaptured_truth(
    truth: GroundTruth, document: str, pages: Sequence[PageRecord], about: Json, tags: Mapping[str, str]
) -> GroundTruth:
    """The truth of a re-capture: the values of the original, with its evidence carried along.

    Every entry keeps its ``quad``, the four corners, and has the hull as its ``bbox``. What is off the page keeps its
    page and has no box.

    Args:
        truth: of the original.
        document: the id of the re-capture.
        pages: its record.
        about: what is told about it, under ``recapture``.
        tags: added to those of the original.
    """
    maps = {page.page: Homography.from_hex(page.homography) for page in pages}
    return replace(
        truth,
        document=document,
        evidence={path: tuple(_carried(entry, maps) for entry in entries) for path, entries in truth.evidence.items()},
        tags={**truth.tags, **tags},
        further={**truth.further, "made_by": "recapture", "recapture": about},
    )


def _carried(entry: TruthEvidence, maps: Mapping[int, Homography]) -> TruthEvidence:
    if entry.page is None or entry.bbox is None or entry.page not in maps:
        return entry
    warped = warp_box(maps[entry.page], Box.from_xywh(map(float, entry.bbox)))
    quad = [round(edge, _DECIMALS) for corner in warped.quad for edge in corner]
    # The words of the clean page's text layer are not on the picture.
    further = {name: value for name, value in entry.further.items() if name != "words"}
    return entry._replace(bbox=_published(warped.box), further={**further, "quad": quad})


def _published(box: Box | None) -> XYWH | None:
    if box is None:
        return None
    # In decimals, so that the far edge of a box at the page's edge is not past it by rounding.
    x0, y0, x1, y1 = (Decimal(repr(round(edge, _DECIMALS))) for edge in box)
    if x0 == x1 or y0 == y1:
        return box.xywh
    return x0, y0, x1 - x0, y1 - y0
