"""The command line: ``goldleaf``. Each command group lives in its own module; heavy packages are imported on use."""

from __future__ import annotations

import atexit
import io
import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from flows import (
    cli_compare,
    cli_curate,
    cli_dataset,
    cli_decisions,
    cli_demo,
    cli_extractors,
    cli_import,
    cli_labeling,
    cli_recapture,
    cli_report,
    cli_review,
    cli_schema,
    cli_score,
    cli_synth,
    cli_vote,
    run,
)
from flows.output import KEPT, Exit
from groundtruth.errors import GoldleafError

STOPPED = 130
READER_GONE = 141
"""What a shell reports of a program that SIGINT or SIGPIPE ended."""


class Program(TyperGroup):
    """All commands. Here, because Typer would end both quietly: with 1, which means findings, when the reader left."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command to its last byte of output."""
        try:
            try:
                return super().invoke(ctx)
            finally:
                # What is only written at the interpreter's end fails with a traceback and no say in the exit code.
                sys.stdout.flush()
        except KeyboardInterrupt:
            sys.stderr.write("goldleaf: stopped; what was finished is kept, run the same command again to go on\n")
            raise typer.Exit(STOPPED) from None
        except BrokenPipeError:
            # The reader of our output went away (`goldleaf ... | head`).
            _leave_output()
            raise typer.Exit(READER_GONE) from None


app = typer.Typer(
    name="goldleaf",
    cls=Program,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help=(
        "Make ground truth for document extraction, leaf by leaf.\n\n"
        "Documents and what several systems read in them go in; a vote on every leaf of the JSON and a queue of the "
        "leaves a person should look at come out. Start with `goldleaf demo`, or with `goldleaf new DIR`.\n\n"
        "Exit codes: 0 done, 1 findings, 2 misuse or bad input. Every command takes --json."
    ),
)

# The order of the help: what a newcomer does first comes first.
for _group in (
    cli_demo,
    cli_dataset,
    cli_schema,
    run,
    cli_curate,
    cli_extractors,
    cli_vote,
    cli_review,
    cli_labeling,
    cli_decisions,
    cli_report,
    cli_import,
    cli_score,
    cli_compare,
    cli_recapture,
    cli_synth,
):
    _group.register(app)


def program() -> None:
    """The console script: ``main``, and a short end for a command that keeps much to the end."""
    # Work is shared out to processes. Threads of the linear algebra inside each would mostly wait for one another.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        main()
    except SystemExit as ended:
        if KEPT and (ended.code is None or isinstance(ended.code, int)):
            _leave_at_once(ended.code or 0)
        raise


def main() -> None:
    """Run one command; a user's mistake is one message and exit code 2, never a traceback."""
    _show_any_text()
    try:
        app()
    except GoldleafError as error:
        _fail(str(error))
    except OSError as error:
        # A full disk, a folder that may not be written: nobody's mistake in a file's content.
        _leave_output()
        where = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
        _fail(f"{where}{error.strerror or error}; what was finished is kept, run the same command again after the cure")


def _leave_at_once(code: int) -> None:
    """End the process as the interpreter would, but for freeing what it holds."""
    # Private, and there is no other way to let registered ends happen.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _fail(message: str) -> None:
    # Plain text: the message may hold file names and values that look like markup.
    sys.stderr.write(f"goldleaf: {message}\n")
    sys.exit(int(Exit.MISUSE))


def _show_any_text() -> None:
    """Escape what the terminal's encoding has no form for (a name with an accent, in a Latin or C locale)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _leave_output() -> None:
    """Send what is still to be written nowhere, so that the interpreter's end does not fail on it again."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    program()
