"""What a raw reading can be once its field's comparator has looked at it. ``value`` is the public face of this module.

Every type here is a NamedTuple: a vote on a long table makes millions of them.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from groundtruth.jsontext import Json

Key: TypeAlias = tuple[str, str | bool | int | Decimal | tuple["Key", ...]]
"""What two readings of a field must share to be equal: a tag for the kind, then the canonical form.

The tag settles the type of the form, so keys of different kinds are never equal and any two keys compare with ``<``.
Without it Python would take ``True``, ``1`` and ``1.0`` for one another.
"""


class Flag(StrEnum):
    """What the vote must know of a reading beside its key."""

    COERCED = "coerced"
    AMBIGUOUS_DATE = "ambiguous_date"
    NULL_LIKE = "null_like"


class Fault(StrEnum):
    """Why a reading is no value of its field. A ``Malformed`` brings the code of its own."""

    BOOLEAN = "boolean"
    DUPLICATE_KEY = "duplicate_key"
    INVALID_ITEM = "invalid_item"
    LONG_LIST = "long_list"
    NOT_A_BOOLEAN = "not_a_boolean"
    NOT_A_DATE = "not_a_date"
    NOT_A_MEMBER = "not_a_member"
    NOT_A_NUMBER = "not_a_number"
    NOT_AN_INTEGER = "not_an_integer"
    NOT_IN_CALENDAR = "not_in_calendar"
    NOT_IN_DATE_ORDER = "not_in_date_order"
    NOT_JSON = "not_json"
    NOT_OF_TYPE = "not_of_type"
    NOT_UNICODE = "not_unicode"
    NO_YEAR = "no_year"
    OBJECT = "object"
    OUT_OF_RANGE = "out_of_range"
    PERCENT = "percent"
    TOO_DEEP = "too_deep"
    TWO_DIGIT_YEAR = "two_digit_year"


NO_FLAGS: frozenset[Flag] = frozenset()
COERCED: frozenset[Flag] = frozenset({Flag.COERCED})


class Value(NamedTuple):
    """A reading that is a value of its field.

    Attributes:
        key: equal for equal values, and the only thing that equality looks at.
        surface: what is stored if this reading is the form chosen for its class.
        flags: what the vote must know of it.
    """

    key: Key
    surface: Json
    flags: frozenset[Flag] = NO_FLAGS


class Null(NamedTuple):
    """A reading that says that the document holds no such value."""

    flags: frozenset[Flag] = NO_FLAGS


class Invalid(NamedTuple):
    """A reading that is no value of its field: a dissent that can never win. ``reason`` is a short code."""

    raw: Json
    reason: str


class Abstain(NamedTuple):
    """No reading: the system said that it cannot judge the leaf. ``reason`` is a short code."""

    reason: str


Canonical = Value | Null | Invalid
Reading = Canonical | Abstain

NULL = Null()
