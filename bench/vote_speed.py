"""How long a vote on long tables takes: five ballots of 26,725 rows by 8 columns, from files, as a person would run it.

Rows are shuffled, 2 % missing and 2 % of the cells misread, with a unique key and without a declared key. Each run is a
process of its own; the operating system accounts for its CPU seconds and peak memory. The growth is the time per row
against that of 2,500 rows, after the start of the process (a vote on one row) is taken off.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROWS = (2_500, 26_725)
SYSTEMS = "ABCDE"
COLUMNS = ("account", "owner", "city", "state", "kind", "amount", "date", "holder")
STATES = ("CA", "NY", "TX", "WA")
KINDS = tuple(f"code {number:02}" for number in range(50))
MISSING = MISREAD = 0.02

SCHEMA = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    name: {"type": ["number" if name == "amount" else "string", "null"]} for name in COLUMNS
                },
            },
        }
    },
}


class Usage(NamedTuple):
    """What one process used: CPU seconds (user and system) and peak memory in MB."""

    cpu: float
    memory: float


def main() -> None:
    """Print the figures."""
    print(f"5 ballots, {len(COLUMNS)} columns, rows shuffled, 2 % missing, 2 % of cells misread; whole process")
    with tempfile.TemporaryDirectory() as folder:
        start = measure(Path(folder), 1, keyed=True)
        print(f"{'start of the process':34}{start.cpu:8.1f} CPU s{start.memory:8.0f} MB")
        for keyed in (True, False):
            per_row = []
            for rows in ROWS:
                used = measure(Path(folder), rows, keyed=keyed)
                per_row.append((used.cpu - start.cpu) / rows)
                name = f"{rows:>6,} rows, {'unique key' if keyed else 'no key declared'}"
                print(f"{name:34}{used.cpu:8.1f} CPU s{used.memory:8.0f} MB", flush=True)
            print(f"{'growth per row from 2,500 rows':34}{per_row[1] / per_row[0]:8.2f} times")


def measure(folder: Path, rows: int, *, keyed: bool) -> Usage:
    """Vote on ballots of so many rows in a process of its own; its output is thrown away."""
    write_inputs(folder, rows, keyed=keyed)
    command = [sys.executable, "-m", "flows.cli", "vote", "--schema", str(folder / "schema.json"), "--json"]
    if keyed:
        command += ["--rules", str(folder / "rules.json")]
    for system in SYSTEMS:
        command += ["--ballot", f"{system}={folder / system}.json"]
    child = os.fork()
    if child == 0:
        sink = os.open(folder / "vote.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(sink, 1)
        os.execv(command[0], command)
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"the vote on {rows} rows failed with status {status}")
    return Usage(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def write_inputs(folder: Path, rows: int, *, keyed: bool) -> None:
    """The schema, the rules and five ballots; the same for the same number of rows."""
    chance = random.Random(rows)
    truth = [_row(chance, number) for number in range(rows)]
    (folder / "schema.json").write_text(json.dumps(SCHEMA))
    (folder / "rules.json").write_text(json.dumps({"identity": {"items": ["account"]} if keyed else {}}))
    for system in SYSTEMS:
        kept = [_misread(chance, row, keyed=keyed) for row in truth if rows == 1 or chance.random() >= MISSING]
        chance.shuffle(kept)
        (folder / f"{system}.json").write_text(json.dumps({"items": kept}))


def _row(chance: random.Random, number: int) -> dict[str, Any]:
    return {
        "account": f"{number:08}",
        "owner": f"{chance.choice(_FIRST)} {chance.choice(_LAST)} {chance.randrange(1000)}",
        "city": f"Town {chance.randrange(800)}",
        "state": chance.choice(STATES),
        "kind": chance.choice(KINDS),
        "amount": chance.randrange(100, 10_000_000) / 100,
        "date": f"20{chance.randrange(10, 25)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
        "holder": f"Holder {chance.randrange(300)}",
    }


def _misread(chance: random.Random, row: dict[str, Any], *, keyed: bool) -> dict[str, Any]:
    read = dict(row)
    for name in COLUMNS:
        # A misread key is another question (repair), measured by the tests: here the key is unique and right.
        if chance.random() < MISREAD and not (keyed and name == "account"):
            read[name] = read[name] + 1 if name == "amount" else f"{read[name]}{chance.choice('0OIl')}"
    return read


_FIRST = ("Ada", "Bo", "Cleo", "Dara", "Edda", "Finn", "Gus", "Hana", "Ines", "Jon")
_LAST = ("Abel", "Brandt", "Castro", "Dufour", "Eriksen", "Falk", "Greco", "Holm", "Ito", "Jansen")
