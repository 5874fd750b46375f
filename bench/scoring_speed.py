"""How long scoring long tables takes, beside ``omni-extract-bench`` on the same files: 26,725 rows by 8 columns.

Each run is a process of its own, from files to the printed figures; the operating system accounts for its CPU seconds
and peak memory. A run may use 8 GB of address space and 120 s; what became of one that would not do with that is said.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

ROWS: Final = 26_725
NESTED_ROWS: Final = 5_000
COLUMNS: Final = ("account", "owner", "city", "code", "holder", "amount", "opened", "closed")
MEMORY_BYTES: Final = 8 << 30
SECONDS: Final = 120
_OTHER: Final = "omni-extract-bench"
_A_PAGE: Final = 50

Row = dict[str, Any]


class Case(NamedTuple):
    """One document to score.

    Attributes:
        name: what is special about it.
        truth: the rows of the truth.
        prediction: those of the prediction.
        rules: field rules by address, for value-f1.
        citations: what the prediction cites, for value-f1.
        aim: what one of ours should do with.
    """

    name: str
    truth: list[Row]
    prediction: list[Row]
    rules: Mapping[str, Any] = MappingProxyType({})
    citations: Sequence[dict[str, Any]] = ()
    aim: Aim | None = None


class Aim(NamedTuple):
    """What a process should do with, at most, on an idle machine."""

    cpu: float
    memory: float

    def said_of(self, used: Used) -> str:
        """Whether it did."""
        if used.score is None or used.memory > self.memory:
            return f"   aim {self.cpu:g} s, {self.memory:,.0f} MB: missed"
        share = used.cpu / self.cpu
        return f"   aim {self.cpu:g} s: {'met' if share <= 1 else f'missed, {share:.1f} times as much'}"


class Used(NamedTuple):
    """What one process used, and what it printed of its score; a score of None says what became of it instead."""

    cpu: float
    memory: float
    score: float | None
    said: str = ""

    def __str__(self) -> str:
        if self.score is None:
            return f"{self.said}, after {self.cpu:.1f} CPU s and {self.memory:,.0f} MB"
        return f"{self.cpu:6.1f} CPU s {self.memory:6,.0f} MB   {self.score:.6f}"


def main(rows: int = ROWS, nested_rows: int = NESTED_ROWS, only: Sequence[str] = ()) -> None:
    """Print the figures."""
    other = shutil.which(_OTHER, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    print(f"{rows:,} rows, {len(COLUMNS)} columns; whole process: CPU seconds, peak MB, accuracy or value F1")
    print(f"beside it: {_OTHER}" if other else f"{_OTHER} is not installed, so nothing stands beside it")
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), Case("start", table(1), table(1)))
        _measure(Path(folder), Case("one row: the start of the process", [], []), other)
    for make in CASES:
        if only and make.__name__.removeprefix("_") not in only:
            continue
        case = make(nested_rows if make is _nested else rows)._replace(aim=AIMS[make.__name__])
        with tempfile.TemporaryDirectory() as folder:
            _write(Path(folder), case)
            _measure(Path(folder), case, other)


def _measure(folder: Path, case: Case, other: str | None) -> None:
    print(f"\n{case.name}", flush=True)
    files = [str(folder / f"{part}.json") for part in ("schema", "truth", "prediction")]
    ours = [sys.executable, "-m", "flows.cli", "score", "--json"]
    ours += ["--schema", files[0], "--truth", files[1], "--prediction", files[2], "--metric"]
    extra = ["--field-rules", str(folder / "rules.json")] if case.rules else []
    extra += ["--citations", str(folder / "citations.json")] if case.citations else []
    value = run([*ours, "value-f1", *extra], folder, lambda found: found["value"]["f1"])
    print(f"  value-f1   {value}{case.aim.said_of(value) if case.aim else ''}", flush=True)
    judged = run([*ours, "verdicts"], folder, lambda found: found["accuracy"])
    print(f"  verdicts   {judged}{case.aim.said_of(judged) if case.aim else ''}", flush=True)
    if other is not None:
        command = [other, "score", "--pred", files[2], "--gt", files[1], "--schema", files[0]]
        theirs = run(command, folder, lambda found: found["accuracy"])
        ratio = f"   {theirs.cpu / judged.cpu:.1f} times ours" if judged.score is not None else ""
        print(f"  {_OTHER:10} {theirs}{ratio}", flush=True)


def run(command: Sequence[str], folder: Path, score: Callable[[Any], float | None]) -> Used:
    """Run a command in a process of its own, within the limits."""
    out = folder / "out.json"
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        for number, path in ((1, out), (2, folder / "err.txt")):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        os.execv(command[0], list(command))
    _, status, used = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    cpu, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    if code == 0:
        return Used(cpu, memory, score(json.loads(out.read_text())))
    last = ((folder / "err.txt").read_text().strip().splitlines() or [""])[-1][:100]
    stopped = -code in {signal.SIGXCPU, signal.SIGKILL}
    return Used(cpu, memory, None, f"stopped at {SECONDS} CPU s" if stopped else f"ended with {code}: {last}")


def _write(folder: Path, case: Case) -> None:
    parts = {
        "schema": schema_of(case.truth),
        "truth": {"items": case.truth},
        "prediction": {"items": case.prediction},
        "rules": dict(case.rules),
        "citations": list(case.citations),
    }
    for name, part in parts.items():
        (folder / f"{name}.json").write_text(json.dumps(part))


def schema_of(rows: Sequence[Row]) -> dict[str, Any]:
    """The schema of a document with these rows under ``items``."""
    properties: dict[str, Any] = {}
    for name, value in rows[0].items():
        if isinstance(value, list):
            properties[name] = schema_of_list(value)
        else:
            properties[name] = {"type": ["number" if isinstance(value, float) else "string", "null"]}
    items = {"type": "array", "items": {"type": "object", "properties": properties}}
    return {"type": "object", "properties": {"items": items}}


def schema_of_list(rows: Sequence[Row]) -> dict[str, Any]:
    """The schema of a list with these rows."""
    found: dict[str, Any] = schema_of(rows)["properties"]["items"]
    return found


def table(count: int, *, low: bool = False) -> list[Row]:
    """Rows with a number of their own; ``low`` has a column of 4 and one of 50 values."""
    chance = random.Random(count)
    return [_row(chance, number, low=low) for number in range(count)]


def _row(chance: random.Random, number: int, *, low: bool) -> Row:
    return {
        "account": f"ACC-{number:08}",
        "owner": f"Owner {chance.randrange(1_000_000)} of {chance.randrange(1_000)}",
        "city": chance.choice(_STATES) if low else f"Town {chance.randrange(1_000_000)}",
        "code": f"kind {chance.randrange(50)}" if low else f"code {chance.randrange(1_000_000)}",
        "holder": f"Holder {chance.randrange(1_000_000)}",
        "amount": chance.randrange(100, 1_000_000_000) / 100,
        "opened": f"20{chance.randrange(10, 25)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
        "closed": f"19{chance.randrange(10, 99)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
    }


def _misread(row: Row, name: str, number: int) -> Row:
    return {**row, name: row[name] + 0.01 + number if isinstance(row[name], float) else f"{row[name]} x{number}"}


def _misread_rows(truth: list[Row], share: float) -> list[Row]:
    """A prediction in which so many rows have one misread cell, in a column by chance; shuffled."""
    chance = random.Random(7)
    found = [
        _misread(row, chance.choice(COLUMNS), number) if chance.random() < share else row
        for number, row in enumerate(truth)
    ]
    chance.shuffle(found)
    return found


def _shuffled_rows(truth: list[Row]) -> list[Row]:
    chance = random.Random(8)
    kept: list[Row] = []
    for number, row in enumerate(truth):
        if chance.random() >= 0.05:
            for name in COLUMNS:
                row = _misread(row, name, number) if chance.random() < 0.01 else row
            kept.append(row)
    chance.shuffle(kept)
    return kept


def _identical(rows: int) -> Case:
    return Case("identical", table(rows), table(rows))


def _shuffled(rows: int) -> Case:
    truth = table(rows)
    return Case("shuffled, 5 % of rows missing, 1 % of cells misread", truth, _shuffled_rows(truth))


def _misread30(rows: int) -> Case:
    truth = table(rows)
    return Case("30 % of rows with one misread cell", truth, _misread_rows(truth, 0.3))


def _misread40(rows: int) -> Case:
    truth = table(rows)
    return Case("40 % of rows with one misread cell", truth, _misread_rows(truth, 0.4))


def _misread_all(rows: int) -> Case:
    truth = table(rows)
    return Case("every row with one misread cell", truth, _misread_rows(truth, 1.0))


def _low40(rows: int) -> Case:
    truth = table(rows, low=True)
    return Case("columns of 4 and of 50 values, 40 % of rows with one misread cell", truth, _misread_rows(truth, 0.4))


def _low_all(rows: int) -> Case:
    truth = table(rows, low=True)
    return Case("columns of 4 and of 50 values, every row with one misread cell", truth, _misread_rows(truth, 1.0))


def _evidence(rows: int) -> Case:
    truth = table(rows)
    order = list(range(rows))
    random.Random(9).shuffle(order)
    places = [
        {name: {"page": 1 + row // _A_PAGE, "bbox": _box(row, column)} for column, name in enumerate(COLUMNS)}
        for row in range(rows)
    ]
    rules = {
        f"items[{row}].{name}": {"evidence": [{**places[row][name], "value": truth[row][name]}]}
        for row in range(rows)
        for name in COLUMNS
    }
    citations = [
        {"field_path": f"items[{at}].{name}", **places[row][name]} for at, row in enumerate(order) for name in COLUMNS
    ]
    return Case("boxes and citations on every cell, shuffled", truth, [truth[row] for row in order], rules, citations)


def _box(row: int, column: int) -> list[float]:
    return [0.02 + column * 0.12, 0.02 + (row % _A_PAGE) * 0.019, 0.1, 0.015]


def _alternates(rows: int) -> Case:
    truth, chance = table(rows), random.Random(10)
    rules: dict[str, Any] = {}
    prediction: list[Row] = []
    for number, row in enumerate(truth):
        read = dict(row)
        for name in COLUMNS:
            if chance.random() < 0.1:
                other = _misread(row, name, number)[name]
                rules[f"items[{number}].{name}"] = {"evidence": [{"value": row[name]}, {"value": other}]}
                read[name] = other if chance.random() < 0.5 else row[name]
        prediction.append(read)
    chance.shuffle(prediction)
    return Case("another reading in 10 % of cells, shuffled", truth, prediction, rules)


def _fuzzy(rows: int) -> Case:
    chance = random.Random(11)
    truth = [
        {"description": f"{' '.join(chance.choices(_WORDS, k=7))} {number}", **row}
        for number, row in enumerate(table(rows))
    ]
    prediction = [
        {**row, "description": row["description"].replace("e", "c", 1) if chance.random() < 0.2 else row["description"]}
        for row in truth
    ]
    chance.shuffle(prediction)
    return Case("a column of descriptions, compared by likeness, shuffled", truth, prediction)


def _nested(rows: int) -> Case:
    chance = random.Random(12)
    truth: list[Row] = [
        {
            **row,
            "parts": [
                {"part": f"P{chance.randrange(10_000)}", "count": str(chance.randrange(9)), "price": float(part)}
                for part in range(3)
            ],
        }
        for row in table(rows)
    ]
    prediction = [{**row, "parts": chance.sample(row["parts"], 3)} for row in _misread_rows(truth, 0.3)]
    return Case(f"{rows:,} rows, each with a list of 3, 30 % with one misread cell, shuffled", truth, prediction)


_STATES = ("CA", "NY", "TX", "WA")
_WORDS = (
    "annual", "bracket", "cable", "delivery", "engine", "filter", "gasket", "handle", "install", "joint", "kit",
    "lever", "mount", "nozzle", "oil", "pump", "quartz", "repair", "sensor", "timer", "unit", "valve", "wheel",
)  # fmt: skip

_QUICK, _SLOW = Aim(4, 1_000), Aim(10, 1_000)
AIMS: Final[Mapping[str, Aim]] = {
    "_identical": _QUICK,
    "_shuffled": _QUICK,
    "_misread30": _QUICK,
    "_misread40": _QUICK,
    "_misread_all": _SLOW,
    "_low40": _QUICK,
    "_low_all": _SLOW,
    "_evidence": Aim(8, 1_500),
    "_alternates": Aim(10, 1_500),
    "_fuzzy": Aim(10, 1_500),
    "_nested": _SLOW,
}

CASES: Final = (
    _identical,
    _shuffled,
    _misread30,
    _misread40,
    _misread_all,
    _low40,
    _low_all,
    _evidence,
    _alternates,
    _fuzzy,
    _nested,
)
