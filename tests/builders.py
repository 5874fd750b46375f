"""Small makers of the values and files that several tests need."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from consensus.vote import vote
from groundtruth.ballot import Ballot
from groundtruth.consensus import Consensus, LeafConsensus
from groundtruth.document import Kind
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.schema import FrozenSchema
from groundtruth.schema_compile import compile_schema

REPOSITORY = Path(__file__).resolve().parent.parent


SHARED = Path(os.environ.get("GOLDLEAF_SHARED") or REPOSITORY.parent / "shared")
"""Where the shared material is, if it is anywhere; tests that need it ask ``shared_dir``."""


def shared_dir() -> Path:
    """Return the folder of shared material, or skip the calling test when this machine has none.

    The folder is named by the environment variable GOLDLEAF_SHARED; without it, it is `shared` beside the
    repository.
    """
    if not SHARED.is_dir():
        pytest.skip(f"no shared material at {SHARED}; set GOLDLEAF_SHARED to the folder that holds it")
    return SHARED


class _Missing:
    """A key that a ballot leaves out."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()


def schema_of(
    properties: Mapping[str, Any], *, identity: Mapping[str, Any] | None = None, fields: Mapping[str, Any] | None = None
) -> FrozenSchema:
    """A compiled schema with these properties at its root."""
    rules = Rules.from_json({"fields": dict(fields or {}), "identity": dict(identity or {})})
    return compile_schema({"type": "object", "properties": dict(properties)}, rules, name="test")


def text_schema(subschema: Any = None, rule: Any = None) -> FrozenSchema:
    """A schema of one leaf, ``field``."""
    return schema_of({"field": subschema or {"type": ["string", "null"]}}, fields={"field": rule} if rule else {})


def ballots(answers: Sequence[Any], *, names: str = "ABCDE", families: Mapping[str, str] | None = None) -> list[Ballot]:
    """One ballot an answer, by systems A, B, C, ...; floats become exact decimals as a file's would."""
    return [
        Ballot(name, (families or {}).get(name, name), data=exact(answer))
        for name, answer in zip(names, answers, strict=False)
    ]


def vote_on_values(
    readings: Sequence[Any],
    subschema: Any = None,
    *,
    rule: Any = None,
    families: Mapping[str, str] | None = None,
    kind: str = "real",
) -> LeafConsensus:
    """The vote on one leaf that each system reads so; ``MISSING`` leaves the key out."""
    answers = [{} if reading is MISSING else {"field": reading} for reading in readings]
    return vote(text_schema(subschema, rule), ballots(answers, families=families), kind=Kind(kind)).leaves[0]


def leaf_of(result: Consensus, path: str) -> LeafConsensus:
    """The leaf of a vote at a path."""
    return next(leaf for leaf in result.leaves if format_path(leaf.path) == path)


def exact(value: Any) -> Any:
    """A value as our reader of JSON would have it."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    return [exact(item) for item in value] if isinstance(value, list) else value


class Ended(NamedTuple):
    """How a command ended: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


def goldleaf(*arguments: object) -> Ended:
    """Run the program in this process, as its console script would."""
    from flows.cli import main

    out, err = io.StringIO(), io.StringIO()
    argv = sys.argv
    sys.argv = ["goldleaf", *map(str, arguments)]
    code: object = 0
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv = argv
    return Ended(code if isinstance(code, int) else int(code is not None), out.getvalue(), err.getvalue())
