"""How well the shipped extractors read documents with known values, each alone and voting together.

The documents are the project's own samples: as they are, and as pictures of their pages at 200 dpi, clean or mildly
scanned. ``python -m bench.readers NAME ... [--conditions text,clean,mild] [--show N]`` measures some of them and
shows what they got wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench import word_boxes
from bench.judging import Judgement, judge, pair_tables, total
from bench.labels import Labelled, get, is_right
from bench.reading import Answered, Task, embedded, read_all
from consensus.vote import vote
from extractors.protocol import Extractor
from groundtruth.ballot import Ballot
from groundtruth.consensus import Consensus, Disposition, LeafConsensus, RowConsensus, Tier
from groundtruth.jsontext import Json
from groundtruth.pages import open_document
from groundtruth.path import Path as LeafPath
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema, Table
from groundtruth.schema_compile import compile_schema
from synth.samples import Sample, capture, samples

SEED: Final = 1
CONDITIONS: Final = {"text": "clean text", "clean": "clean images", "mild": "mildly scanned images"}


class Case(NamedTuple):
    """A sample in one condition, as a file."""

    sample: Sample
    schema: FrozenSchema
    file: Path
    pages: int

    @property
    def name(self) -> str:
        """The sample's name."""
        return self.sample.name


def main(arguments: Sequence[str] = ()) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.readers", description=__doc__)
    parser.add_argument("systems", nargs="*", metavar="NAME")
    parser.add_argument("--conditions", default=",".join(CONDITIONS))
    parser.add_argument("--kinds", default="form,invoice,register")
    parser.add_argument("--count", type=int, default=4, help="samples of each kind (default 4)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", type=int, default=0, help="wrong leaves to show for each system and document")
    chosen = parser.parse_args(arguments)
    extractors = embedded(chosen.systems)
    made = samples(chosen.seed, kinds=chosen.kinds.split(","), count=chosen.count)
    with tempfile.TemporaryDirectory() as folder:
        for condition in chosen.conditions.split(","):
            cases = [_case(sample, condition, chosen.seed, Path(folder)) for sample in made]
            _measure(condition, cases, extractors, Path(folder) / f"words-{condition}", show=chosen.show)


def _case(sample: Sample, condition: str, seed: int, folder: Path) -> Case:
    file = folder / f"{sample.name}.{condition}.pdf"
    if condition == "text":
        file.write_bytes(sample.pdf)
    else:
        file.write_bytes(capture(sample.pdf, seed=seed, strength="none" if condition == "clean" else "mild"))
    schema = compile_schema(sample.schema, Rules.from_json(sample.rules), name=sample.name)
    with open_document(file) as document:
        return Case(sample, schema, file, document.page_count)


def _measure(
    condition: str, cases: Sequence[Case], extractors: Mapping[str, Extractor], words: Path, *, show: int
) -> None:
    pages = sum(case.pages for case in cases)
    print(f"\n{CONDITIONS[condition]}: {len(cases)} documents, {pages} pages")
    tasks = [
        Task(spec, case.name, case.file, case.schema, case.pages, words / case.name)
        for spec in extractors
        for case in cases
    ]
    answers = read_all(tasks, extractors)
    by_name = {case.name: case for case in cases}
    print(f"  {'':12}{'docs':>6}{'fields':^27}{'table leaves':^27}{'rows':^25}{'CPU s':>8}")
    print(
        f"  {'system':12}{'read':>6}{'recall':>9}{'precis.':>9}{'nulls':>8} {'recall':>9}{'precis.':>9}{'nulls':>8} "
        f"{'read':>8}{'matched':>9}{'printed':>8}{'a page':>8}"
    )
    for spec in extractors:
        _report_system(
            extractors[spec].info.name, [one for one in answers if one.task.spec == spec], by_name, show=show
        )
    _report_vote(answers, cases)
    if condition == "clean":
        word_boxes.report(words, {case.name: case.sample.pdf for case in cases})


def _report_system(name: str, answers: Sequence[Answered], cases: Mapping[str, Case], *, show: int) -> None:
    """A line of the table: figures over the documents that the system did not refuse."""
    read = [one for one in answers if one.ballot.usable]
    judged = {one.task.name: judge(one.task.schema, one.ballot, cases[one.task.name].sample.values) for one in read}
    fields = total(one.fields for one in judged.values())
    cells = total(one.cells for one in judged.values())
    cpu = sum(one.cpu_seconds for one in answers) / sum(one.task.pages for one in answers)
    print(
        f"  {name:12}{len(read):>6}{_share(fields.right, fields.truth):>9}{_share(fields.right, fields.given):>9}"
        f"{_share(fields.nulls_right, fields.nulls):>8} "
        f"{_share(cells.right, cells.truth):>9}{_share(cells.right, cells.given):>9}"
        f"{_share(cells.nulls_right, cells.nulls):>8} "
        f"{cells.rows_given:>8}{cells.rows_paired:>9}{cells.rows:>8}{cpu:>8.2f}"
    )
    remarks = Counter(f"{one.ballot.failure or 'partial'}, {one.ballot.detail}" for one in answers if one.ballot.detail)
    for remark, count in sorted(remarks.items()):
        print(f"    {count} x {remark}")
    for document, one in judged.items() if show else ():
        _show(document, one, show)


def _show(name: str, judgement: Judgement, most: int) -> None:
    print(f"    {name}: {len(judgement.wrong)} not right")
    for wrong in judgement.wrong[:most]:
        print(f"      {wrong.path:32} is {_short(wrong.truth)}, read {_short(wrong.given)}")


def _short(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 70 else f"{text[:67]}..."


def _report_vote(answers: Sequence[Answered], cases: Sequence[Case]) -> None:
    """What the vote of all systems is worth, by tier."""
    ballots: dict[str, list[Ballot]] = defaultdict(list)
    for one in answers:
        ballots[one.task.name].append(one.ballot)
    leaves: list[tuple[LeafConsensus, bool, int]] = []
    missing = 0
    for case in cases:
        if not any(ballot.usable for ballot in ballots[case.name]):
            continue
        families = {ballot.system: ballot.family for ballot in ballots[case.name]}
        labelled = labelled_vote(case.name, case.schema, vote(case.schema, ballots[case.name]), case.sample.values)
        missing += labelled.missing_leaves()
        for leaf in labelled.consensus.leaves:
            right = is_right(case.schema.leaves[leaf.field], leaf.value, labelled.truth(leaf), folded=False)
            leaves.append((leaf, leaf.resolved and right, len({families[system] for system in leaf.votes})))
    print(
        f"  vote of {', '.join(sorted({one.ballot.system for one in answers}))}: {len(leaves)} leaves, {missing} missed"
    )
    for tier in Tier:
        _print_share(f"{tier}", [right for leaf, right, _ in leaves if leaf.tier is tier], len(leaves))
    unanimous = [(right, families) for leaf, right, families in leaves if leaf.tier is Tier.UNANIMOUS]
    by_families = [right for right, families in unanimous if families > 1]
    _print_share("unanimous, two families or more", by_families, len(leaves))
    accepted = [(leaf, right) for leaf, right, _ in leaves if leaf.disposition is Disposition.ACCEPT]
    _print_share("accepted", [right for _, right in accepted], len(leaves))
    _print_share("accepted all_null", [right for leaf, right in accepted if leaf.tier is Tier.ALL_NULL], len(leaves))


def _print_share(what: str, right: Sequence[bool], of: int) -> None:
    print(f"    {what:34}{len(right):6}{_share(len(right), of):>9} of leaves,{_share(sum(right), len(right)):>9} right")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%}" if whole else "-"


def labelled_vote(document: str, schema: FrozenSchema, consensus: Consensus, truth: Json) -> Labelled:
    """The vote beside the truth, rows paired so that most proposed values agree."""
    rows: dict[LeafPath, LeafPath] = {}
    for table in schema.root.tables():
        ours = [row for row in consensus.rows if row.path[:-1] == table.path]
        theirs = get(truth, table.path) or []
        values = _row_values(consensus, table, ours)
        for at, index in pair_tables(list(table.row.leaves()), values, theirs).items():
            rows[ours[at].path] = (*table.path, index)
    return Labelled(document, schema, consensus, truth, rows)


def _row_values(consensus: Consensus, table: Table, rows: Iterable[RowConsensus]) -> list[Json]:
    """The rows with what most systems read in each cell, whether the row is proposed or not."""
    at = len(table.path) + 1
    values: dict[LeafPath, dict[str, Json]] = {row.path: {} for row in rows}
    for leaf in consensus.leaves:
        if leaf.path[:at] in values:
            place = values[leaf.path[:at]]
            for step in leaf.path[at:-1]:
                place = place.setdefault(str(step), {})
            place[str(leaf.path[-1])] = leaf.value if leaf.resolved else _most_read(leaf)
    return list(values.values())


def _most_read(leaf: LeafConsensus) -> Json:
    read = [one for one in leaf.candidates if one.valid and one.value is not None]
    return max(read, key=lambda one: len(one.systems)).value if read else None


if __name__ == "__main__":
    main(sys.argv[1:])
