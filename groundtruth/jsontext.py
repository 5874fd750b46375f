"""JSON text in and out: exact numbers, no NaN, no lost duplicate keys.

Two readers. ``loads`` is for our own files and refuses everything doubtful. ``loads_tolerant`` is for what others
wrote (ballots, imported labels): what cannot be trusted becomes a ``Malformed`` in its place, so that one bad leaf
never costs the rest. Both read integers as ``int`` and other numbers as ``Decimal``, and both refuse nesting deeper
than ``MAX_DEPTH``.

One writer: sorted keys, explicit nulls, exact decimals, ASCII only where JSON demands it.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path as FilePath
from typing import Any, Final, NamedTuple, NoReturn

import simplejson

from groundtruth.errors import JsonError
from groundtruth.path import Path, format_path

MAX_DEPTH: Final = 200
MAX_FILE_BYTES: Final = 256 * 1024 * 1024
_LARGEST_DOUBLE: Final = Decimal("1.7976931348623157e308")
_MAX_DIGITS: Final = 400
_DUPLICATE_KEY: Final = "duplicate_key"
_NOT_A_NUMBER: Final = "not_a_finite_number"
_NOT_UNICODE: Final = "not_unicode"
_CURES: Final = {
    _DUPLICATE_KEY: "keep one of the two",
    _NOT_A_NUMBER: "write a number that a double can hold, or null",
    _NOT_UNICODE: "write the whole character",
}
_ONE_BRACKET: Final = bytes.maketrans(b"{}", b"[]")
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Malformed:
    """A place in somebody's JSON that holds no trustworthy value: ``raw`` is what stood there, ``reason`` a code."""

    raw: str
    reason: str


# Recursive aliases of JSON cost more in casts than they find: the shape of data is the schema's business.
Json = Any


_PLAIN_DIGITS: Final = 20
"""A number written with so few characters and no exponent is far inside the range of doubles."""
_MOST_KNOWN: Final = 1 << 14
"""So many literals are kept at most; of numbers that hardly repeat more would only cost memory."""
_INEXACT: Final = re.compile(rb'value"\s*:\s*-?(?:[\d.]{17}|[\d.]+[eE])')
"""A number, behind a key that ends in ``value``, that may have more digits than a float holds."""
_SOUND: Final = frozenset({str, int, Decimal, float, bool, type(None)})


def loads(text: str | bytes, *, source: str = "JSON") -> Json:
    """Read strict JSON.

    Raises:
        JsonError: not UTF-8, not JSON, NaN or Infinity, a number past the range of doubles, a duplicate key, or
            nesting deeper than ``MAX_DEPTH``; the message starts with ``source`` and names the leaf.
    """
    value, is_sound = read(text, source=source)
    for path, bad in () if is_sound else _malformed_at((), value):
        where = f"{format_path(path)}: " if path else ""
        raise JsonError(f"{source}: {where}{bad.reason.replace('_', ' ')}: {bad.raw[:80]}; {_CURES[bad.reason]}")
    return value


def loads_tolerant(text: str | bytes, *, source: str = "JSON") -> Json:
    """Read JSON that others wrote; untrustworthy places come back as ``Malformed``.

    NaN, Infinity and numbers outside the range of doubles are malformed numbers, and a text with half of a surrogate
    pair is malformed. A key that stands twice in an object makes that key malformed and leaves its neighbours alone.

    Raises:
        JsonError: not UTF-8, not JSON, or nested deeper than ``MAX_DEPTH``; the message starts with ``source``.
    """
    return read(text, source=source)[0]


def read(text: str | bytes, *, source: str = "JSON") -> tuple[Json, bool]:
    """What ``loads_tolerant`` gives, and whether it is sound: nothing in it is ``Malformed``.

    To look for malformed places takes as long as to read, and hardly any text has one.

    Raises:
        JsonError: as ``loads_tolerant``.
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise JsonError(f"{source}: not UTF-8 (byte {error.start}); save the file as UTF-8") from error
    values = _Values()
    try:
        value = json.loads(
            text,
            parse_int=values.integers.__getitem__,
            parse_float=values.decimals.__getitem__,
            parse_constant=values.malformed_number,
            object_pairs_hook=values.object,
        )
    except json.JSONDecodeError as error:
        raise JsonError(f"{source}: not JSON: {error.msg} at line {error.lineno} column {error.colno}") from error
    except RecursionError:
        # The C scanner stops by itself long before the stack does.
        raise JsonError(f"{source}: nested deeper than {MAX_DEPTH}") from None
    if _is_deep(data):
        raise JsonError(f"{source}: nested deeper than {MAX_DEPTH}")
    if _SURROGATE.search(text):
        return _unicode_only(value), False
    return value, values.are_sound


def load_file(path: FilePath) -> Json:
    """Read one of our own JSON files, strictly.

    Raises:
        JsonError: as ``loads``; also when the file cannot be read.
    """
    return loads(read_bytes(path), source=str(path))


class Rough(NamedTuple):
    """A JSON text that was read by a faster parser, which gives fractions as floats and loses keys that stand twice.

    Attributes:
        value: what it holds. A float behind a key ``value`` is one that ``exact`` knows the number of; others may have
            lost digits, or be infinite.
        keys: how many keys the objects of the text have. A reader that meets fewer has lost some, and calls ``loads``.
    """

    value: Json
    keys: int


def rough(data: bytes) -> Rough | None:
    """Read JSON at a third of the cost of ``loads``, for files of a million numbers of which few are compared.

    None for what is no strict JSON, and where a number behind a key ``value`` may have more digits than a float holds.
    """
    from pydantic_core import from_json

    try:
        value = from_json(data, allow_inf_nan=False)
    except ValueError:
        return None
    if _INEXACT.search(data):
        return None
    return Rough(value, _outside_texts(data, b":").count(b":"))


def exact(number: float) -> Decimal:
    """The number that a text of at most 15 digits had."""
    return Decimal(repr(number))


def read_bytes(path: FilePath) -> bytes:
    """The bytes of a JSON file. Never blocks and never runs full: pipes and devices are refused unread.

    Raises:
        JsonError: the file is absent, a folder, a pipe, socket or device, larger than ``MAX_FILE_BYTES``, or may not
            be read.
    """
    try:
        # Opening some devices has effects of its own, so the kind is asked before and again after opening.
        _require_readable(path, path.stat())
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            _require_readable(path, os.fstat(descriptor))
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        # ValueError: a name that no file can have, with a NUL in it.
        raise JsonError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    _require_size(path, len(data))
    return data


def dumps(value: Json, *, indent: int | None = None) -> str:
    """Write canonical JSON: sorted keys, exact decimals, no NaN, no trailing newline.

    Raises:
        JsonError: the value holds NaN, Infinity, a ``Malformed``, or something JSON has no form for.
    """
    try:
        return (_COMPACT if indent is None else _encoder(indent)).encode(value)
    except (ValueError, RecursionError) as error:
        raise JsonError(f"cannot be written as JSON: {error}") from error


def _require_readable(path: FilePath, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise JsonError(f"{path}: cannot be read: it is a folder; name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise JsonError(f"{path}: is a pipe, socket or device, not a file; save its content to a file first")
    _require_size(path, status.st_size)


def _require_size(path: FilePath, size: int) -> None:
    if size > MAX_FILE_BYTES:
        raise JsonError(f"{path}: has more than {MAX_FILE_BYTES:,} bytes, the limit of a JSON file")


def _encoder(indent: int | None) -> simplejson.JSONEncoder:
    return simplejson.JSONEncoder(
        use_decimal=True,
        sort_keys=True,
        allow_nan=False,
        ensure_ascii=False,
        indent=indent,
        separators=(",", ": ") if indent else (",", ":"),
        namedtuple_as_object=False,
        default=_refuse,
    )


def find_malformed(value: Json) -> list[Malformed]:
    """Every malformed place in a value, in document order."""
    return [bad for _, bad in _malformed_at((), value)]


def _malformed_at(path: Path, value: Json) -> Iterator[tuple[Path, Malformed]]:
    """Every malformed place at and below a path, with its own path."""
    if isinstance(value, Malformed):
        yield path, value
    elif isinstance(value, (dict, list)):
        for step, child in value.items() if isinstance(value, dict) else enumerate(value):
            # Nearly all are sound scalars, of which no path is made.
            if type(child) not in _SOUND:
                yield from _malformed_at((*path, step), child)


def _is_deep(data: bytes) -> bool:
    """Whether containers nest deeper than ``MAX_DEPTH``, told from the text, which must be JSON.

    All but brackets outside texts is struck out; then each pass strikes out the innermost pairs. To walk the value
    instead takes ten times as long on a million rows.
    """
    brackets = _outside_texts(data, b"[]{}").translate(_ONE_BRACKET)
    for _ in range(MAX_DEPTH):
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


def _outside_texts(data: bytes, kept: bytes) -> bytes:
    """Of a JSON text, the marks in ``kept`` that stand outside strings."""
    if b"\\" in data:
        data = data.replace(rb"\\", b"").replace(rb"\"", b"")
    marks = data.translate(None, bytes(set(range(256)) - set(kept) - {ord('"')})).replace(b'""', b"")
    return b"".join(marks.split(b'"')[::2]) if b'"' in marks else marks


def _unicode_only(value: Json) -> Json:
    """The value with every text that is no Unicode (half of a surrogate pair) replaced, so that it can be written."""
    if isinstance(value, str):
        return value if _is_unicode(value) else Malformed(_escaped(value), _NOT_UNICODE)
    if isinstance(value, Malformed):
        return Malformed(_escaped(value.raw), value.reason)
    if isinstance(value, list):
        return [_unicode_only(item) for item in value]
    if isinstance(value, dict):
        return {_escaped(key): _unicode_only(item) for key, item in value.items()}
    return value


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class _Known(dict[str, Any]):
    """Literals that were read, by their text: edges of boxes come by the million and differ by the hundred."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[str], Any]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, literal: str) -> Any:
        number = self._read(literal)
        if len(self) < _MOST_KNOWN:
            self[literal] = number
        return number


class _Values:
    """What the numbers and objects of one text become, and whether all of them could be trusted."""

    __slots__ = ("are_sound", "decimals", "integers")

    def __init__(self) -> None:
        self.are_sound = True
        self.decimals = _Known(self._decimal)
        self.integers = _Known(self._integer)

    def _integer(self, literal: str) -> int | Malformed:
        if len(literal) > _MAX_DIGITS:
            return self.malformed_number(literal)
        number = int(literal)
        return number if abs(number) <= _LARGEST_DOUBLE else self.malformed_number(literal)

    def _decimal(self, literal: str) -> Decimal | Malformed:
        if len(literal) <= _PLAIN_DIGITS and "e" not in literal and "E" not in literal:
            return Decimal(literal)
        try:
            number = Decimal(literal)
        except InvalidOperation:
            # An exponent that Decimal itself has no room for.
            return self.malformed_number(literal)
        # copy_abs, because abs rounds to the context and overflows there.
        if len(literal) > _MAX_DIGITS or number.copy_abs() > _LARGEST_DOUBLE:
            return self.malformed_number(literal)
        if abs(number.adjusted()) <= _MAX_DIGITS:
            return number
        # Flushed to zero by a double, a number is as unusable as one that overflows. A zero of any exponent is zero,
        # and 0E+999999999 is dangerous to anyone who writes it out.
        return self.malformed_number(literal) if number else Decimal("-0.0" if number.is_signed() else "0.0")

    def malformed_number(self, literal: str) -> Malformed:
        self.are_sound = False
        return Malformed(literal, _NOT_A_NUMBER)

    def object(self, pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        self.are_sound = False
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                found[key] = Malformed(key, _DUPLICATE_KEY)
            seen.add(key)
        return found


def _refuse(value: object) -> NoReturn:
    raise ValueError(f"{type(value).__name__} has no JSON form")


# Made once: a long table is written a leaf at a time, and making an encoder costs more than a leaf.
_COMPACT: Final = _encoder(None)
