"""The reference of all commands in Markdown, made from their ``--help``.

``python -m flows.command_reference > docs/commands.md`` writes it anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

import typer
from typer.core import TyperGroup

PROGRAM: Final = "goldleaf"
_WIDTH: Final = 100
_HEAD: Final = """\
# Commands

Made from `goldleaf ... --help` by `python -m flows.command_reference`; edit the commands, not this page.

Every command takes `--json` and then prints one JSON value. Exit codes: 0 done, 1 findings, 2 misuse or bad input.
"""


def reference() -> str:
    """The page ``docs/commands.md``, the same on every machine."""
    parts = [_HEAD]
    for name, text in command_helps():
        parts.append(f"## {name}\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def command_helps() -> Iterator[tuple[str, str]]:
    """Every command that does something, as it is typed, with its help text; in the order of ``goldleaf --help``."""
    from flows.cli import app

    root = typer.main.get_command(app)
    yield from _helps(root, typer.Context(root, info_name=PROGRAM, terminal_width=_WIDTH))


def _helps(command: object, context: typer.Context) -> Iterator[tuple[str, str]]:
    if not isinstance(command, TyperGroup):
        yield context.command_path, context.get_help().rstrip()
        return
    for name, inner in command.commands.items():
        yield from _helps(inner, typer.Context(inner, info_name=name, parent=context, terminal_width=_WIDTH))


if __name__ == "__main__":
    sys.stdout.write(reference())
