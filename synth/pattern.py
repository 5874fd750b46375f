"""What a pattern is: one file of ``synth/patterns`` that says what a kind of document holds and how it looks.

A pattern has three steps, each a plain function:

``invent``
    makes records out of a source of invented values.
``compose``
    makes the content out of records, invented or somebody's own: the values of the head, totals, rows that are none.
``draw``
    lays a content out. It decides nothing by chance: the same content gives the same pages.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple

from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from synth.content import Content
from synth.display import DisplayList
from synth.invention import Invention
from synth.nearest import did_you_mean

CLEAN: Final = "clean"
HARD: Final = "hard"
_ON: Final = "on"
_OFF: Final = "off"

MOST_ROWS: Final = 100_000
"""A list of eight columns longer than this has a truth larger than the largest JSON file that is read."""

HEADER_SWITCHES: Final = {"two-tier-header": "a header of two tiers", "header-once": "no header on later pages"}
"""The difficulties that most tables have; those of a pattern's own stand beside them."""

HEADER_TAGS: Final[Mapping[str, tuple[str, ...]]] = {"two-tier-header": ("S1",), "header-once": ("S3",)}
"""The labels of documents in which they are on."""

Record = dict[str, Json]
Switches = frozenset[str]


class Composed(NamedTuple):
    """The parts of a content that a pattern makes of records; see ``Content``."""

    value: dict[str, Json]
    aside: dict[str, Json]


class Sum(NamedTuple):
    """A printed total: the leaf at schema path ``total`` is the sum of the leaves at ``of``.

    Where both lie in the same rows (``visits[].total``, ``visits[].lines[].amount``) it holds in each of them. With
    ``counts``, the total is how many rows ``of`` has.
    """

    total: str
    of: str
    counts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A kind of document.

    Attributes:
        name: its name, that of its file with hyphens.
        about: what it is, in a line.
        type: what sort of document it is.
        domain: the trade it is from.
        records: the array of its main list, the one that ``--rows`` counts.
        rows: how many records it has by default.
        font: the family of its text by default.
        schema: the JSON Schema that asks for its values.
        rules: the field rules, as a rules file holds them.
        switches: by name, a difficulty that can be on, and what it does.
        tags: what it is an example of: the labels of ExtractBench for task, structure, perception, grounding.
        switch_tags: further labels of a document in which a switch is on.
        sums: the totals that it prints.
        check: what else must hold in a value; the faults, in words.
        invent: makes so many records.
        compose: makes the content of records; it copies none of the lists that it does not change.
        draw: lays a content out.
        layout: goes up whenever the same content is laid out otherwise.
        most_rows: how many records a document may have; records with many leaves need a lower bound than rows of eight.
    """

    name: str
    about: str
    type: str
    domain: str
    records: str
    rows: int
    font: str
    schema: dict[str, Json]
    rules: dict[str, Json]
    switches: Mapping[str, str]
    invent: Callable[[Invention, int, Switches], list[Record]]
    compose: Callable[[Sequence[Record], Invention, Switches], Composed]
    draw: Callable[[Content], DisplayList]
    tags: tuple[str, ...] = ()
    switch_tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sums: tuple[Sum, ...] = ()
    check: Callable[[dict[str, Any]], Iterable[str]] | None = None
    layout: int = 1
    most_rows: int = MOST_ROWS

    def difficulty(self, text: str) -> Switches:
        """The switches that ``clean``, ``hard`` or ``ditto=on,voids=off`` puts on; parts apply from left to right.

        Raises:
            SynthesisError: there is no such switch, or it is neither on nor off.
        """
        on: set[str] = set()
        for part in filter(None, map(str.strip, text.split(","))):
            if part in (CLEAN, HARD):
                on = set(self.switches) if part == HARD else set()
                continue
            name, _, state = part.partition("=")
            if name not in self.switches:
                raise SynthesisError(
                    f"--difficulty {part}: {self.name} has no switch {name!r}; "
                    f"{did_you_mean(name, [*self.switches, CLEAN, HARD])}"
                )
            if state not in (_ON, _OFF):
                raise SynthesisError(f"--difficulty {part}: a switch is on or off; write {name}={_ON}")
            on = on | {name} if state == _ON else on - {name}
        return frozenset(on)


def pattern_names() -> tuple[str, ...]:
    """Every pattern's name, sorted; a file in ``synth/patterns`` is one."""
    import synth.patterns

    found = (module.name for module in pkgutil.iter_modules(synth.patterns.__path__))
    return tuple(sorted(name.replace("_", "-") for name in found if not name.startswith("_")))


@cache
def load_pattern(name: str) -> Pattern:
    """A pattern by its name.

    Raises:
        SynthesisError: there is none; the message names the nearest.
    """
    if name not in pattern_names():
        raise SynthesisError(f"no pattern {name!r}; {did_you_mean(name, pattern_names())}")
    module = importlib.import_module(f"synth.patterns.{name.replace('-', '_')}")
    found: Pattern = module.PATTERN
    return found


def draw(content: Content) -> DisplayList:
    """Lay a content out, by its own pattern.

    Raises:
        SynthesisError: there is no such pattern, its layout is of another version, a switch is unknown, a value
            cannot be printed, or a key is gone; the message names the leaf.
    """
    pattern = load_pattern(content.pattern)
    if content.layout != pattern.layout:
        raise SynthesisError(
            f"the content is for layout {content.layout} of {pattern.name}, and this version of Goldleaf draws layout "
            f"{pattern.layout}; make the document anew, or use the version that made it"
        )
    unknown = sorted(content.switches - pattern.switches.keys())
    if unknown:
        raise SynthesisError(f"the content switches on {unknown[0]!r}; {did_you_mean(unknown[0], pattern.switches)}")
    try:
        return pattern.draw(content)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        # A content is a file, and people edit it: a key may be gone from it, or hold what cannot be printed.
        raise SynthesisError(
            f"the content cannot be drawn as {pattern.name} ({type(error).__name__}: {error}); if content.json was "
            "edited, put back what was there, or make the document anew"
        ) from error
