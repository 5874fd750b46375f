"""What the schema commands say, for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from flows.output import console, table
from groundtruth.jsontext import Json
from groundtruth.wording import counted

if TYPE_CHECKING:
    from consensus.suggest_keys import KeySuggestion
    from flows.schema_input import SchemaInput
    from groundtruth.schema_diff import SchemaDiff

_PATHS_SHOWN: Final = 6


def check_json(given: SchemaInput) -> dict[str, Json]:
    """Everything found in a schema; its size too, when it compiles."""
    from groundtruth.schema_compile import check_schema
    from groundtruth.schema_finding import Level

    findings = check_schema(given.source, given.rules)
    errors = sum(finding.level is Level.ERROR for finding in findings)
    compiled = None if errors else given.compile()
    return {
        "schema": given.name,
        "file": given.origin,
        "errors": errors,
        "warnings": len(findings) - errors,
        "leaves": len(compiled.leaves) if compiled else None,
        "arrays": len(compiled.tables) if compiled else None,
        "findings": [
            {"level": str(one.level), "path": one.path, "code": str(one.code), "message": one.message}
            for one in findings
        ],
    }


def print_check(report: dict[str, Json]) -> None:
    """One table of errors and one of warnings; places with the same message stand together."""
    shown = console()
    size = (
        f"leaves: {report['leaves']}, arrays of objects: {report['arrays']}, " if report["leaves"] is not None else ""
    )
    shown.print(
        f"{report['file']}: {size}errors: {report['errors']}, warnings: {report['warnings']}",
        markup=False,
        soft_wrap=True,
    )
    for level in ("error", "warning"):
        places: dict[str, list[str]] = {}
        for finding in report["findings"]:
            if finding["level"] == level:
                places.setdefault(finding["message"], []).append(finding["path"] or "the root")
        rows = [[_listed(paths), message] for message, paths in places.items()]
        if rows:
            shown.print(table(f"{level}s", ["where", "what and what to do"], rows))


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _PATHS_SHOWN} more (--json lists all)" if len(paths) > _PATHS_SHOWN else ""
    return ", ".join(paths[:_PATHS_SHOWN]) + more


def suggestion_json(found: KeySuggestion) -> dict[str, Json]:
    """The proposal for one array, with the figures of its candidates."""
    return {
        "array": found.table.name,
        "ballots": found.ballots,
        "proposed": list(found.proposed.names) if found.proposed else None,
        "reason": found.reason,
        "candidates": [
            {
                "columns": list(one.names),
                "rows": one.rows,
                "unique": one.unique,
                "keyless": one.keyless,
                "agreement": None if one.agreement is None else round(one.agreement, 4),
                "score": round(one.score, 4),
            }
            for one in found.candidates
        ],
    }


def print_suggestions(found: Sequence[KeySuggestion], *, written: bool) -> None:
    """The proposal for every array, and what to do with it."""
    shown = console()
    if not found:
        shown.print(
            "Every array of objects has its identity keys declared; --all looks at those too.",
            markup=False,
            soft_wrap=True,
        )
        return
    rows = [[one.table.name, _proposed(one), one.reason] for one in found]
    shown.print(table("", ["array", "identity", "why"], rows))
    if written:
        shown.print("Written to the draft's rules; look at them, then freeze the schema.", markup=False, soft_wrap=True)
    elif any(one.proposed for one in found):
        shown.print(
            "Declare them under identity in the rules; --write does it in a dataset.", markup=False, soft_wrap=True
        )


def _proposed(found: KeySuggestion) -> str:
    return ", ".join(found.proposed.names) if found.proposed else "(none)"


def diff_json(difference: SchemaDiff) -> dict[str, Json]:
    """The leaves that differ, by path."""
    from groundtruth.path import format_path

    return {
        "added": [format_path(path) for path in difference.added],
        "removed": [format_path(path) for path in difference.removed],
        "changed": [
            {"path": format_path(change.path), "what": [str(aspect) for aspect in change.aspects]}
            for change in difference.changed
        ],
        "unchanged": difference.unchanged,
    }


def print_diff(difference: SchemaDiff) -> None:
    """The leaves that differ, and what that means for them."""
    from groundtruth.path import format_path

    rows = [
        *[["changed", format_path(change.path), ", ".join(change.aspects)] for change in difference.changed],
        *[["added", format_path(path), "needs votes"] for path in difference.added],
        *[["removed", format_path(path), "its history is kept"] for path in difference.removed],
    ]
    if rows:
        console().print(table("", ["", "leaf", "what"], rows))
    console().print(f"{counted(difference.unchanged, 'leaf is as it was', 'leaves are as they were')}", markup=False)
