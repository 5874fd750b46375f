"""Warnings about a schema that compiles: what will make the votes worse than they need be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from groundtruth.path import format_path
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf, Record, Table
from groundtruth.schema_finding import Code, Finding, Level

_WEAK_KEYS: Final = {
    Comparator.NUMBER: "a number with a fraction",
    Comparator.CURRENCY: "an amount",
    Comparator.BOOLEAN: "a yes or no",
    Comparator.OPAQUE: "an opaque leaf",
    Comparator.LIST: "a list",
}


def lint(record: Record) -> Iterator[Finding]:
    """The warnings about everything inside a record, in the schema's order."""
    for node in record.fields.values():
        if isinstance(node, Leaf):
            yield from _of_leaf(node)
        elif isinstance(node, Table):
            yield from _of_table(node)
            yield from lint(node.row)
        else:
            yield from lint(node)


def _of_leaf(leaf: Leaf) -> Iterator[Finding]:
    if not leaf.nullable:
        message = 'does not admit null, so a system cannot say that the document lacks it; add "null" to its type'
        if leaf.enum:
            message += " and null to its enum"
        yield _warning(leaf.name, Code.NOT_NULLABLE, message)
    if not leaf.description:
        yield _warning(
            leaf.name,
            Code.NO_DESCRIPTION,
            "has no description, so systems must guess what is meant; say what it is and where it stands",
        )


def _of_table(table: Table) -> Iterator[Finding]:
    if not table.identity:
        yield _warning(
            table.name,
            Code.NO_IDENTITY,
            "has no identity keys, so its rows are aligned by content; name under identity, in the rules, the "
            "columns that tell rows apart (schema suggest-keys proposes some)",
        )
    cells = {leaf.path: leaf for leaf in table.row.leaves()}
    for key in table.identity:
        cell = cells.get(table.row.path + key)
        if cell is not None and cell.comparator in _WEAK_KEYS:
            yield _warning(
                table.name,
                Code.WEAK_IDENTITY,
                f"its identity names {format_path(key)}, {_WEAK_KEYS[cell.comparator]}, which tells rows apart badly; "
                f"name a number, code or name that is printed in each row",
            )


def _warning(path: str, code: Code, message: str) -> Finding:
    return Finding(Level.WARNING, path, code, message)
