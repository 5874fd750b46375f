"""Wrong values that a system might have read: another digit, a look-alike letter, the value of a neighbour.

They stand beside the right value on a card whose answer is known, so they must be values of the field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from annotation.chance import Chance
from groundtruth.jsontext import Json
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf
from groundtruth.value import Value, canonical

_LOOK_ALIKE: Final = {
    "0": "8",
    "1": "7",
    "2": "7",
    "3": "8",
    "4": "9",
    "5": "6",
    "6": "8",
    "7": "1",
    "8": "3",
    "9": "4",
}
_LETTERS: Final = {
    "O": "0",
    "I": "1",
    "S": "5",
    "B": "8",
    "Z": "2",
    "E": "F",
    "C": "G",
    "rn": "m",
    "m": "rn",
    "l": "1",
    "e": "c",
    "h": "b",
    "D": "O",
    "U": "V",
}
_SHARE_OF_NEIGHBOURS: Final = 0.5
_DAYS: Final = (1, -1, 10, 31, -30, 365)
_MONTHS: Final = 12


def wrong_values(leaf: Leaf, right: Json, neighbours: Iterable[Json], chance: Chance) -> list[Json]:
    """Values that are none of the right one, each another under the field's comparator, in an order by chance.

    Args:
        leaf: the field.
        right: the right value, in the schema's JSON type; None when the document has none.
        neighbours: values of the same field in other rows, the nearest first.
        chance: what is drawn follows from it.
    """
    made = list(_misread(leaf, right, chance)) if right is not None else []
    near = list(neighbours)[:2]
    # What stands beside it is the commonest mistake, so half of the cards have it.
    first, rest = (near[:1], near[1:]) if chance.draw("neighbour first") < _SHARE_OF_NEIGHBOURS else ([], near)
    proposals = [*first, *made, *rest]
    seen = {_class(leaf, right)}
    found: list[Json] = []
    for value in proposals:
        known = _class(leaf, value)
        if known is not None and known not in seen:
            seen.add(known)
            found.append(value)
    return found


def _class(leaf: Leaf, value: Json) -> object:
    read = canonical(leaf, value)
    return read.key if isinstance(read, Value) else None


def _misread(leaf: Leaf, right: Json, chance: Chance) -> Iterator[Json]:
    if isinstance(right, bool):
        yield not right
    elif leaf.enum:
        yield from chance.shuffled("enum", [member for member in leaf.enum if member != right])
    elif leaf.comparator is Comparator.DATE:
        yield from _dates(str(right), chance)
    elif isinstance(right, (int, Decimal)):
        yield from (_number(text, right) for text in _texts(str(right), chance))
    elif isinstance(right, str):
        yield from _texts(right, chance)


def _dates(text: str, chance: Chance) -> Iterator[Json]:
    """Other days in the same form; only whole dates are changed."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        yield from _texts(text, chance)
        return
    if day.day <= _MONTHS and day.day != day.month:
        yield day.replace(month=day.day, day=day.month).isoformat()
    for days in chance.shuffled("days", _DAYS):
        try:
            yield (day + timedelta(days=days)).isoformat()
        except OverflowError:
            continue


def _number(text: str, like: Json) -> Json:
    return Decimal(text) if isinstance(like, Decimal) else int(text)


def _texts(text: str, chance: Chance) -> Iterator[str]:
    """A text with one place misread; a number stays one."""
    changes: list[Callable[[str, Chance], str]] = [_other_digit, _swapped_digits, _lost_digit]
    if not re.fullmatch(r"-?[\d.]+", text):
        changes += [_other_letter, _other_letter]
    for at, change in enumerate(chance.shuffled("changes", changes)):
        changed = change(text, chance.of("change", at))
        if changed not in (text, "", "-"):
            yield changed
    words = text.split(" ")
    if len(words) > 1:
        yield " ".join(words[:-1])


def _other_digit(text: str, chance: Chance) -> str:
    places = [at for at, character in enumerate(text) if character in _LOOK_ALIKE]
    if not places:
        return text
    at = chance.choice("digit", places)
    digit = _LOOK_ALIKE[text[at]]
    return f"{text[:at]}{digit}{text[at + 1 :]}"


def _swapped_digits(text: str, chance: Chance) -> str:
    places = [
        at
        for at in range(len(text) - 1)
        if text[at] != text[at + 1] and text[at] in _LOOK_ALIKE and text[at + 1] in _LOOK_ALIKE and text[at + 1] != "0"
    ]
    if not places:
        return text
    at = chance.choice("swap", places)
    return f"{text[:at]}{text[at + 1]}{text[at]}{text[at + 2 :]}"


def _lost_digit(text: str, chance: Chance) -> str:
    places = [at for at in range(1, len(text)) if text[at] in _LOOK_ALIKE and text[at - 1] in _LOOK_ALIKE]
    if not places:
        return text
    at = chance.choice("lost", places)
    return f"{text[:at]}{text[at + 1 :]}"


def _other_letter(text: str, chance: Chance) -> str:
    places = [(at, like) for like in _LETTERS for at in range(len(text)) if text.startswith(like, at)]
    if not places:
        return text
    at, like = chance.choice("letter", sorted(places))
    return f"{text[:at]}{_LETTERS[like]}{text[at + len(like) :]}"
