"""How every command speaks: one JSON value with ``--json``, Rich text otherwise; exit codes 0, 1 and 2."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from groundtruth import jsontext
from groundtruth.jsontext import Json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


class Exit(IntEnum):
    """What a command's exit code says."""

    DONE = 0
    FINDINGS = 1
    MISUSE = 2


KEPT: Final[list[object]] = []
"""What ``keep_to_the_end`` keeps; of the last command only."""
MAX_CELL: Final = 500
_WIDEST_NAME: Final = 40

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON value instead of text for people.")]


def console() -> Console:
    """The terminal, for what a person reads as the command's result."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            # Rich would end the program with 1, which means findings; flows.cli knows better.
            raise BrokenPipeError

    return Output(highlight=False, soft_wrap=False)


def stderr() -> Console:
    """The terminal's error stream, for warnings and progress, so that ``--json`` stays one clean value."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def emit(value: Json, *, as_json: bool, human: Callable[[], None]) -> None:
    """Print ``value`` as JSON, or let ``human`` print for a person."""
    if as_json:
        write_json(jsontext.dumps(value, indent=1) + "\n")
    else:
        human()


def write_json(text: str) -> None:
    """Write JSON text to the output, in UTF-8 whatever the locale is."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")
    sys.stdout.write(text)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, right: Sequence[str] = ()) -> Table:
    """A Rich table; the columns named in ``right`` are aligned right. Cells are shown as they are, never as markup.

    A cell of more than ``MAX_CELL`` characters is cut, and says how long it was.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    cells = [[_cell(cell) for cell in row] for row in rows]
    widest_name = max((len(row[0]) for row in cells if row), default=0)

    drawn = Table(
        title=title or None,
        title_justify="left",
        header_style="bold",
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    for at, column in enumerate(columns):
        # The first column names the row, so it is the last to be broken, unless it would crowd out the others.
        unbroken = at == 0 and widest_name <= _WIDEST_NAME
        drawn.add_column(column, justify="right" if column in right else "left", overflow="fold", no_wrap=unbroken)
    for row in cells:
        drawn.add_row(*map(Text, row))
    return drawn


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}... ({len(text):,} characters)"


def split_names(text: str) -> list[str]:
    """The names in ``a,b,c``, without the spaces around them."""
    return [name.strip() for name in text.split(",") if name.strip()]


def warn(message: str) -> None:
    """Say something on the error stream that the user should know, without stopping."""
    from rich.text import Text

    stderr().print(Text(f"warning: {message}", style="yellow"))


def remark(message: str) -> None:
    """Say something on the error stream that is worth knowing and is no fault."""
    from rich.text import Text

    stderr().print(Text(message, style="dim"))


def keep_to_the_end(*values: object) -> None:
    """Let a program that runs one command end without freeing these, one object after the other, for nothing."""
    KEPT[:] = values


def finish(code: Exit) -> None:
    """End the command with an exit code other than 0."""
    if code is not Exit.DONE:
        raise typer.Exit(int(code))
