"""Field rules bound to the paths they name, and what keeps a rule from applying to its leaf."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from groundtruth.closeness import did_you_mean
from groundtruth.errors import PathError, RulesError
from groundtruth.path import Path, format_path, parse_path
from groundtruth.rules import DECLARABLE, Comparator, FieldRule, Rules
from groundtruth.schema import Leaf, Record, Table, relative
from groundtruth.schema_finding import Code, Finding, Level
from groundtruth.value import check_locale

Declared = TypeVar("Declared")

_NUMERIC: Final = frozenset({Comparator.NUMBER, Comparator.INTEGER, Comparator.CURRENCY})
_NUMBERS: Final = frozenset({"number", "integer"})
_SCALARS: Final = _NUMBERS | {"string", "boolean"}

_FITTING_TYPES: Final[Mapping[Comparator, frozenset[str]]] = {
    Comparator.TEXT: _SCALARS,
    Comparator.CASE_INSENSITIVE: _SCALARS,
    Comparator.TYPOGRAPHIC: _SCALARS,
    Comparator.IDENTIFIER: _SCALARS,
    **dict.fromkeys(_NUMERIC, _NUMBERS | {"string"}),
    Comparator.DATE: frozenset({"string"}),
    Comparator.BOOLEAN: frozenset({"boolean", "string"}),
}
"""For each declarable comparator the JSON types of which the leaf must admit one: it can store its values in those."""


@dataclass(frozen=True, slots=True)
class BoundRules:
    """Rules by parsed path.

    Attributes:
        fields: the rule of each leaf that has one.
        identity: for each array of objects that has an identity, the paths of its key cells relative to a row.
        findings: rules whose path cannot be read, or that name one place twice.
    """

    fields: dict[Path, FieldRule]
    identity: dict[Path, tuple[Path, ...]]
    findings: tuple[Finding, ...]


def bind(rules: Rules) -> BoundRules:
    """Read the paths that the rules are declared for; whether the schema has them is ``check_names``'s part."""
    findings: list[Finding] = []
    fields = _by_path(rules.fields, Code.UNKNOWN_FIELD, findings)
    columns = _by_path(rules.identity, Code.UNKNOWN_ARRAY, findings)
    identity = {path: _key_paths(path, names, findings) for path, names in columns.items()}
    return BoundRules(fields, identity, tuple(findings))


def _by_path(declared: Mapping[str, Declared], code: Code, findings: list[Finding]) -> dict[Path, Declared]:
    found: dict[Path, Declared] = {}
    for text, rule in declared.items():
        try:
            path = parse_path(text)
        except PathError as error:
            findings.append(Finding(Level.ERROR, text, code, str(error)))
            continue
        if path in found:
            message = "stands twice in the rules, in two spellings; keep one"
            findings.append(Finding(Level.ERROR, format_path(path), code, message))
        found[path] = rule
    return found


def _key_paths(array: Path, names: tuple[str, ...], findings: list[Finding]) -> tuple[Path, ...]:
    def refuse(message: str) -> None:
        findings.append(Finding(Level.ERROR, format_path(array), Code.UNKNOWN_KEY, message))

    keys: dict[Path, str] = {}
    if not names:
        refuse("its identity names no key; name the columns that tell rows apart, or leave the array out of identity")
    for name in names:
        try:
            path = parse_path(name)
        except PathError as error:
            refuse(f"identity key {error}")
            continue
        if path in keys:
            refuse(f"identity key {name} stands twice; keep one")
        keys[path] = name
    return tuple(keys)


def comparator_for(leaf: Leaf, findings: list[Finding]) -> Comparator:
    """The comparator of a leaf under its rule: the declared one, else the one it has; what is wrong is recorded."""
    rule = leaf.rule
    declared = rule.comparator
    if declared is not None:
        refusal = _refusal(leaf, declared)
        if refusal:
            findings.append(Finding(Level.ERROR, leaf.name, Code.RULE_CANNOT_APPLY, refusal))
            declared = None
    chosen = declared or leaf.comparator
    if "locale" in rule.model_fields_set:
        _check_locale(leaf.name, rule.locale, findings)
    idle = ", ".join(_idle(leaf, rule, chosen))
    if idle:
        message = f"its rule declares {idle}, which means nothing to the comparator {chosen}; delete it"
        findings.append(Finding(Level.WARNING, leaf.name, Code.RULE_WITHOUT_EFFECT, message))
    return chosen


def refuse_list_order(leaf: Leaf, findings: list[Finding]) -> None:
    """Record a declared list order on a leaf that is no list."""
    if "list" in leaf.rule.model_fields_set:
        message = f'its rule declares list: "{leaf.rule.list}", but it is no array of scalars; delete that'
        findings.append(Finding(Level.ERROR, leaf.name, Code.RULE_CANNOT_APPLY, message))


def _refusal(leaf: Leaf, declared: Comparator) -> str:
    if declared not in DECLARABLE:
        return f"the comparator {declared} follows from the schema and cannot be declared; delete it"
    if leaf.comparator is Comparator.OPAQUE:
        return f"is one opaque leaf, which the comparator {declared} cannot compare; delete the comparator"
    if not leaf.types & _FITTING_TYPES[declared]:
        held = " or ".join(sorted(leaf.types))
        wanted = " or ".join(sorted(_FITTING_TYPES[declared]))
        return (
            f"the comparator {declared} reads values of type {wanted}, but the schema says {held}; change the "
            f"comparator or the type"
        )
    return ""


def _idle(leaf: Leaf, rule: FieldRule, comparator: Comparator) -> Iterable[str]:
    """The declared parts of a rule that the comparator never reads."""
    if comparator is not Comparator.DATE:
        yield from (part for part in ("date_order", "century_pivot") if getattr(rule, part) is not None)
    reads_numbers = comparator in _NUMERIC or (comparator is Comparator.UNION and bool(leaf.types & _NUMBERS))
    if "locale" in rule.model_fields_set and not reads_numbers:
        yield "locale"


def _check_locale(name: str, locale: str, findings: list[Finding]) -> None:
    try:
        check_locale(locale)
    except RulesError as error:
        findings.append(Finding(Level.ERROR, name, Code.UNKNOWN_LOCALE, str(error)))


def check_names(rules: BoundRules, root: Record, refused: frozenset[str]) -> list[Finding]:
    """Rules that name what the schema does not have.

    Args:
        rules: the bound rules.
        root: the tree.
        refused: paths, as text, whose subtree is not in the tree because the schema was refused there.
    """
    nodes = dict(_nodes(root))
    leaves = [format_path(path) for path, node in nodes.items() if isinstance(node, Leaf)]
    tables = [format_path(path) for path, node in nodes.items() if isinstance(node, Table)]
    findings = [
        Finding(Level.ERROR, format_path(path), *_not_a_leaf(path, nodes.get(path), leaves))
        for path in rules.fields
        if not isinstance(nodes.get(path), Leaf) and not _beneath(path, refused)
    ]
    for path, keys in rules.identity.items():
        table = nodes.get(path)
        if isinstance(table, Table):
            findings += _check_keys(table, keys, refused)
        elif not _beneath(path, refused):
            message = "identity is declared for it, but the schema has no such array of objects"
            message += _help(format_path(path), tables)
            findings.append(Finding(Level.ERROR, format_path(path), Code.UNKNOWN_ARRAY, message))
    return findings


def _nodes(record: Record) -> Iterable[tuple[Path, Leaf | Record | Table]]:
    for node in record.fields.values():
        yield node.path, node
        if isinstance(node, Table):
            yield from _nodes(node.row)
        elif isinstance(node, Record):
            yield from _nodes(node)


def _not_a_leaf(path: Path, node: Leaf | Record | Table | None, leaves: list[str]) -> tuple[Code, str]:
    if node is None:
        return Code.UNKNOWN_FIELD, f"has a rule, but the schema has no such field{_help(format_path(path), leaves)}"
    inside = format_path(path)
    below = [leaf for leaf in leaves if leaf.startswith(inside)][:3]
    kind = "an object" if isinstance(node, Record) else "an array of objects"
    return Code.RULE_CANNOT_APPLY, f"has a rule, but is {kind}; give rules to its fields ({', '.join(below)})"


def _check_keys(table: Table, keys: tuple[Path, ...], refused: frozenset[str]) -> list[Finding]:
    cells = {relative(leaf.path, table.row.path): leaf for leaf in table.row.leaves()}
    known = [format_path(cell) for cell in cells]
    return [
        Finding(
            Level.ERROR,
            table.name,
            Code.UNKNOWN_KEY,
            f"its identity names {format_path(key)}, which is no cell of its rows{_help(format_path(key), known)}",
        )
        for key in keys
        if key not in cells and not _beneath(table.row.path + key, refused)
    ]


def _beneath(path: Path, refused: frozenset[str]) -> bool:
    return any(format_path(path[:length]) in refused for length in range(len(path) + 1))


def _help(name: str, known: list[str]) -> str:
    close = did_you_mean(name, known)
    if close:
        return close
    shown = ", ".join(known[:5]) + (", ..." if len(known) > 5 else "")
    return f"; it has {shown}" if known else "; it has none"
