"""Readers of leaves that hold more than a scalar: lists of scalars, and opaque leaves that take any JSON."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from groundtruth import jsontext, value_number
from groundtruth.errors import JsonError
from groundtruth.jsontext import Json, Malformed
from groundtruth.rules import ListOrder
from groundtruth.schema import Leaf
from groundtruth.value_reading import (
    COERCED,
    NO_FLAGS,
    NULL,
    Canonical,
    Fault,
    Flag,
    Invalid,
    Key,
    Value,
)
from groundtruth.value_text import clean, clean_surface, is_unicode

_NULL_KEY: Key = ("null", "")


def list_reader(leaf: Leaf, read_item: Callable[[Json], Canonical]) -> Callable[[Json], Canonical]:
    """The reader of a list whose items ``read_item`` reads; null tokens of the list hold for its items too."""
    return _ListReader(leaf, read_item)


def opaque_reader(leaf: Leaf) -> Callable[[Json], Canonical]:
    """The reader of a leaf that takes any JSON."""
    return _OpaqueReader(leaf)


class _ListReader:
    """list: the canonical items, in order unless a set or multiset is declared.

    A list without a non-null item is Null, an invalid item makes the list invalid, and a scalar is a list of one. In a
    set neither order nor repetition count, in a multiset only repetition does; the stored list is as it was written.
    """

    def __init__(self, leaf: Leaf, read_item: Callable[[Json], Canonical]) -> None:
        self._order = leaf.rule.list
        self._null_tokens = frozenset(map(clean, leaf.rule.null_tokens))
        self._read_item = read_item

    def __call__(self, raw: Json) -> Canonical:
        if isinstance(raw, list):
            return self._items(raw, raw, NO_FLAGS)
        written = _written_list(raw)
        return self._items(raw, [raw] if written is None else written, COERCED)

    def _items(self, raw: Json, items: list[Json], flags: frozenset[Flag]) -> Canonical:
        keys: list[Key] = []
        surface: list[Json] = []
        for item in map(self._item, items):
            if isinstance(item, Invalid):
                return Invalid(raw, Fault.INVALID_ITEM if isinstance(raw, list) else item.reason)
            keys.append(item.key if isinstance(item, Value) else _NULL_KEY)
            surface.append(item.surface if isinstance(item, Value) else None)
            flags |= item.flags
        if all(key == _NULL_KEY for key in keys):
            return NULL
        return Value(("list", self._arranged(keys)), surface, flags)

    def _item(self, raw: Json) -> Canonical:
        if isinstance(raw, str) and clean(raw) in self._null_tokens:
            return NULL
        return self._read_item(raw)

    def _arranged(self, keys: list[Key]) -> tuple[Key, ...]:
        match self._order:
            case ListOrder.ORDERED:
                return tuple(keys)
            case ListOrder.MULTISET:
                return tuple(sorted(keys))
            case ListOrder.SET:
                return tuple(sorted(set(keys) - {_NULL_KEY}))


def _written_list(raw: Json) -> list[Json] | None:
    """The list in a string that holds one as JSON, as some systems return them."""
    if not isinstance(raw, str) or not raw.lstrip().startswith("["):
        return None
    try:
        parsed = jsontext.loads_tolerant(raw)
    except JsonError:
        return None
    return parsed if isinstance(parsed, list) else None


class _OpaqueReader:
    """opaque: equal as JSON, with text cleaned and numbers exact; an absent member and a null one are the same."""

    def __init__(self, leaf: Leaf) -> None:
        self._null_tokens = frozenset(map(clean, leaf.rule.null_tokens))

    def __call__(self, raw: Json) -> Canonical:
        if _is_deep(raw):
            return Invalid(raw, Fault.TOO_DEEP)
        try:
            surface = self._cleaned(raw)
        except _Faulty as error:
            return Invalid(raw, error.reason)
        pruned = _pruned(surface)
        return NULL if pruned is None else Value(("opaque", jsontext.dumps(pruned)), surface)

    def _cleaned(self, raw: Json) -> Json:
        """The JSON with its texts and numbers as we keep them; null tokens and empty texts are null."""
        if isinstance(raw, dict):
            members = {clean(str(name)): self._cleaned(value) for name, value in raw.items()}
            if len(members) < len(raw):
                raise _Faulty(Fault.DUPLICATE_KEY)
            if not all(map(is_unicode, members)):
                raise _Faulty(Fault.NOT_UNICODE)
            return members
        if isinstance(raw, list):
            return [self._cleaned(item) for item in raw]
        if isinstance(raw, str):
            if not is_unicode(raw):
                raise _Faulty(Fault.NOT_UNICODE)
            text = clean(raw)
            return None if not text or text in self._null_tokens else clean_surface(raw)
        if raw is None or isinstance(raw, bool):
            return raw
        return _number(raw)


class _Faulty(Exception):
    """Carries the reason out of the depth of a value."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def _number(raw: Json) -> Json:
    if isinstance(raw, Malformed):
        raise _Faulty(raw.reason)
    if isinstance(raw, float):
        raw = Decimal(repr(raw))
    number = value_number.exact(raw) if isinstance(raw, (int, Decimal)) else Fault.NOT_JSON
    if isinstance(number, Fault):
        raise _Faulty(number)
    return number


def _pruned(value: Json) -> Json:
    """The cleaned JSON without what says nothing: null members, and containers that hold nothing else."""
    if isinstance(value, dict):
        members = {name: _pruned(member) for name, member in value.items()}
        return {name: member for name, member in members.items() if member is not None} or None
    if isinstance(value, list):
        items = [_pruned(item) for item in value]
        return None if all(item is None for item in items) else items
    return clean(value) if isinstance(value, str) else value


def _is_deep(value: Json) -> bool:
    """Whether containers nest deeper than JSON that we read; a loop, because recursion is what it guards."""
    level = [value]
    for _ in range(jsontext.MAX_DEPTH + 1):
        level = [child for each in level for child in _children(each)]
        if not level:
            return False
    return True


def _children(value: Json) -> list[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
