"""``goldleaf vote``: on a dataset, or on ballot files without one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.output import Exit, JsonFlag, console, emit, finish, split_names, table, write_json
from groundtruth.errors import GoldleafError, PanelError
from groundtruth.panel import check_panel
from groundtruth.wording import counted

if TYPE_CHECKING:
    from groundtruth.ballot import Ballot
    from groundtruth.consensus import Consensus
    from groundtruth.schema import FrozenSchema


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("vote")(vote)


def vote(
    dataset: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="A dataset; leave out to vote on ballot files.")
    ] = None,
    systems: Annotated[
        str | None, typer.Option(help="The panel, at most five names: a,b,c. Stored in the dataset.")
    ] = None,
    schema: Annotated[Path | None, typer.Option(help="Without a dataset: the JSON Schema.")] = None,
    rules: Annotated[Path | None, typer.Option(help="Without a dataset: the field rules, JSON.")] = None,
    ballot: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="Without a dataset: one system's answer; repeat.")
    ] = None,
    family: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FAMILY", help="A system that is not independent of its family.")
    ] = None,
    kind: Annotated[str, typer.Option(help="real, or form: of a form a person sees every leaf.")] = "real",
    as_json: JsonFlag = False,
) -> None:
    """Vote leaf by leaf on what several systems returned.

    With a dataset: votes on every document whose ballots, schema or panel changed, writes consensus/ and the review
    queue, and prints the tiers of each document. Exit code 1 if a document could not be voted on.

    Without one (--schema and --ballot NAME=FILE ...): prints the vote on one document. A ballot that cannot be used is
    listed under "abstained" and the rest vote. Exit code 0 whatever the tiers.
    """
    if (dataset is None) == (schema is None):
        raise typer.BadParameter("give a dataset folder, or --schema with --ballot NAME=FILE, and not both")
    if dataset is not None:
        if ballot or family or rules:
            raise typer.BadParameter("--ballot, --family and --rules go with --schema, not with a dataset")
        _vote_on_dataset(dataset, systems, as_json=as_json)
        return
    if systems is not None:
        raise typer.BadParameter("--systems goes with a dataset; without one every --ballot votes")
    result = vote_on_files(_schema_path(schema), rules, ballot or [], family or [], kind)
    if as_json:
        from groundtruth.consensus_json import printed_text

        write_json(printed_text(result))
    else:
        _print_vote(result)


def vote_on_files(schema: Path, rules: Path | None, ballots: list[str], families: list[str], kind: str) -> Consensus:
    """Read schema, rules and ballots from files and vote.

    Raises:
        PanelError: no ballot, more than five, or one name twice.
        NoBallots: none of the ballots can be used.
    """
    from consensus.vote import vote as vote_on
    from groundtruth import jsontext
    from groundtruth.document import Kind
    from groundtruth.rules import Rules
    from groundtruth.schema_compile import compile_schema

    if not ballots:
        raise PanelError("no ballots; give --ballot NAME=FILE for each system, best several")
    files = _named(ballots, "--ballot", "FILE")
    check_panel([name for name, _ in files])
    family = dict(_named(families, "--family", "FAMILY"))
    unknown = sorted(family.keys() - {name for name, _ in files})
    if unknown:
        raise PanelError(f"--family {unknown[0]}={family[unknown[0]]}: there is no ballot of that name")
    if kind not in ("real", "form"):
        raise PanelError(f"--kind {kind}: a document is real or form")
    compiled = compile_schema(
        jsontext.load_file(schema), Rules.load(rules) if rules else Rules(), name=schema.stem, origin=str(schema)
    )
    return vote_on(
        compiled,
        [_read_ballot(name, Path(file), family.get(name, name), compiled) for name, file in files],
        kind=Kind(kind),
    )


def _read_ballot(name: str, file: Path, family: str, schema: FrozenSchema) -> Ballot:
    from groundtruth import jsontext
    from groundtruth.ballot_files import read_ballot_text

    return read_ballot_text(jsontext.read_bytes(file), name, family, schema, source=str(file))


def _named(options: list[str], option: str, what: str) -> list[tuple[str, str]]:
    pairs = []
    for text in options:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise PanelError(f"{option} {text}: write it as NAME={what}")
        pairs.append((name, value))
    return pairs


def _schema_path(schema: Path | None) -> Path:
    if schema is None:
        raise GoldleafError("--schema is missing")
    return schema


def _vote_on_dataset(folder: Path, systems: str | None, *, as_json: bool) -> None:
    from flows.status import failures_json, print_failures, print_tiers, tiers_json
    from flows.vote_step import load_votes, vote_on_dataset
    from groundtruth.store import Dataset

    dataset = Dataset.open(folder)
    if systems is not None:
        dataset.set_panel(split_names(systems))
    summary = vote_on_dataset(dataset)
    votes = load_votes(dataset)
    failures = failures_json(dataset, votes, ())

    def human() -> None:
        print_tiers(votes)
        print_failures(failures)
        console().print(
            f"{len(summary.voted)} voted on, {len(summary.unchanged)} unchanged, {len(summary.failed)} failed"
        )
        for document, reason in summary.failed.items():
            console().print(f"  {document}: {reason}", markup=False)

    shown = {**summary.to_json(), "failures": failures, "documents": tiers_json(votes)}
    emit(shown, as_json=as_json, human=human)
    finish(Exit.FINDINGS if summary.failed else Exit.DONE)


def _print_vote(result: Consensus) -> None:
    from groundtruth import jsontext
    from groundtruth.path import format_path

    console().print(
        table(
            f"{result.n} of {counted(len(result.systems), 'system')} voted",
            ["leaf", "tier", "value", "disposition", "why"],
            (
                [
                    format_path(leaf.path),
                    leaf.tier,
                    jsontext.dumps(leaf.value) if leaf.resolved else "(unresolved)",
                    leaf.disposition,
                    ", ".join([*leaf.reasons, *leaf.notes]),
                ]
                for leaf in result.leaves
            ),
        )
    )
    if result.rows:
        console().print(
            table(
                "rows",
                ["row", "presence", "tier", "why"],
                ([format_path(row.path), row.presence, row.tier, ", ".join(row.reasons)] for row in result.rows),
            )
        )
    for system, reason in sorted(result.abstained.items()):
        console().print(f"abstained: {system}: {reason}", markup=False)
    for system, reason in sorted(result.partial.items()):
        console().print(f"cut, and silent on what it lacks: {system}: {reason}", markup=False)
    for message in result.messages:
        console().print(message, markup=False)
