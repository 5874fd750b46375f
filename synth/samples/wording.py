"""Fields of sample documents: what the schema calls them, and what the page prints beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import Final

from groundtruth.jsontext import Json


class Kind(StrEnum):
    """What a field's values are, and so how they are printed and compared."""

    TEXT = "text"
    IDENTIFIER = "identifier"
    DATE = "date"
    MONEY = "money"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"


class Hint(StrEnum):
    """By what a schema tells the printed label."""

    KEY = "key"
    TITLE = "title"
    ALIAS = "alias"
    QUOTED = "quoted"


_JSON_TYPES: Final = {
    Kind.TEXT: "string",
    Kind.IDENTIFIER: "string",
    Kind.DATE: "string",
    Kind.MONEY: "number",
    Kind.NUMBER: "number",
    Kind.INTEGER: "integer",
    Kind.BOOLEAN: "boolean",
}
_HINTS: Final = (Hint.TITLE, Hint.TITLE, Hint.ALIAS, Hint.QUOTED)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a schema.

    Attributes:
        key: the property's name.
        labels: wordings that a document may print; the first one is the document's own once it is ``worded``.
        kind: what its values are.
        hint: by what the schema tells the label.
        optional: whether a document may leave it blank.
        null_tokens: what is printed for null, "" aside.
    """

    key: str
    labels: tuple[str, ...]
    kind: Kind = Kind.TEXT
    hint: Hint = Hint.KEY
    optional: bool = False
    null_tokens: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What is printed beside the value, or above its column."""
        return self.labels[0]

    def schema(self) -> dict[str, Json]:
        """The property's JSON Schema."""
        form: dict[str, Json] = {"type": [_JSON_TYPES[self.kind], "null"]}
        if self.kind is Kind.DATE:
            form["format"] = "date"
        if self.hint is Hint.TITLE:
            form["title"] = self.label
        elif self.hint is Hint.ALIAS:
            form["x-aliases"] = [self.label]
        elif self.hint is Hint.QUOTED:
            form["description"] = f'Printed on the document as "{self.label}".'
        return form

    def rule(self, date_order: str | None) -> dict[str, Json]:
        """The field's rule; empty where the defaults will do."""
        rule: dict[str, Json] = {}
        if self.kind is Kind.IDENTIFIER:
            rule["comparator"] = "identifier"
        if self.kind is Kind.DATE and date_order:
            rule["date_order"] = date_order
        if self.null_tokens:
            rule["null_tokens"] = list(self.null_tokens)
        return rule


def worded(random: Random, field: Field) -> Field:
    """The field with one of its labels, and with a hint that tells it: the key itself only where it says as much."""
    label = random.choice(field.labels)
    hint = random.choice((Hint.KEY, *_HINTS) if _says(field.key, label) else _HINTS)
    return replace(field, labels=(label,), hint=hint)


def _says(key: str, label: str) -> bool:
    words = re.findall(r"[a-z]+", label.lower())
    return [{"no": "number"}.get(word, word) for word in words] == key.split("_")


def properties(fields: Iterable[Field]) -> dict[str, Json]:
    """The properties of an object with these fields."""
    return {field.key: field.schema() for field in fields}


def record(fields: Iterable[Field], title: str | None = None) -> dict[str, Json]:
    """The JSON Schema of an object with these fields."""
    form: dict[str, Json] = {"type": "object", "properties": properties(fields)}
    return form if title is None else {**form, "title": title}


def records(fields: Iterable[Field], description: str) -> dict[str, Json]:
    """The JSON Schema of an array of such objects."""
    return {"type": ["array", "null"], "description": description, "items": record(fields)}


def rules_of(fields: Sequence[Field], date_order: str | None, prefix: str = "") -> dict[str, Json]:
    """The rules of the fields that need one, by schema path under ``prefix``."""
    rules = {f"{prefix}{field.key}": field.rule(date_order) for field in fields}
    return {path: rule for path, rule in rules.items() if rule}
