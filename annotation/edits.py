"""What a person typed, as a value of the field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from annotation.packet import Option
from groundtruth import jsontext
from groundtruth.errors import JsonError
from groundtruth.jsontext import Json
from groundtruth.rules import Comparator, DateOrder
from groundtruth.schema import Leaf
from groundtruth.value import Fault, Flag, Invalid, Null, Value, canonical

_DAY: Final = "a date of the calendar, such as 2025-03-31"
_LOOKS_LIKE: Final = {
    Comparator.NUMBER: "a number, such as 1234.5",
    Comparator.INTEGER: "a whole number, such as 12",
    Comparator.CURRENCY: "an amount, such as 1234.50",
    Comparator.DATE: _DAY,
    Comparator.BOOLEAN: "true or false",
    Comparator.LIST: "a list, one item per line",
    Comparator.OPAQUE: "JSON",
}


class Typed(NamedTuple):
    """Typed text that is a value of the field.

    Attributes:
        value: in the schema's JSON type.
        option: the candidate that it equals under the field's comparator, whose exact value it then is; or None.
    """

    value: Json
    option: Option | None = None


class Unreadable(NamedTuple):
    """Typed text that is no value of the field; ``reason`` says for people what one looks like."""

    reason: str


def read_edit(leaf: Leaf, text: str, options: Sequence[Option] = ()) -> Typed | Unreadable:
    """The value that a person typed for a leaf.

    Text is read by the leaf's comparator, so ``1,234.50`` becomes a number and ``yes`` true. A list has one item per
    line, or is JSON. Text keeps what was typed but for the spaces that the comparator does not see. Of several equal
    candidates the first counts. Empty text and null tokens are no value: "absent" is an answer of its own.
    """
    raw = _raw(leaf, text)
    if isinstance(raw, Unreadable):
        return raw
    found = canonical(leaf, raw)
    if isinstance(found, Null):
        said = f"{text.strip()!r} stands for no value" if text.strip() else "nothing was typed"
        return Unreadable(f'{said}; if the document has no such value, answer "absent"')
    if isinstance(found, Invalid):
        return Unreadable(f"{text.strip()!r} is no value of {leaf.name} ({found.reason}); it needs {looks_like(leaf)}")
    if Flag.AMBIGUOUS_DATE in found.flags:
        return Unreadable(f"{text.strip()!r} may be two dates; write it as {_DAY}")
    option = next((option for option in options if _key(leaf, option.value) == found.key), None)
    return Typed(found.surface if option is None else option.value, option)


def looks_like(leaf: Leaf) -> str:
    """What a value of the leaf looks like, for people."""
    if leaf.enum:
        members = ", ".join(member if isinstance(member, str) else jsontext.dumps(member) for member in leaf.enum)
        return f"one of {members}"
    if leaf.comparator is Comparator.LIST and leaf.item is not None:
        return f"{_LOOKS_LIKE[Comparator.LIST]}, each {looks_like(leaf.item)}"
    if leaf.comparator is Comparator.UNION:
        return f"a value of type {' or '.join(sorted(leaf.types))}"
    if leaf.comparator is Comparator.DATE and leaf.rule.date_order not in (None, DateOrder.YMD):
        return f"{_DAY}, or written in the order {leaf.rule.date_order}"
    return _LOOKS_LIKE.get(leaf.comparator, "text")


def _raw(leaf: Leaf, text: str) -> Json | Unreadable:
    stripped = text.strip()
    if leaf.comparator is Comparator.LIST and not stripped.startswith("["):
        return [line for line in text.splitlines() if line.strip()]
    if leaf.comparator is Comparator.OPAQUE or (leaf.comparator is Comparator.LIST and stripped):
        try:
            return jsontext.loads(stripped)
        except JsonError:
            # A word alone is the natural way to type a text; what starts like a container was meant as JSON.
            if stripped.startswith(("[", "{")) or (leaf.types and "string" not in leaf.types):
                return Unreadable(f"{stripped!r} is no value of {leaf.name} ({Fault.NOT_JSON}); it needs JSON")
    return text


def _key(leaf: Leaf, value: Json) -> object:
    found = canonical(leaf, value)
    return found.key if isinstance(found, Value) else None
