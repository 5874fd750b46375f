"""Whether what is printed for a leaf means its value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.schema_compile import compile_schema
from groundtruth.value import Canonical, Canonicalizer, Value
from synth.content import Content
from synth.display import DisplayList
from synth.pattern import Pattern
from synth.printable import leaves

_INDEX: Final = re.compile(r"\[\d+\]")


def misprints(pattern: Pattern, content: Content, drawn: DisplayList) -> Iterator[tuple[int, str]]:
    """Each leaf whose printed form means something else than its value, by the field's own comparator, and its page."""
    schema = compile_schema(pattern.schema, Rules.from_json(pattern.rules), name=pattern.name)
    readers = {format_path(path): Canonicalizer(leaf) for path, leaf in schema.leaves.items()}
    values = dict(leaves(content.value))
    seen: set[tuple[str, int]] = set()
    for page, run in drawn.runs():
        if run.leaf is None or run.leaf in drawn.same or (run.leaf, run.printing) in seen:
            continue
        seen.add((run.leaf, run.printing))
        read = readers.get(_field(run.leaf))
        if read is None or run.leaf not in values:
            yield page, f"{run.leaf}: {run.whole!r} is printed, and the content has no such leaf"
        elif isinstance(values[run.leaf], bool):
            continue
        elif not _same(read(run.whole), read(values[run.leaf])):
            yield page, f"{run.leaf}: is {_plain(values[run.leaf])}, and {run.whole!r} is printed"


def _same(printed: Canonical, meant: Canonical) -> bool:
    return isinstance(printed, Value) and isinstance(meant, Value) and printed.key == meant.key


def _field(path: str) -> str:
    """The schema path of a leaf; the keys of a pattern are plain names, so that no other bracket is in a path."""
    return _INDEX.sub("[]", path)


def _plain(value: Json) -> str:
    """A value as it stands in the file."""
    return jsontext.dumps(value)
