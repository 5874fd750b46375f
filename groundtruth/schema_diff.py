"""What differs between two versions of a schema, leaf by leaf: which votes and decisions a new version touches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from groundtruth.path import Path
from groundtruth.schema import FrozenSchema, Leaf


class Aspect(StrEnum):
    """What about a leaf can change."""

    TITLE = "title"
    DESCRIPTION = "description"
    TYPE = "type"
    ENUM = "enum"
    COMPARATOR = "comparator"
    RULE = "rule"
    IDENTITY = "identity"
    SUBSCHEMA = "subschema"


@dataclass(frozen=True, slots=True)
class LeafChange:
    """A leaf that both versions have and whose fingerprint differs.

    Attributes:
        path: its schema path.
        aspects: what differs, in the order of ``Aspect``; ``subschema`` alone when it is a keyword that does not
            bear on the vote, such as a pattern or an alias. ``identity`` is that of any array around the leaf.
    """

    path: Path
    aspects: tuple[Aspect, ...]


@dataclass(frozen=True, slots=True)
class SchemaDiff:
    """The difference between two versions of a schema.

    A leaf that moved or changed its name is removed and added. ``added`` and ``changed`` are in the order of the new
    schema, ``removed`` in that of the old one.
    """

    added: tuple[Path, ...]
    removed: tuple[Path, ...]
    changed: tuple[LeafChange, ...]
    unchanged: int

    @property
    def empty(self) -> bool:
        """Whether no leaf differs."""
        return not (self.added or self.removed or self.changed)


def diff_schemas(old: FrozenSchema, new: FrozenSchema) -> SchemaDiff:
    """Compare the leaves of two schemas by path and fingerprint."""
    both = [path for path in new.leaves if path in old.leaves]
    changed = [
        LeafChange(path, tuple(_aspects(path, old, new)))
        for path in both
        if old.leaves[path].fingerprint != new.leaves[path].fingerprint
    ]
    return SchemaDiff(
        added=tuple(path for path in new.leaves if path not in old.leaves),
        removed=tuple(path for path in old.leaves if path not in new.leaves),
        changed=tuple(changed),
        unchanged=len(both) - len(changed),
    )


def _aspects(path: Path, old: FrozenSchema, new: FrozenSchema) -> Iterator[Aspect]:
    before, after = _facets(path, old), _facets(path, new)
    differing = [aspect for aspect, facet in after.items() if facet != before[aspect]]
    yield from differing or [Aspect.SUBSCHEMA]


def _facets(path: Path, schema: FrozenSchema) -> dict[Aspect, object]:
    leaf = schema.leaves[path]
    value = leaf.item or leaf
    around = [schema.tables[path[:length]] for length in range(len(path)) if path[:length] in schema.tables]
    return {
        Aspect.TITLE: leaf.title,
        Aspect.DESCRIPTION: leaf.description,
        Aspect.TYPE: (leaf.types, leaf.nullable, value.types, value.nullable),
        Aspect.ENUM: _members(value),
        Aspect.COMPARATOR: (leaf.comparator, value.comparator),
        Aspect.RULE: leaf.rule,
        Aspect.IDENTITY: [frozenset(table.identity) for table in around],
    }


def _members(leaf: Leaf) -> list[tuple[str, str]]:
    """The enumeration with its types told apart: to Python, 1 and true are one value."""
    return [(type(member).__name__, str(member)) for member in leaf.enum]
