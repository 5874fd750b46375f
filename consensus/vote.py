"""The vote on one document: ballots in, a consensus on every leaf and row out.

A pure function of the ballots and the schema. Nothing depends on the order of ballots, rows or keys, nor on the names
of the systems but where they are shown. No page is needed: ``consensus.ground`` adds where the values stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from consensus import grid
from consensus.candidates import Printed, candidates, never_printed, showable, sole_candidate
from consensus.grid import Block
from consensus.read import WRONG_KIND, Abstained, Reader, Rows, Slip
from consensus.rows import Slot, row_ids, vote_on_rows
from consensus.short import without_short
from consensus.tally import Electorate, agreed_value, tally
from groundtruth.ballot import Ballot, Status
from groundtruth.collector import collector_paused
from groundtruth.consensus import (
    Consensus,
    Disposition,
    LeafConsensus,
    Presence,
    Reason,
    RowConsensus,
    Tier,
)
from groundtruth.document import Kind
from groundtruth.errors import NoBallots
from groundtruth.jsontext import Json
from groundtruth.panel import check_panel
from groundtruth.path import ROOT, Path
from groundtruth.schema import FrozenSchema, Leaf, Record, Table
from groundtruth.value import Abstain, Value


def vote(
    schema: FrozenSchema,
    ballots: Sequence[Ballot],
    *,
    kind: Kind = Kind.REAL,
    printed: Printed = never_printed,
) -> Consensus:
    """Vote on every leaf that the schema declares.

    Args:
        schema: the compiled schema; it enumerates the leaves, the ballots do not.
        ballots: one per system, at most five; failed ones abstain everywhere, and those with far fewer rows than the
            others vote as partial ones, see ``consensus.short``.
        kind: the document's kind; every leaf of a form goes to a person.
        printed: whether a text stands on a cited page; decides between equally frequent spellings only.

    Raises:
        PanelError: more than five ballots, or two of one system.
        NoBallots: no ballot is usable.
    """
    systems = check_panel([ballot.system for ballot in ballots])
    judged = without_short(schema, ballots)
    usable = sorted((ballot for ballot in judged if ballot.usable), key=lambda ballot: ballot.system)
    abstained = {ballot.system: _failure(ballot) for ballot in judged if not ballot.usable}
    if not usable:
        listed = "; ".join(f"{system}: {reason}" for system, reason in sorted(abstained.items()))
        raise NoBallots(f"no ballots: none can be used ({listed})")
    box = _BallotBox(schema, usable, kind, printed)
    with collector_paused():
        proposal = box.vote_on_record(schema.root, [box.reader.root(ballot) for ballot in usable], ROOT, "")
    return Consensus(
        systems=systems,
        abstained=abstained,
        partial={ballot.system: ballot.detail for ballot in usable if ballot.status is Status.PARTIAL},
        n=len(usable),
        leaves=tuple(box.leaves),
        rows=tuple(box.rows),
        proposal=proposal,
        unresolved=tuple(box.unresolved),
        schema_gaps={path: len(who) for path, who in sorted(box.reader.gaps.items())},
        alignment={table.name: "identity" if table.identity else "inferred" for table in schema.tables.values()},
        messages=tuple(sorted(box.reader.messages)),
    )


def dispose(kind: Kind, tier: Tier, reasons: frozenset[Reason]) -> Disposition:
    """The policy: what happens to a leaf or row of this tier and with these reasons."""
    if kind is Kind.RECAPTURE:
        return Disposition.INHERIT
    if kind is Kind.FORM or tier is Tier.SPLIT or reasons:
        return Disposition.REVIEW
    return Disposition.PROVISIONAL if tier is Tier.MAJORITY else Disposition.ACCEPT


class _BallotBox:
    """The vote while it runs: walks the schema once and gathers leaves and rows in its order."""

    def __init__(self, schema: FrozenSchema, ballots: Sequence[Ballot], kind: Kind, printed: Printed) -> None:
        self.reader = Reader(schema)
        self.leaves: list[LeafConsensus] = []
        self.rows: list[RowConsensus] = []
        self.unresolved: list[Path] = []
        self._ballots = ballots
        self._systems = [ballot.system for ballot in ballots]
        self._kind = kind
        self._printed = printed
        self._electorate = Electorate(
            families={ballot.system: ballot.family for ballot in ballots},
            asserting=frozenset(ballot.system for ballot in ballots if ballot.asserts_null),
        )

    def vote_on_record(
        self,
        record: Record,
        slips: Sequence[Slip],
        path: Path,
        row_id: str,
        key_reasons: Mapping[Path, frozenset[Reason]] | None = None,
        *,
        counts: bool = True,
    ) -> dict[str, Json]:
        """Vote on one object and everything in it.

        Args:
            record: what the object is.
            slips: what each ballot says on it.
            path: its instance path.
            row_id: the id of the row it belongs to, "" outside arrays.
            key_reasons: reasons that the alignment of rows gives to key leaves, by schema path.
            counts: whether the object is part of the proposal, so that what is open in it is unresolved.

        Returns:
            The object as the vote has it; unresolved leaves are null.
        """
        at_leaf = iter(range(len(slips[0].readings)))
        at_table = iter(range(len(slips[0].tables)))

        def fill(record: Record, path: Path) -> dict[str, Json]:
            proposal: dict[str, Json] = {}
            for name, node in record.fields.items():
                here = (*path, name)
                if isinstance(node, Leaf):
                    extra = (key_reasons or {}).get(node.path, frozenset())
                    proposal[name] = self._vote_on_leaf(node, slips, next(at_leaf), here, extra, counts=counts)
                elif isinstance(node, Table):
                    at = next(at_table)
                    proposal[name] = self._vote_on_table(
                        node, [slip.tables[at] for slip in slips], here, row_id, counts=counts
                    )
                else:
                    proposal[name] = fill(node, here)
            return proposal

        return fill(record, path)

    def _vote_on_leaf(
        self, leaf: Leaf, slips: Sequence[Slip], at: int, path: Path, extra: frozenset[Reason], *, counts: bool
    ) -> Json:
        readings = [slip.readings[at] for slip in slips]
        agreed = agreed_value(readings, self._electorate)
        if agreed is not None:
            return self._record_agreement(leaf, [slip.raws[at] for slip in slips], agreed, path, extra)
        voting = {
            system: reading
            for system, reading in zip(self._systems, readings, strict=True)
            if not isinstance(reading, Abstain)
        }
        raws = {
            system: showable(slip.raws[at])
            for system, slip in zip(self._systems, slips, strict=True)
            if system in voting
        }
        count = tally(voting, self._electorate)
        classes = candidates(raws, voting, self._printed)
        value = None
        if isinstance(count.winner, Value):
            value = next(found.value for found in classes if found.valid and found.systems == count.winners)
        reasons = count.reasons | extra if extra else count.reasons
        resolved = count.winner is not None
        self.leaves.append(
            LeafConsensus(
                path=path,
                field=leaf.path,
                tier=count.tier,
                value=value,
                resolved=resolved,
                disposition=dispose(self._kind, count.tier, reasons),
                reasons=tuple(sorted(reasons)),
                notes=tuple(sorted(count.notes)),
                votes=raws,
                candidates=classes,
                margin=count.margin,
            )
        )
        if counts and not resolved:
            self.unresolved.append(path)
        return value

    def _record_agreement(
        self, leaf: Leaf, raws: Sequence[Json], agreed: Value, path: Path, extra: frozenset[Reason]
    ) -> Json:
        """Record a leaf that needs no counting: what follows from ``tally``, in one step."""
        votes = dict(zip(self._systems, map(showable, raws), strict=True))
        self.leaves.append(
            LeafConsensus(
                path=path,
                field=leaf.path,
                tier=Tier.UNANIMOUS,
                value=agreed.surface,
                resolved=True,
                disposition=dispose(self._kind, Tier.UNANIMOUS, extra),
                reasons=tuple(sorted(extra)),
                notes=(),
                votes=votes,
                candidates=sole_candidate(votes, agreed),
                margin=len(votes),
            )
        )
        return agreed.surface

    def _vote_on_table(
        self, table: Table, rows: Sequence[Rows | Abstained], path: Path, outer: str, *, counts: bool
    ) -> list[Json]:
        blocks = [
            grid.read_block(self.reader, ballot, table, part) if isinstance(part, Rows) else None
            for ballot, part in zip(self._ballots, rows, strict=True)
        ]
        refused = WRONG_KIND in rows
        slots = vote_on_rows(self.reader, self._ballots, table, blocks, self._electorate, refused=refused)
        silent = [
            self.reader.abstaining(ballot, table.row, part)
            if isinstance(part, Abstained)
            else self.reader.lacking(ballot, table.row)
            for ballot, part in zip(self._ballots, rows, strict=True)
        ]
        proposal: list[Json] = []
        for index, (slot, row_id) in enumerate(zip(slots, row_ids(table, outer, slots), strict=True)):
            here = (*path, index)
            self._record_row(slot, blocks, here, row_id)
            present = slot.presence is Presence.PRESENT
            if counts and slot.presence is Presence.UNDECIDED:
                self.unresolved.append(here)
            slips = [
                block.slips[slot.members[at]] if block is not None and at in slot.members else silent[at]
                for at, block in enumerate(blocks)
            ]
            row = self.vote_on_record(
                table.row, slips, here, row_id, _key_reasons(table, slot), counts=counts and present
            )
            if present:
                proposal.append(row)
        return proposal

    def _record_row(self, slot: Slot, blocks: Sequence[Block | None], path: Path, row_id: str) -> None:
        self.rows.append(
            RowConsensus(
                path=path,
                row_id=row_id,
                tier=slot.vote.tier,
                presence=slot.presence,
                present=slot.present,
                members={
                    self._systems[at]: block.indices[row]
                    for at, row in slot.members.items()
                    if (block := blocks[at]) is not None
                },
                disposition=dispose(self._kind, slot.vote.tier, slot.reasons),
                reasons=tuple(sorted(slot.reasons)),
                notes=tuple(sorted(slot.notes)),
            )
        )


def _key_reasons(table: Table, slot: Slot) -> dict[Path, frozenset[Reason]]:
    """A repaired row was put together against its key, so a person checks the key."""
    if Reason.ALIGNMENT_REPAIRED not in slot.reasons:
        return {}
    repaired = frozenset({Reason.ALIGNMENT_REPAIRED})
    return {(*table.row.path, *key): repaired for key in table.identity}


def _failure(ballot: Ballot) -> str:
    kind = str(ballot.failure) if ballot.failure else "failed"
    return f"{kind}: {ballot.detail}" if ballot.detail else kind
