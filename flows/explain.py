"""Why a leaf or a row is what it is, in one record."""

from __future__ import annotations

from collections.abc import Sequence

from consensus.order import Voted
from flows.decision_list import listed_decisions, said, state_words
from flows.output import console, table
from flows.situations import situation_of_vote
from flows.vote_step import load_consensus
from groundtruth import jsontext
from groundtruth.consensus import Consensus, LeafConsensus, RowConsensus, Tier
from groundtruth.consensus_json import row_json
from groundtruth.jsontext import Json
from groundtruth.path import Path, format_path
from groundtruth.schema import FrozenSchema, Leaf
from groundtruth.store import Dataset
from groundtruth.value import Invalid, Null, canonical

_TIER_WORDS = {
    Tier.UNANIMOUS: "every system that voted read the same value",
    Tier.ALL_NULL: "every system that voted says that the document holds no value",
    Tier.MAJORITY: "more than half of the systems that voted agree",
    Tier.SPLIT: "no value has more than half of the votes; a plurality is not a majority",
}

_REASON_WORDS = {
    "quorum": "fewer than three systems voted",
    "single_family": "those who agree are of one family, so they are not independent",
    "null_unasserted": "no system that voted can tell a missing value from one that it did not find",
    "null_over_value": "absence won over a value that some system read; a value is quick to check on the page",
    "invalid_reading": "some reading is no value of this field",
    "invalid_majority": "most readings are no value of this field: the schema may be at fault",
    "ambiguous_date": "an all-numeric date whose order nobody declared: set date_order in the rules",
    "null_like": "some system wrote the word null",
    "no_reading": "no system judged this leaf",
    "alignment_repaired": "the row was put together although its key differs between systems",
    "duplicate_identity": "the systems disagree on how many rows share this key",
    "single_system_row": "one system alone has this row",
}

_LOCATION_WORDS = {
    "not_sought": "there is no proposed value to look for",
    "cited": "the systems cite it",
    "unique": "printed once",
    "repeated": "printed several times, and each of them is it",
    "heading": "printed once, above the rows that share it",
    "items": "every item of the list was found",
    "row_context": "found by the other cells of its row",
    "label_context": "found by its label",
    "closest": "printed just so once; other places print something like it",
    "ambiguous": "printed several times, and nothing tells them apart",
    "shared": "printed once, but another field has the same place and no label says whose it is",
    "off_row": "printed once, but away from its row",
    "weak": "printed once, but it may well stand there for another reason",
    "not_found": "not printed in this form",
    "no_text": "the pages have no words to search: no text layer, and no engine has read them",
    "unread_pages": "some pages have no words, and it is on none of the others",
    "no_printed_form": "a value of this kind has no printed form to look for",
}
"""What the codes of ``locate_rank.Outcome`` and of this project's other places mean."""


def explanation(dataset: Dataset, document: str, path: Path) -> dict[str, Json] | None:
    """The record of a leaf or row, with what people decided on it; None when the document has neither at ``path``.

    Raises:
        DatasetError: the dataset has no such document, or it was not voted on yet.
    """
    dataset.document(document)
    consensus = load_consensus(dataset, document)
    schema = dataset.schema_of(document)
    for leaf in consensus.leaves:
        if leaf.path == path:
            return _explain_leaf(document, schema, consensus, leaf) | _decided(dataset, document, consensus, path)
    for row in consensus.rows:
        if row.path == path:
            return _explain_row(document, consensus, row) | _decided(dataset, document, consensus, path)
    return None


def print_explanation(found: dict[str, Json]) -> None:
    """The record for a person."""
    out = console()
    out.print(f"{found['document']}  {found['path']}", style="bold", markup=False)
    out.print(f"{found['tier']}: {found['tier_means']}", markup=False)
    if found["what"] == "row":
        out.print(f"presence: {found['presence']}; disposition: {found['disposition']}", markup=False)
        rows = [
            [system, {True: "has it", False: "lacks it"}.get(there, "abstains"), found["silent"].get(system, "")]
            for system, there in found["present"].items()
        ]
        out.print(table("", ["system", "row", "why"], rows))
    else:
        value = jsontext.dumps(found["value"]) if found["resolved"] else "(unresolved)"
        out.print(f"value: {value}; disposition: {found['disposition']}; margin {found['margin']}", markup=False)
        rule = ", ".join(f"{key} {text}" for key, text in found["rule"].items())
        out.print(f"compared as: {rule}", markup=False)
        out.print(table("", ["system", "reading", "canonical form", "why"], map(_reading_cells, found["readings"])))
        _print_location(found["location"])
    for reason, words in found["reasons_mean"].items():
        out.print(f"{reason}: {words}", markup=False)
    for note in found["notes"]:
        out.print(f"note: {note}", markup=False)
    known = found["known"]
    out.print(f"known: {known['status']}{', ' + known['why'] if known['why'] else ''}", markup=False)
    for each in found["decisions"]:
        out.print(
            f"decision {each['id']}: {each['said']}, by {each['reviewer']} at {each['decided_at']}; {each['state']}",
            markup=False,
        )


def _decided(dataset: Dataset, document: str, consensus: Consensus, path: Path) -> dict[str, Json]:
    """What people decided on a leaf or row, and how it is known."""
    situation = situation_of_vote(dataset, Voted(document, dataset.schema_of(document), consensus))
    known = situation.known_row(path) if path in situation.rows_by_path else situation.known_leaf(path)
    listed = listed_decisions(dataset.decisions(document), situation)
    return {
        "known": {"status": known.status, "why": known.why},
        "decisions": [
            {**each.to_json(), "said": said(each.decision), "state": state_words(each)}
            for each in listed
            if path == (each.decision.path if each.path is None else each.path)
        ],
    }


def _explain_row(document: str, consensus: Consensus, row: RowConsensus) -> dict[str, Json]:
    silent = (system for system in consensus.systems if row.present.get(system) is None)
    return {
        "document": document,
        "what": "row",
        **row_json(row),
        "members": row.members,
        "silent": {system: _silence(consensus, system, "the system does not judge these rows") for system in silent},
        **_words(row),
    }


def _explain_leaf(document: str, schema: FrozenSchema, consensus: Consensus, leaf: LeafConsensus) -> dict[str, Json]:
    field = schema.leaves[leaf.field]
    silent = sorted(set(consensus.systems) - leaf.votes.keys())
    return {
        "document": document,
        "what": "leaf",
        "path": format_path(leaf.path),
        "field": format_path(leaf.field),
        "schema": {"name": schema.name, "version": schema.version, "fingerprint": field.fingerprint},
        "tier": leaf.tier,
        "value": leaf.value,
        "resolved": leaf.resolved,
        "disposition": leaf.disposition,
        "margin": leaf.margin,
        "notes": leaf.notes,
        "rule": _rule(field),
        "readings": [
            *(_reading(field, system, leaf.votes[system]) for system in sorted(leaf.votes)),
            *(
                {"system": system, "raw": None, "canonical": None, "state": "abstained",
                 "why": _silence(consensus, system, "the system does not judge this leaf")}
                for system in silent
            ),
        ],
        "location": {
            "certain": leaf.location.certain,
            "reason": leaf.location.reason,
            "evidence": [evidence.to_json() for evidence in leaf.location.evidence],
        },
        **_words(leaf),
    }  # fmt: skip


def _silence(consensus: Consensus, system: str, otherwise: str) -> str:
    """Why a system says nothing on a leaf or row."""
    if system in consensus.partial:
        return f"its answer is cut: {consensus.partial[system]}"
    return consensus.abstained.get(system, otherwise)


def _reading(field: Leaf, system: str, raw: Json) -> dict[str, Json]:
    reading = canonical(field, raw)
    state, form, why = "value", None, ""
    if isinstance(reading, Null):
        state = "null"
    elif isinstance(reading, Invalid):
        state, why = "invalid", reading.reason
    else:
        form = reading.surface
    if not isinstance(reading, Invalid):
        why = ", ".join(sorted(reading.flags))
    return {"system": system, "raw": raw, "canonical": form, "state": state, "why": why}


def _rule(field: Leaf) -> dict[str, Json]:
    rule = {"comparator": str(field.comparator)}
    declared = field.rule.model_dump(mode="json", exclude_defaults=True)
    return {**rule, **{key: value for key, value in declared.items() if key != "comparator"}}


def _words(found: LeafConsensus | RowConsensus) -> dict[str, Json]:
    return {
        "tier_means": _TIER_WORDS[found.tier],
        "reasons": found.reasons,
        "reasons_mean": {str(reason): _REASON_WORDS[reason] for reason in found.reasons},
    }


def _reading_cells(reading: dict[str, Json]) -> Sequence[object]:
    if reading["state"] in ("abstained", "invalid", "null"):
        form = reading["state"]
    else:
        form = jsontext.dumps(reading["canonical"])
    raw = "" if reading["state"] == "abstained" else jsontext.dumps(reading["raw"])
    return [reading["system"], raw, form, reading["why"]]


def _print_location(location: dict[str, Json]) -> None:
    out = console()
    reason = location["reason"]
    certain = "" if location["certain"] or not location["evidence"] else " (which of these places is not certain)"
    out.print(f"on the page: {_LOCATION_WORDS.get(reason, reason)}{certain}", markup=False)
    for place in location["evidence"]:
        box = ", ".join(f"{number:.4f}" for number in place["bbox"] or [])
        cited = f", cited by {', '.join(place['systems'])}" if place["systems"] else ""
        out.print(f"  page {place['page']}  [{box}]  {place['quote'] or ''}{cited}", markup=False)
