"""Any JSON to a reading of a leaf that holds one scalar: what all comparators of scalars share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Final

from groundtruth.jsontext import Json, Malformed
from groundtruth.schema import Leaf
from groundtruth.value_choice import CHOICE_READERS
from groundtruth.value_comparators import READERS, Reader
from groundtruth.value_reading import COERCED, NULL, Canonical, Fault, Invalid, Null, Value
from groundtruth.value_text import clean, is_unicode

_READERS: Final = READERS | CHOICE_READERS


def scalar_reader(leaf: Leaf) -> Callable[[Json], Canonical]:
    """The reader of a leaf whose comparator is not ``list`` or ``opaque``."""
    return _ScalarReader(_READERS[leaf.comparator](leaf), leaf.rule.null_tokens)


class _ScalarReader:
    """Any JSON to a reading of a scalar leaf.

    null, the empty string, an empty list and a declared null token are Null; a list of one is its item, coerced; a
    longer list, an object and what no strict reader would accept are Invalid.
    """

    def __init__(self, reader: Reader, null_tokens: Iterable[str]) -> None:
        self._reader = reader
        self._text = reader.text
        self._null_tokens = frozenset(map(clean, null_tokens))

    def __call__(self, raw: Json) -> Canonical:
        if isinstance(raw, str):
            text = clean(raw)
            if not text or text in self._null_tokens:
                return NULL
            found = self._text(text, raw) if text.isascii() or is_unicode(text) else Fault.NOT_UNICODE
            return Invalid(raw, found) if isinstance(found, Fault) else found
        if raw is None:
            return NULL
        if isinstance(raw, list):
            return self._sole_item(raw)
        result = self._other(raw)
        return Invalid(raw, result) if isinstance(result, str) else result

    def _other(self, raw: Json) -> Value | str:
        if isinstance(raw, bool):
            return self._reader.boolean(raw)
        if isinstance(raw, (int, Decimal)):
            return self._reader.number(raw)
        if isinstance(raw, float):
            # The shortest decimal that reads back as the float is how JSON wrote it.
            return self._reader.number(Decimal(repr(raw)))
        if isinstance(raw, Malformed):
            return raw.reason
        return Fault.OBJECT if isinstance(raw, dict) else Fault.NOT_JSON

    def _sole_item(self, raw: list[Json]) -> Canonical:
        item: Json = raw
        while isinstance(item, list):
            if len(item) > 1:
                return Invalid(raw, Fault.LONG_LIST)
            item = item[0] if item else None
        found = self(item)
        if isinstance(found, Invalid):
            return Invalid(raw, found.reason)
        if isinstance(found, Null):
            return Null(COERCED)
        return found._replace(flags=found.flags | COERCED)
