"""How the shipped extractors and their vote read each pattern: small documents, clean and hard, against their truth."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.labels import Labelled, is_right
from bench.readers import labelled_vote
from bench.reading import Answered, Task, embedded, read_all
from consensus.vote import vote
from groundtruth.ballot import Ballot
from groundtruth.consensus import Disposition
from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema
from scoring.value_f1 import score
from synth.making import Asked, Made, invented, make
from synth.pattern import CLEAN, HARD, load_pattern, pattern_names

ROWS: Final = 12
SEED: Final = 1


class Case(NamedTuple):
    """A document to read."""

    name: str
    made: Made
    schema: FrozenSchema
    made_for: dict[str, Json]
    file: Path


def main() -> None:
    """Print the figures."""
    print(
        f"documents of {ROWS} records, read by the shipped extractors: value F1 of what the vote proposes, how much of"
    )
    print("what it accepts without a person is right, and value F1 of each extractor")
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
    made = make(invented(Asked(pattern, pattern.difficulty(difficulty), SEED), min(ROWS, pattern.rows)))
    file = folder / f"{name}-{difficulty}.pdf"
    file.write_bytes(made.pdf)
    schema = compile_schema(pattern.schema, Rules.from_json(pattern.rules), name=name)
    return Case(f"{name} {difficulty}", made, schema, pattern.schema, file)


def _report(case: Case, answers: Sequence[Answered]) -> None:
    truth = case.made.content.value
    found = vote(case.schema, [answer.ballot for answer in answers])
    each = ", ".join(f"{answer.ballot.system} {_f1(case, answer.ballot)}" for answer in answers)
    print(f"  {case.name:<26}{len(case.made.drawn.sheets):>3} pages{_score(case, found.proposal):>8.3f}  ", end="")
    print(f"{_accepted(labelled_vote(case.name, case.schema, found, truth))}; {each}", flush=True)


def _f1(case: Case, ballot: Ballot) -> str:
    return f"{_score(case, ballot.data):.3f}" if ballot.usable else str(ballot.failure)


def _score(case: Case, answer: Json) -> float:
    """Value F1 of an answer, as published; without the citations."""
    return score(case.made.content.value, answer, case.made_for).value.f1


def _accepted(labelled: Labelled) -> str:
    """What the vote accepts, and how much of that is right."""
    leaves = labelled.consensus.leaves
    accepted = [leaf for leaf in leaves if leaf.disposition is Disposition.ACCEPT]
    right = sum(
        leaf.resolved and is_right(labelled.schema.leaves[leaf.field], leaf.value, labelled.truth(leaf), folded=False)
        for leaf in accepted
    )
    share = f"{right / len(accepted):.1%}" if accepted else "-"
    return f"accepted {len(accepted):>4} of {len(leaves):>4}, {share:>6} right"
