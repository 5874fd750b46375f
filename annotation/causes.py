"""What people flagged beside their answers, by field: where a schema asks what documents do not answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from annotation.situation import Situation
from groundtruth.decision import Cause, Decision
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path
from groundtruth.queue import Place


@dataclass(frozen=True, slots=True)
class Flagged:
    """A cause that people flagged on a field.

    Attributes:
        schema: the dataset's name of the schema.
        field: schema path; of rows, that of their array followed by EACH.
        cause: what was flagged.
        places: the leaves or rows, by document, as they were when they were asked.
    """

    schema: str
    field: Path
    cause: Cause
    places: tuple[Place, ...]

    def to_json(self) -> dict[str, Json]:
        """The record in a command's ``--json``."""
        return {
            "schema": self.schema,
            "field": format_path(self.field),
            "cause": str(self.cause),
            "leaves": len(self.places),
            "places": [{"document": place.document, "path": format_path(place.path)} for place in self.places],
        }


def flagged(situations: Iterable[Situation]) -> list[Flagged]:
    """What people flagged in the decisions that stand, stale ones included, since a schema changes for that reason.

    The causes that most leaves have come first, then in the order of names; a leaf counts once a cause.
    """
    found: dict[tuple[str, Path, Cause], dict[Place, None]] = defaultdict(dict)
    for situation in situations:
        for decision in _standing(situation):
            for cause in decision.causes:
                place = Place(situation.document, decision.path)
                found[decision.schema, decision.field, cause][place] = None
    groups = [Flagged(schema, field, cause, tuple(places)) for (schema, field, cause), places in found.items()]
    return sorted(groups, key=lambda each: (-len(each.places), each.schema, format_path(each.field), each.cause))


def _standing(situation: Situation) -> Iterable[Decision]:
    binding = situation.binding
    for bound in (binding.rows, binding.by_path):
        for decisions in bound.values():
            yield from decisions
    yield from (each.decision for each in binding.stale)
