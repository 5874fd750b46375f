"""A schema as the vote sees it: a tree of records and tables whose leaves are what systems vote on.

The schema enumerates the leaves, never the data. ``schema_compile`` builds the tree from a JSON Schema and its rules;
this module holds the tree and what is read off it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from groundtruth.jsontext import Json
from groundtruth.path import EACH, ROOT, Path, format_path
from groundtruth.rules import Comparator, FieldRule, Rules


@dataclass(frozen=True, slots=True)
class Leaf:
    """A field that holds one value.

    Attributes:
        path: schema path, such as ``items[].amount``.
        comparator: the declared one, or what follows from the JSON type.
        types: the JSON types a value may have, without ``null``.
        rule: the declared rule, or the default one.
        nullable: whether the schema lets the leaf be null.
        enum: the declared members in their order, without null; empty when there is no enumeration.
        item: what an item of a list leaf is; None for every other leaf.
        title: the schema's title, or "".
        description: the schema's description, or "".
        fingerprint: SHA-256 (hex) over subschema, description, rule and identity keys of the arrays around it.
    """

    path: Path
    comparator: Comparator
    types: frozenset[str]
    rule: FieldRule = field(default_factory=FieldRule)
    nullable: bool = True
    enum: tuple[Json, ...] = ()
    item: Leaf | None = None
    title: str = ""
    description: str = ""
    fingerprint: str = ""

    @property
    def name(self) -> str:
        """The schema path as text."""
        return format_path(self.path)


@dataclass(frozen=True, slots=True)
class Record:
    """An object with declared properties, in the schema's order."""

    path: Path
    fields: dict[str, Leaf | Record | Table] = field(default_factory=dict)

    def leaves(self) -> Iterator[Leaf]:
        """The leaves of this record and its nested records, not those inside arrays of objects."""
        for node in self.fields.values():
            if isinstance(node, Leaf):
                yield node
            elif isinstance(node, Record):
                yield from node.leaves()

    def tables(self) -> Iterator[Table]:
        """The arrays of objects of this record and its nested records, not those inside other arrays."""
        for node in self.fields.values():
            if isinstance(node, Table):
                yield node
            elif isinstance(node, Record):
                yield from node.tables()


@dataclass(frozen=True, slots=True)
class Table:
    """An array of objects.

    Attributes:
        path: schema path of the array, such as ``orders[].lines``.
        row: what one row is; its path ends in ``EACH``.
        identity: paths of the key cells relative to the row; empty when no identity is declared.
        title: the schema's title, or "".
        description: the schema's description, or "".
    """

    path: Path
    row: Record
    identity: tuple[Path, ...] = ()
    title: str = ""
    description: str = ""

    @property
    def name(self) -> str:
        """The schema path as text."""
        return format_path(self.path)


Node = Leaf | Record | Table

DRAFT = "draft"
"""The version of a schema that may still change."""


@dataclass(frozen=True)
class FrozenSchema:
    """A compiled schema under a version.

    Attributes:
        name: what the dataset calls it.
        version: ``draft`` or the version it was frozen under.
        source: the JSON Schema as it was given.
        rules: the field rules as they were given.
        root: the tree.
        warnings: what ``schema check`` would warn of, in path order.
    """

    name: str
    version: str
    source: Json
    rules: Rules
    root: Record
    warnings: tuple[str, ...] = ()

    @cached_property
    def leaves(self) -> dict[Path, Leaf]:
        """Every leaf by schema path, those of nested arrays included, in the schema's order."""
        return {leaf.path: leaf for leaf in _all_leaves(self.root)}

    @cached_property
    def tables(self) -> dict[Path, Table]:
        """Every array of objects by schema path, nested ones after the one around them."""
        return {table.path: table for table in _all_tables(self.root)}


def _all_leaves(record: Record) -> Iterator[Leaf]:
    for node in record.fields.values():
        if isinstance(node, Leaf):
            yield node
        else:
            yield from _all_leaves(node.row if isinstance(node, Table) else node)


def _all_tables(record: Record) -> Iterator[Table]:
    for table in record.tables():
        yield table
        yield from _all_tables(table.row)


def relative(path: Path, outer: Path) -> Path:
    """The steps of ``path`` after ``outer``, which must be its beginning."""
    return path[len(outer) :]


__all__ = ["DRAFT", "EACH", "ROOT", "FrozenSchema", "Leaf", "Node", "Record", "Table", "relative"]
