"""``goldleaf schema``: check, freeze and compare schemas, and find identity keys."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.output import Exit, JsonFlag, console, emit, finish
from groundtruth.errors import BallotError, DatasetError
from groundtruth.jsontext import Json
from groundtruth.wording import counted

if TYPE_CHECKING:
    from flows.decision_status import Bump
    from groundtruth.ballot import Ballot
    from groundtruth.schema import FrozenSchema
    from groundtruth.store import Dataset

Target = Annotated[Path, typer.Argument(metavar="DATASET|FILE", help="A dataset folder, or a JSON Schema file.")]
Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="A schema of the dataset; needless if it has only one.")
]
RulesFile = Annotated[
    Path | None, typer.Option("--rules", metavar="R", help="With a file: its field rules and identity keys, JSON.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Check schemas, freeze them under a version, compare versions, find the keys of rows.",
    )
    group.command("check")(check)
    group.command("freeze")(freeze)
    group.command("suggest-keys")(suggest_keys)
    group.command("diff")(diff)
    app.add_typer(group, name="schema")


def check(target: Target, name: Name = None, rules: RulesFile = None, as_json: JsonFlag = False) -> None:
    """Say all that is wrong with a schema.

    Its rules are looked at too. Errors keep it from being voted on: a file that is not a bare JSON Schema, recursion,
    tuples, rules for fields that are not there. Warnings do not: a leaf that may not be null, an array without
    identity keys, a leaf without a description. Of a dataset the drafts are checked, all of them unless one is named.

    Exit code 1 if there is an error; warnings alone are 0.
    """
    from flows.schema_input import from_dataset, from_file
    from flows.schema_view import check_json, print_check
    from groundtruth.store import Dataset

    if target.is_dir():
        _only_with_files({"--rules": rules})
        dataset = Dataset.open(target)
        names = dataset.schema_names() if name is None else (name,)
        reports = [check_json(from_dataset(dataset, one)) for one in names]
    else:
        _only_with_datasets({"NAME": name})
        reports = [check_json(from_file(target, rules))]

    def human() -> None:
        for report in reports:
            print_check(report)
        if not reports:
            console().print(f"{target} has no schemas yet.", markup=False, soft_wrap=True)

    emit(reports[0] if len(reports) == 1 else {"schemas": reports}, as_json=as_json, human=human)
    finish(Exit.FINDINGS if any(report["errors"] for report in reports) else Exit.DONE)


def freeze(
    target: Target,
    name: Name = None,
    version: Annotated[
        str | None, typer.Option(metavar="V", help="The version; by default the next whole number (1 for a file).")
    ] = None,
    rules: RulesFile = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With a file: where to write; by default it is printed.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Freeze a schema under a version.

    The frozen form holds a fingerprint for every leaf. Documents are labelled under a frozen schema. To change it
    afterwards edit the draft, look at `schema diff`, and freeze the next version: only the leaves whose fingerprint
    changed are reviewed again, and those of which systems are told otherwise are named, since they need new votes. The
    same draft frozen again changes nothing.
    """
    from flows.schema_input import from_file, only_schema
    from groundtruth.store import Dataset
    from groundtruth.store_files import atomic_write
    from groundtruth.store_schemas import frozen_form

    where: Path | None = out
    bump: Bump | None = None
    if target.is_dir():
        from flows.decision_status import bump_of

        _only_with_files({"--rules": rules, "--out": out})
        dataset = Dataset.open(target)
        frozen = dataset.freeze(only_schema(dataset, name), version)
        bump = bump_of(dataset, frozen)
        where = dataset.root / "schemas" / frozen.name / f"{frozen.version}.json"
    else:
        _only_with_datasets({"NAME": name})
        from groundtruth.schema import DRAFT

        if version == DRAFT:
            raise typer.BadParameter(f"--version {DRAFT}: that is the schema before it has a version; say 1")
        frozen = from_file(target, rules)._replace(version=version or "1").compile()
        if out is not None:
            atomic_write(out, _in_schema_order(frozen_form(frozen)).encode())

    def human() -> None:
        if where is None:
            sys.stdout.write(_in_schema_order(frozen_form(frozen)))
            return
        leaves, warnings = counted(len(frozen.leaves), "leaf", "leaves"), counted(len(frozen.warnings), "warning")
        size = f"{leaves}, {warnings} (schema check lists them)"
        console().print(f"{frozen.name} is frozen as version {frozen.version}: {size}", markup=False)
        console().print(str(where), markup=False, soft_wrap=True)
        if bump is not None:
            from flows.decision_status import print_bump

            print_bump(bump, target)

    value = {
        **frozen_form(frozen),
        "file": str(where) if where else None,
        "reopened": list(bump.reopened) if bump else [],
        "needs_votes": list(bump.needs_votes) if bump else [],
    }
    emit(value, as_json=as_json, human=human)


def suggest_keys(
    target: Target,
    name: Name = None,
    ballot: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="With a file: one system's answer; repeat.")
    ] = None,
    rules: RulesFile = None,
    declared_too: Annotated[bool, typer.Option("--all", help="Also arrays whose identity is declared.")] = False,
    write: Annotated[bool, typer.Option("--write", help="Declare the proposed keys in the dataset's draft.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Find columns that tell rows apart.

    Identity keys let rows be matched between systems by what is printed in them. A key is proposed when it is unique
    in nearly all rows of every ballot and most systems read it alike; nothing is proposed from fewer than three rows
    or from one system. Look at a proposal before you keep it: what is unique in a few documents may not always be.
    """
    from consensus.suggest_keys import suggest_keys as suggest
    from flows.schema_input import from_dataset, from_file, only_schema
    from flows.schema_view import print_suggestions, suggestion_json
    from groundtruth.store import Dataset

    dataset: Dataset | None = None
    if target.is_dir():
        _only_with_files({"--rules": rules, "--ballot": ballot})
        dataset = Dataset.open(target)
        given = from_dataset(dataset, only_schema(dataset, name))
        documents = _votes(dataset, given.name)
    else:
        _only_with_datasets({"NAME": name, "--write": write})
        given = from_file(target, rules)
        documents = {"": _ballots(ballot or [], given.compile())}
    found = suggest(given.compile(), documents, declared_too=declared_too)
    keys = {one.table.name: one.proposed.names for one in found if one.proposed is not None}
    written = dataset is not None and write and bool(keys)
    if dataset is not None and written:
        declared = given.rules.model_copy(update={"identity": {**given.rules.identity, **keys}})
        dataset.put_draft(given.name, given.source, declared, replace=True, origin=given.origin)

    value = {
        "identity": {array: list(names) for array, names in keys.items()},
        "arrays": [suggestion_json(one) for one in found],
        "written": written,
    }
    emit(value, as_json=as_json, human=lambda: print_suggestions(found, written=written))


def diff(
    old: Annotated[Path, typer.Argument(metavar="DATASET|OLD", help="A dataset folder, or the old schema's file.")],
    new: Annotated[str, typer.Argument(metavar="NAME|NEW", help="A schema of the dataset, or the new schema's file.")],
    from_version: Annotated[
        str | None, typer.Option("--from", metavar="V1", help="Of a dataset: the old version; by default the latest.")
    ] = None,
    to_version: Annotated[
        str | None, typer.Option("--to", metavar="V2", help="Of a dataset: the new version; by default the draft.")
    ] = None,
    old_rules: Annotated[Path | None, typer.Option(metavar="R", help="With files: the old schema's rules.")] = None,
    new_rules: Annotated[Path | None, typer.Option(metavar="R", help="With files: the new schema's rules.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Say which leaves differ in two versions.

    These are the leaves that a new version opens for review again: changed ones, those that are new (they need votes),
    and those that are gone. Give two files, or a dataset and one of its schemas. Exit code 0 also if they differ.
    """
    from flows.schema_input import from_dataset, from_file
    from flows.schema_view import diff_json, print_diff
    from groundtruth.schema_diff import diff_schemas
    from groundtruth.store import Dataset

    if old.is_dir():
        _only_with_files({"--old-rules": old_rules, "--new-rules": new_rules})
        dataset = Dataset.open(old)
        after = from_dataset(dataset, new, to_version).compile()
        before = from_dataset(dataset, new, from_version or _latest(dataset, new)).compile()
    else:
        _only_with_datasets({"--from": from_version, "--to": to_version})
        before = from_file(old, old_rules).compile()
        after = from_file(Path(new), new_rules).compile()
    difference = diff_schemas(before, after)
    emit(diff_json(difference), as_json=as_json, human=lambda: print_diff(difference))


def _latest(dataset: Dataset, name: str) -> str:
    versions = dataset.versions(name)
    if not versions:
        raise DatasetError(f"{dataset.root}: schema {name!r} has no frozen version to compare with; freeze it first")
    return versions[-1]


def _votes(dataset: Dataset, schema: str) -> dict[str, list[Ballot]]:
    """The ballots of every document under a schema: of the panel, or of all systems while there is none."""
    return {
        document.id: dataset.ballots(document.id, dataset.panel)
        for document in dataset.documents()
        if document.schema_name == schema
    }


def _only_with_files(options: Mapping[str, object]) -> None:
    _refuse(options, "only with a schema file; a dataset keeps such things itself, under schemas/NAME")


def _only_with_datasets(options: Mapping[str, object]) -> None:
    _refuse(options, "only with a dataset folder, and a file was given")


def _refuse(options: Mapping[str, object], why: str) -> None:
    given = [name for name, value in options.items() if value]
    if given:
        raise typer.BadParameter(f"{', '.join(given)}: {why}")


def _ballots(options: Sequence[str], schema: FrozenSchema) -> list[Ballot]:
    from groundtruth import jsontext
    from groundtruth.ballot_files import read_ballot_text

    if not options:
        raise BallotError("no ballots; give --ballot NAME=FILE for each system, best several")
    found: dict[str, Ballot] = {}
    for option in options:
        name, equals, file = option.partition("=")
        if not (name and equals and file):
            raise BallotError(f"--ballot {option}: write it as NAME=FILE")
        if name in found:
            raise BallotError(f"--ballot {option}: {name} is given twice")
        found[name] = read_ballot_text(jsontext.read_bytes(Path(file)), name, name, schema, source=file)
    return list(found.values())


def _in_schema_order(form: Json) -> str:
    """A frozen schema as text; its properties keep their order, which is the order of the leaves."""
    import simplejson

    return simplejson.dumps(form, use_decimal=True, allow_nan=False, ensure_ascii=False, indent=1) + "\n"
