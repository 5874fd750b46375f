"""What people decided in a dataset, in figures: how much stands, what is stale and why, and what they flagged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotation.bind import Stale, Staleness
from annotation.causes import flagged
from annotation.situation import Situation
from annotation.standing import Outcome
from flows.output import console
from groundtruth.errors import GoldleafError
from groundtruth.jsontext import Json
from groundtruth.path import Path as LeafPath
from groundtruth.path import format_path
from groundtruth.schema import FrozenSchema
from groundtruth.schema_diff import Aspect, LeafChange, diff_schemas
from groundtruth.store import Dataset
from groundtruth.wording import counted

_OTHERWISE_READ = frozenset({Aspect.DESCRIPTION, Aspect.TITLE, Aspect.TYPE, Aspect.ENUM, Aspect.SUBSCHEMA})
"""What a system is told of a leaf; where it changed the readings that are there answer another question."""
_MOST_SHOWN = 10
_MOST_EXAMPLES = 3


def decisions_json(dataset: Dataset, situations: Mapping[str, Situation]) -> dict[str, Json]:
    """The figures, for ``goldleaf status --json``.

    Args:
        dataset: where the schemas are.
        situations: how every document with a vote stands, by id.
    """
    outcomes = Counter(
        said.outcome for one in situations.values() for said in (*one.leaves.values(), *one.rows.values())
    )
    return {
        "decided": outcomes[Outcome.DECIDED],
        "conflicting": outcomes[Outcome.CONFLICTING],
        "escalated": outcomes[Outcome.ESCALATED],
        "stale": _stale_json(situations),
        "needs_votes": _needs_votes(dataset, situations),
        "flagged": [each.to_json() for each in flagged(situations.values())],
    }


def print_decision_status(found: Mapping[str, Json], dataset: Dataset) -> None:
    """The same for a person; nothing when nobody decided."""

    def say(text: str) -> None:
        console().print(text, markup=False)

    if any((found["decided"], found["conflicting"], found["escalated"])):
        say(
            f"decided by people: {found['decided']} leaves and rows; on which they differ: {found['conflicting']}; "
            f"handed on: {found['escalated']}"
        )
    for each in found["stale"][:_MOST_SHOWN]:
        words = each["reason"].replace("_", " ")
        say(f"stale: {counted(each['decisions'], 'decision')} on {each['field']} ({words})")
    _say_rest(len(found["stale"]))
    if found["needs_votes"]:
        fields = ", ".join(each["field"] for each in found["needs_votes"])
        say(
            f"needs new votes: {fields}; what systems are told of them changed. Run `goldleaf run {dataset.root}`, or "
            "import new votes"
        )
    for each in found["flagged"][:_MOST_SHOWN]:
        examples = ", ".join(f"{at['document']} {at['path']}" for at in each["places"][:_MOST_EXAMPLES])
        leaves = counted(each["leaves"], "leaf", "leaves")
        say(f"flagged: {each['cause'].replace('_', ' ')} on {each['field']}: {leaves} ({examples})")
    _say_rest(len(found["flagged"]))


@dataclass(frozen=True, slots=True)
class Bump:
    """What a new version of a schema means for what was made under the one before.

    Attributes:
        before: the version before.
        reopened: the fields that changed; decisions on them are stale, and the leaves are asked again.
        needs_votes: those of them, and the new ones, of which systems would now be told otherwise.
    """

    before: str
    reopened: tuple[str, ...]
    needs_votes: tuple[str, ...]


def bump_of(dataset: Dataset, frozen: FrozenSchema) -> Bump | None:
    """What a frozen version changes; None when it is the first one."""
    versions = dataset.versions(frozen.name)
    at = versions.index(frozen.version)
    if at == 0:
        return None
    difference = diff_schemas(dataset.schema(frozen.name, versions[at - 1]), frozen)
    told = [change.path for change in difference.changed if not _OTHERWISE_READ.isdisjoint(change.aspects)]
    return Bump(
        before=versions[at - 1],
        reopened=tuple(format_path(change.path) for change in difference.changed),
        needs_votes=tuple(map(format_path, (*told, *difference.added))),
    )


def print_bump(bump: Bump, folder: Path) -> None:
    """The same for a person."""
    say = console().print
    if not bump.reopened and not bump.needs_votes:
        say(f"No leaf changed since version {bump.before}.")
    if bump.reopened:
        listed = ", ".join(bump.reopened)
        say(f"Changed since version {bump.before}, and asked again where decided: {listed}", markup=False)
    if bump.needs_votes:
        say(
            f"Needs new votes: {', '.join(bump.needs_votes)}. Run `goldleaf run {folder}`, and import the votes of "
            "other systems again.",
            markup=False,
        )


def _say_rest(count: int) -> None:
    if count > _MOST_SHOWN:
        console().print(f"... and {count - _MOST_SHOWN} more; --json lists all")


def _stale_json(situations: Mapping[str, Situation]) -> list[dict[str, Json]]:
    counts = Counter((each.decision.schema, each.decision.field, each.reason) for each in _stale(situations))
    ordered = sorted(counts, key=lambda key: (key[0], format_path(key[1]), key[2]))
    return [
        {"schema": key[0], "field": format_path(key[1]), "reason": str(key[2]), "decisions": counts[key]}
        for key in ordered
    ]


def _needs_votes(dataset: Dataset, situations: Mapping[str, Situation]) -> list[dict[str, Json]]:
    """The fields on which decisions are stale because systems would now be told otherwise."""
    asked: dict[tuple[str, str], set[LeafPath]] = {}
    for each in _stale(situations):
        if each.reason is Staleness.SCHEMA_CHANGED:
            version = (each.decision.schema, each.decision.schema_version)
            asked.setdefault(version, set()).add(each.decision.field)
    found = {
        (name, format_path(change.path))
        for (name, version), fields in asked.items()
        for change in _changes(dataset, name, version)
        if change.path in fields and not _OTHERWISE_READ.isdisjoint(change.aspects)
    }
    return [{"schema": name, "field": field} for name, field in sorted(found)]


def _changes(dataset: Dataset, name: str, version: str) -> Sequence[LeafChange]:
    try:
        return diff_schemas(dataset.schema(name, version), dataset.schema(name)).changed
    except GoldleafError:
        # A draft is not kept once it was edited, so nobody can say what changed.
        return ()


def _stale(situations: Mapping[str, Situation]) -> Iterator[Stale]:
    return (each for one in situations.values() for each in one.binding.stale)
