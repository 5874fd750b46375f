"""A JSON Schema and its rules → the tree that is voted on, or everything that stands in the way."""

from __future__ import annotations

from groundtruth.errors import RulesError, SchemaError
from groundtruth.jsontext import Json
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.schema import DRAFT, FrozenSchema, Leaf, Record, Table
from groundtruth.schema_finding import RULE_ERRORS, Finding, Level
from groundtruth.schema_lint import lint
from groundtruth.schema_rules import bind, check_names
from groundtruth.schema_shape import Part, Shaper
from groundtruth.schema_source import SchemaSource
from groundtruth.schema_tree import TreeBuilder


def compile_schema(
    source: Json, rules: Rules, *, name: str, version: str = DRAFT, origin: str | None = None
) -> FrozenSchema:
    """Compile a JSON Schema under its rules.

    ``$ref`` and ``allOf`` are resolved. A union of scalars is one leaf whose values keep their type. An open map, a
    union with a container, an array of arrays and an array of anything become one opaque leaf each, with a warning.

    Args:
        source: the JSON Schema, as ``jsontext`` reads it (draft 4 to 2020-12, by its ``$schema``).
        rules: the field rules and identity keys.
        name: what the dataset calls the schema.
        version: the version it is compiled under.
        origin: what error messages call it, such as its file; the name by default.

    Raises:
        SchemaError: not a bare JSON Schema with an object at its root, or one that recurses, holds tuples, points out
            of its file, contradicts itself, or is too large; the message says where, and how many more there are.
        RulesError: rules that name what the schema does not have, or that cannot apply.
    """
    tree, findings = _examine(source, rules)
    errors = [finding for finding in findings if finding.level is Level.ERROR]
    if errors or tree is None:
        raise _error(errors, origin or name)
    return FrozenSchema(name, version, source, rules, tree, tuple(str(finding) for finding in findings))


def check_schema(source: Json, rules: Rules) -> list[Finding]:
    """Everything to be said about a schema and its rules, in the schema's order; empty when there is nothing.

    What is beneath a refused place is not looked at, and nothing is when the source is no JSON Schema.
    """
    return _examine(source, rules)[1]


def _examine(source: Json, rules: Rules) -> tuple[Record | None, list[Finding]]:
    text = SchemaSource(source)
    if not text.usable:
        return None, text.findings
    bound = bind(rules)
    builder = TreeBuilder(Shaper(text), bound)
    tree = builder.build((Part(source),))
    if tree is None:
        return None, [*text.findings, *builder.findings]
    refused = frozenset(
        finding.path for finding in builder.findings if finding.code not in RULE_ERRORS and finding.level is Level.ERROR
    )
    names = check_names(bound, tree, refused)
    return tree, _in_order(tree, [*text.findings, *builder.findings, *bound.findings, *names, *lint(tree)])


def _in_order(tree: Record, findings: list[Finding]) -> list[Finding]:
    """The findings in the order of the tree; those about no place in it come first."""
    places = {path: position for position, path in enumerate(_places(tree))}
    return sorted(findings, key=lambda finding: places.get(finding.path, -1))


def _places(record: Record) -> list[str]:
    found: list[str] = []
    for node in record.fields.values():
        found.append(format_path(node.path))
        if not isinstance(node, Leaf):
            found += _places(node.row if isinstance(node, Table) else node)
    return found


def _error(errors: list[Finding], origin: str) -> SchemaError | RulesError:
    first = errors[0]
    more = f" (and {len(errors) - 1} more; see schema check)" if len(errors) > 1 else ""
    kind = RulesError if first.code in RULE_ERRORS else SchemaError
    return kind(f"{origin}: {first}{more}")
