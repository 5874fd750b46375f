"""What a truth accepts at each address and where it says that the value stands, and what a prediction cites.

Addresses are texts, ``items[0].amount``, with the indices of their own document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from groundtruth.box import Box
from groundtruth.errors import RulesError
from groundtruth.jsontext import Json
from scoring.cell_keys import NORMALIZERS


class Place(NamedTuple):
    """One entry of evidence: a page, with or without a box; ``coarse`` boxes frame all lines of a value."""

    page: int
    box: Box | None = None
    coarse: bool = False


class FieldEvidence(NamedTuple):
    """What is known of one address of a truth.

    Attributes:
        readings: further values that are right, beside the one in the truth; never null.
        places: where the value stands; any of them proves it.
        normalizers: names of ``cell_keys.NORMALIZERS``.
    """

    readings: tuple[Json, ...] = ()
    places: tuple[Place, ...] = ()
    normalizers: tuple[str, ...] = ()


def read_field_rules(form: Json, *, source: str = "field rules") -> dict[str, FieldEvidence]:
    """The rules of ExtractBench: an object by address, or a list of rules that name their address.

    A rule has ``evidence``, a list of ``{page, bbox, value, coarse}``, or the older ``bboxes`` with ``expected_value``;
    and ``normalizers``. A box without area proves nothing and is left out.

    Raises:
        RulesError: anything that is no such rule; the message says where.
    """
    rules: dict[str, FieldEvidence] = {}
    for address, rule in _by_address(form, source):
        try:
            rules[address] = _rule(rule)
        except RulesError as error:
            raise RulesError(f"{source}: {address}: {error}") from None
    return rules


def read_evidence(form: Json, *, source: str = "evidence") -> dict[str, FieldEvidence]:
    """The evidence of a truth of ours: a list of entries by address.

    Raises:
        RulesError: anything else; the message says where.
    """
    if not isinstance(form, dict):
        raise RulesError(f"{source}: evidence is an object with a list by address, not {type(form).__name__}")
    found: dict[str, FieldEvidence] = {}
    for address, entries in form.items():
        try:
            found[address] = _evidence(entries, ())
        except RulesError as error:
            raise RulesError(f"{source}: {address}: {error}") from None
    return found


def read_citations(form: Json, *, source: str = "citations") -> dict[str, tuple[Place, ...]]:
    """What a prediction cites: a list of ``{field_path, page, bbox}``; a box that is none, or flat, is a page only.

    Raises:
        RulesError: no list of objects, or one without an address or a page from 1.
    """
    if not isinstance(form, list):
        raise RulesError(f"{source}: citations are a list, not {type(form).__name__}")
    found: dict[str, list[Place]] = {}
    for number, entry in enumerate(form, start=1):
        try:
            if not isinstance(entry, dict) or not isinstance(address := entry.get("field_path"), str):
                raise RulesError("an object with field_path and page is needed")
            found.setdefault(address, []).append(_place(entry))
        except RulesError as error:
            raise RulesError(f"{source}: citation {number}: {error}") from None
    return {address: tuple(places) for address, places in found.items()}


def usable_citations(form: Json) -> tuple[dict[str, tuple[Place, ...]], int]:
    """What a prediction cites, and how many of its citations are none and left out; for what a system returned."""
    entries = form if isinstance(form, list) else [form]
    usable = [entry for entry in entries if _is_citation(entry)]
    return read_citations(usable), len(entries) - len(usable)


def _is_citation(entry: Json) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("field_path"), str):
        return False
    page = entry.get("page")
    return type(page) is int and page >= 1


def with_normalizers(
    evidence: Mapping[str, FieldEvidence], form: Json, *, source: str = "normalizers"
) -> dict[str, FieldEvidence]:
    """Evidence joined with the normalizers of a truth of ours: a list of names by address.

    Raises:
        RulesError: anything else, or a name that no normalizer has; the message says where.
    """
    if not isinstance(form, dict) or not all(isinstance(names, list) for names in form.values()):
        raise RulesError(f"{source}: normalizers are an object with a list of names by address")
    found = dict(evidence)
    for address, names in form.items():
        known = found.get(address, FieldEvidence())
        try:
            found[address] = known._replace(normalizers=_normalizers(names))
        except RulesError as error:
            raise RulesError(f"{source}: {address}: {error}") from None
    return found


def _normalizers(names: Iterable[Json]) -> tuple[str, ...]:
    normalizers = tuple(names)
    unknown = sorted(set(map(str, normalizers)) - NORMALIZERS) if normalizers else ()
    if unknown:
        raise RulesError(f"no normalizer is called {unknown[0]!r}; there is {', '.join(sorted(NORMALIZERS))}")
    return normalizers


def _by_address(form: Json, source: str) -> Iterable[tuple[str, Json]]:
    if isinstance(form, dict):
        return form.items()
    if isinstance(form, list) and all(
        isinstance(rule, dict) and isinstance(rule.get("field_path"), str) for rule in form
    ):
        return [(rule["field_path"], rule) for rule in form]
    raise RulesError(f"{source}: field rules are an object by address, or a list of rules with a field_path")


def _rule(rule: Json) -> FieldEvidence:
    if not isinstance(rule, dict):
        raise RulesError(f"a rule is an object, not {type(rule).__name__}")
    normalizers = _normalizers(rule.get("normalizers") or ())
    evidence = rule.get("evidence")
    if evidence is None:
        value = rule.get("expected_value")
        boxes = rule.get("bboxes") or ()
        evidence = [{**box, "value": value} for box in boxes if isinstance(box, dict)]
    return _evidence(evidence, normalizers)


def _evidence(entries: Json, normalizers: tuple[str, ...]) -> FieldEvidence:
    if not isinstance(entries, list):
        raise RulesError("evidence is a list of objects")
    readings: list[Json] = []
    places: list[Place] = []
    for entry in entries:
        if not isinstance(entry, dict):
            raise RulesError("evidence is a list of objects")
        if (reading := entry.get("value")) is not None:
            readings.append(reading)
        if entry.get("page") is not None:
            places.append(_place(entry))
    return FieldEvidence(tuple(readings), tuple(places), normalizers)


def _place(entry: Mapping[str, Json]) -> Place:
    page = entry.get("page")
    if type(page) is not int or page < 1:
        raise RulesError(f"a page is a whole number from 1, not {page!r}")
    return Place(page, _box(entry.get("bbox")), entry.get("coarse") is True)


def _box(bbox: Json) -> Box | None:
    """The box of ``[x, y, width, height]``, or None for what frames nothing on the page."""
    try:
        x, y, width, height = map(float, bbox)
    except (TypeError, ValueError):
        return None
    x1, y1 = x + width, y + height
    if 0.0 <= x < x1 <= 1.0 and 0.0 <= y < y1 <= 1.0:
        return Box.checked(x, y, x1, y1)
    try:
        return Box(max(x, 0.0), max(y, 0.0), min(x1, 1.0), min(y1, 1.0))
    except ValueError:
        return None
