"""Field rules: what a JSON Schema cannot say about how the values of a field compare.

A rules file is JSON, every key optional::

    {"fields": {"items[].sku": {"comparator": "identifier"},
                "issued": {"comparator": "date", "date_order": "DMY", "century_pivot": 2050},
                "fax": {"null_tokens": ["N/A"]},
                "tags": {"list": "set"},
                "amount": {"comparator": "currency", "locale": "de-DE"}},
     "identity": {"items": ["sku"], "orders[].lines": ["number"]}}
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path as FilePath

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundtruth import jsontext
from groundtruth.errors import RulesError
from groundtruth.jsontext import Json


class Comparator(StrEnum):
    """How the values of a field are made comparable; ``value.canonical`` holds what each one does."""

    TEXT = "text"
    CASE_INSENSITIVE = "case_insensitive"
    TYPOGRAPHIC = "typographic"
    IDENTIFIER = "identifier"
    NUMBER = "number"
    INTEGER = "integer"
    CURRENCY = "currency"
    DATE = "date"
    BOOLEAN = "boolean"
    ENUM = "enum"
    LIST = "list"
    UNION = "union"
    OPAQUE = "opaque"


DECLARABLE = frozenset(Comparator) - {Comparator.LIST, Comparator.UNION, Comparator.OPAQUE, Comparator.ENUM}
"""What a rules file may name; the rest follow from the schema alone."""


class DateOrder(StrEnum):
    """The order of the parts of an all-numeric date."""

    DMY = "DMY"
    MDY = "MDY"
    YMD = "YMD"


class ListOrder(StrEnum):
    """What order and repetition mean in a list of scalars."""

    ORDERED = "ordered"
    SET = "set"
    MULTISET = "multiset"


class FieldRule(BaseModel):
    """The declared rule of one field; every part is optional."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    comparator: Comparator | None = None
    date_order: DateOrder | None = None
    century_pivot: int | None = Field(default=None, ge=1000, le=9999, strict=True)
    locale: str = "en-US"
    null_tokens: tuple[str, ...] = ()
    list: ListOrder = ListOrder.ORDERED


class Rules(BaseModel):
    """All field rules of a schema: by schema path, and the identity keys of its arrays of objects."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fields: dict[str, FieldRule] = Field(default_factory=dict)
    identity: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Json, *, source: str = "rules") -> Rules:
        """Check the form of a rules file; that its fields exist is checked against the schema, not here.

        Raises:
            RulesError: an unknown key or a value of the wrong kind; the message names it.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise RulesError(f"{source}: {_first_fault(error)}") from error

    def to_json(self) -> dict[str, Json]:
        """The rules as a rules file holds them; defaults stay out, because a default is no declaration."""
        form: dict[str, Json] = self.model_dump(mode="json", exclude_defaults=True)
        return form

    @classmethod
    def load(cls, path: FilePath) -> Rules:
        """Read a rules file.

        Raises:
            JsonError: not strict JSON.
            RulesError: as ``from_json``.
        """
        return cls.from_json(jsontext.load_file(path), source=str(path))


def _first_fault(error: ValidationError) -> str:
    """The first thing wrong with a rules file: where, what, and what may stand there."""
    first = error.errors()[0]
    place = [str(part) for part in first["loc"]]
    if first["type"] != "extra_forbidden":
        return f"{'.'.join(place) or 'the file'}: {first['msg']}"
    model = FieldRule if place[0] == "fields" else Rules
    return f"{'.'.join(place)}: no such key; there are {', '.join(model.model_fields)}"
