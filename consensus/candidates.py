"""The classes of readings of a leaf as a person sees them, and the form in which a class is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from groundtruth import jsontext
from groundtruth.consensus import Candidate
from groundtruth.jsontext import Json, Malformed
from groundtruth.value import Invalid, Key, Null, Reading, Value, sort_key

_PLAIN: Final = frozenset({str, int, Decimal, bool, type(None)})

Printed = Callable[[str], bool]
"""Whether a text stands verbatim in the text layer of a page that the document's ballots cite."""


def never_printed(_text: str) -> bool:
    """The answer when no page is at hand."""
    return False


def candidates(
    raws: Mapping[str, Json], readings: Mapping[str, Reading], printed: Printed = never_printed
) -> tuple[Candidate, ...]:
    """Every class of readings, valid ones by their value, then null, then each invalid reading by its text.

    The order says nothing about support.

    Args:
        raws: per system the raw reading, as ``showable`` has it.
        readings: per system what it reads as; no abstentions.
        printed: whether a text stands on a cited page.
    """
    classes: dict[Key, list[str]] = {}
    nulls: list[str] = []
    invalid: dict[str, list[str]] = {}
    for system in sorted(readings):
        reading = readings[system]
        if isinstance(reading, Value):
            classes.setdefault(reading.key, []).append(system)
        elif isinstance(reading, Null):
            nulls.append(system)
        elif isinstance(reading, Invalid):
            invalid.setdefault(_text(raws[system]), []).append(system)
    found = []
    for key in sorted(classes, key=sort_key) if len(classes) > 1 else classes:
        systems = classes[key]
        values = [reading for system in systems if isinstance(reading := readings[system], Value)]
        found.append(Candidate(representation(values, printed), _forms(raws, systems), tuple(systems)))
    if nulls:
        found.append(Candidate(None, _forms(raws, nulls), tuple(nulls)))
    for text in sorted(invalid):
        found.append(Candidate(None, _forms(raws, invalid[text]), tuple(invalid[text]), valid=False))
    return tuple(found)


def sole_candidate(raws: Mapping[str, Json], agreed: Value) -> tuple[Candidate, ...]:
    """The only class of a leaf on which all systems read the same value in the same form."""
    everyone = tuple(sorted(raws))
    return (Candidate(agreed.surface, _forms(raws, everyone), everyone),)


def representation(values: Sequence[Value], printed: Printed = never_printed) -> Json:
    """The stored value of a class: the surface that most of its readings have.

    On a tie, the one that is printed on a cited page; then the smallest by code point. Never by the order of systems.
    Numbers, dates, booleans and enumerations have one surface a class, so only texts and lists are ever chosen.
    """
    first = values[0].surface
    if len(values) == 1 or all(value.surface == first for value in values[1:]):
        return first
    counts = Counter(_text(value.surface) for value in values)
    most = max(counts.values())
    tied = sorted(form for form, count in counts.items() if count == most)
    surfaces = {_text(value.surface): value.surface for value in values}
    if len(tied) > 1:
        tied = [form for form in tied if isinstance(surfaces[form], str) and printed(surfaces[form])] or tied
    return surfaces[tied[0]]


def showable(raw: Json) -> Json:
    """A raw reading as our files hold it: what is no JSON value is shown by its text."""
    if type(raw) in _PLAIN:
        return raw
    if isinstance(raw, Malformed):
        return raw.raw
    if isinstance(raw, dict):
        return {key: showable(value) for key, value in raw.items()}
    if isinstance(raw, list):
        return [showable(value) for value in raw]
    return raw


def _forms(raws: Mapping[str, Json], systems: Sequence[str]) -> tuple[Json, ...]:
    first = raws[systems[0]]
    if all(_is_same(raws[system], first) for system in systems):
        return (first,)
    forms = {_text(raws[system]): raws[system] for system in systems}
    return tuple(forms[text] for text in sorted(forms))


def _is_same(one: Json, other: Json) -> bool:
    if one is other:
        return True
    # Python takes 1, True and 1.0 for one another, and Decimal takes 1.5 for 1.50: as raw forms they differ.
    kind = type(one)
    if kind is not type(other) or kind not in _PLAIN:
        return False
    return bool(str(one) == str(other)) if kind is Decimal else bool(one == other)


def _text(raw: Json) -> str:
    return raw if isinstance(raw, str) else jsontext.dumps(raw)
