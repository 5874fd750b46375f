"""How the shipped extractors and their vote read each pattern: small documents, clean and hard, against their truth."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.judging import judge
from bench.labels import is_right
from bench.readers import labelled_vote
from bench.reading import Answered, Task, embedded, read_all
from consensus.vote import vote
from groundtruth.consensus import Disposition
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema
from synth.making import Asked, Made, invented, make
from synth.pattern import CLEAN, HARD, load_pattern, pattern_names

ROWS: Final = 20
SEED: Final = 1


class Case(NamedTuple):
    """A document to read."""

    name: str
    made: Made
    schema: FrozenSchema
    file: Path


def main() -> None:
    """Print the figures."""
    print(f"documents of {ROWS} records, read by the shipped extractors: share of the leaves that are read right")
    extractors = embedded()
    with tempfile.TemporaryDirectory() as folder:
        cases = [_case(name, difficulty, Path(folder)) for name in pattern_names() for difficulty in (CLEAN, HARD)]
        tasks = [
            Task(
                spec, case.name, case.file, case.schema, len(case.made.drawn.sheets), Path(folder) / "words" / case.name
            )
            for spec in extractors
            for case in cases
        ]
        answers = read_all(tasks, extractors)
    for case in cases:
        _report(case, [answer for answer in answers if answer.task.name == case.name])


def _case(name: str, difficulty: str, folder: Path) -> Case:
    pattern = load_pattern(name)
    made = make(invented(Asked(pattern, pattern.difficulty(difficulty), SEED), ROWS))
    file = folder / f"{name}-{difficulty}.pdf"
    file.write_bytes(made.pdf)
    schema = compile_schema(pattern.schema, Rules.from_json(pattern.rules), name=name)
    return Case(f"{name} {difficulty}", made, schema, file)


def _report(case: Case, answers: Sequence[Answered]) -> None:
    parts = []
    for answer in answers:
        if not answer.ballot.usable:
            parts.append(f"{answer.ballot.system} {answer.ballot.failure}")
            continue
        judged = judge(case.schema, answer.ballot, case.made.content.value)
        right, truth = judged.fields.right + judged.cells.right, judged.fields.truth + judged.cells.truth
        parts.append(f"{answer.ballot.system} {right / truth:.1%}")
    print(f"  {case.name:<28} {len(case.made.drawn.sheets):>3} pages  {_voted(case, answers)}; {', '.join(parts)}")


def _voted(case: Case, answers: Sequence[Answered]) -> str:
    """What the vote accepts, and how much of that is right."""
    ballots = [answer.ballot for answer in answers]
    if not any(ballot.usable for ballot in ballots):
        return "nobody read it"
    labelled = labelled_vote(case.name, case.schema, vote(case.schema, ballots), case.made.content.value)
    accepted = [leaf for leaf in labelled.consensus.leaves if leaf.disposition is Disposition.ACCEPT]
    right = sum(
        leaf.resolved and is_right(case.schema.leaves[leaf.field], leaf.value, labelled.truth(leaf), folded=False)
        for leaf in accepted
    )
    share = f"{right / len(accepted):.1%}" if accepted else "-"
    return f"the vote accepts {len(accepted)} of {len(labelled.consensus.leaves)} leaves, {share} of them right"
