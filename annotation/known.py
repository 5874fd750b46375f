"""What is known of a packet whose true answers are known: it measures the reviewer, and decides nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema


@dataclass(frozen=True, slots=True)
class Expected:
    """The true answer to one card.

    Attributes:
        value: in the schema's JSON type; None when the document holds none.
        places: every place where it is printed; any of them is right.
    """

    value: Json
    places: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The true answers to a packet, with all that is needed to judge answers years later.

    Nothing of it goes to the server.

    Attributes:
        slot: which of the review's known packets it is, from 0; what is drawn for it follows from the slot.
        origin: the dataset's folder that the document is of; "" for the one that is reviewed.
        sha256: of the document's file.
        shown_as: the document's id as people see it, which tells nothing.
        expected: by card key.
        schema: the JSON Schema that it was asked under.
        rules: the field rules, as their file holds them.
    """

    slot: int
    origin: str = ""
    sha256: str = ""
    shown_as: str
    expected: Mapping[str, Expected]
    schema: Json
    rules: Json

    def compiled(self, name: str, version: str) -> FrozenSchema:
        """The schema that it was asked under.

        Raises:
            SchemaError, RulesError: the record was changed by hand.
        """
        return compile_schema(self.schema, Rules.from_json(self.rules), name=name, version=version)

    def to_json(self) -> dict[str, Json]:
        """The record as the packet's file holds it."""
        return {
            "slot": self.slot,
            "origin": self.origin,
            "sha256": self.sha256,
            "shown_as": self.shown_as,
            "expected": {
                key: {"value": each.value, "places": [place.to_json() for place in each.places]}
                for key, each in self.expected.items()
            },
            "schema": self.schema,
            "rules": self.rules,
        }

    @classmethod
    def from_json(cls, data: Json) -> Known:
        """Read back what ``to_json`` wrote.

        Raises:
            KeyError, TypeError, JsonError: it is not that.
        """
        return cls(
            slot=data["slot"],
            origin=data["origin"],
            sha256=data["sha256"],
            shown_as=data["shown_as"],
            expected={
                key: Expected(each["value"], tuple(map(Evidence.from_json, each["places"])))
                for key, each in data["expected"].items()
            },
            schema=data["schema"],
            rules=data["rules"],
        )
