"""The evidence of a truth: the places of a value line by line, and its further readings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from annotation.equality import value_class
from groundtruth.box import Box
from groundtruth.evidence import Evidence, Kind
from groundtruth.jsontext import Json
from groundtruth.schema import Leaf
from groundtruth.truth import XYWH, TruthEvidence


def truth_evidence(
    value: Json, alternates: Sequence[Json], places: Iterable[Evidence], leaf: Leaf | None, *, reviewed: bool
) -> tuple[TruthEvidence, ...]:
    """The evidence list of one leaf.

    Args:
        value: what it holds; what holds nothing stands nowhere.
        alternates: further readings that are right.
        places: where it stands.
        leaf: the leaf, whose comparator tells which reading a place supports.
        reviewed: whether a person saw these places.

    Returns:
        For every place one entry a printed line and, when there are several, a coarse one around them; the quote stands
        with the box that frames all of it. Each names the reading that the place supports: the leaf's own value, or a
        further one. A further reading without a place is an entry of its own.
    """
    if value is None:
        return ()
    readings = {value_class(each, leaf): each for each in reversed((value, *alternates))}
    entries: list[TruthEvidence] = []
    for place in places:
        supported = value if place.value is None else readings.get(value_class(place.value, leaf), value)
        entries.extend(_entries(place, supported, reviewed=reviewed))
    shown = {value_class(entry.value, leaf) for entry in entries}
    without_place = [each for each in alternates if value_class(each, leaf) not in shown]
    return (*entries, *(TruthEvidence(value=each, further={"reviewed": reviewed}) for each in without_place))


def _entries(place: Evidence, value: Json, *, reviewed: bool) -> Iterator[TruthEvidence]:
    said = {"reviewed": reviewed, "source": str(place.source)}
    one = TruthEvidence(place.page, None, value, place.quote, kind=place.kind, further=said)
    if len(place.boxes) < 2:
        yield one._replace(bbox=_xywh(place.boxes[0])) if place.boxes else one
        return
    yield from (one._replace(bbox=_xywh(box), quote=None) for box in place.boxes)
    if place.hull is not None:
        yield one._replace(bbox=_xywh(place.hull), coarse=True, kind=Kind.HULL)


def _xywh(box: Box) -> XYWH:
    # As precise as the records of decisions: moved boxes come back within half of the last digit.
    x, y, width, height = (round(number, 6) for number in box.xywh)
    return x, y, width, height
