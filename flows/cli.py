"""The command line: ``goldleaf``. Each command group lives in its own module; heavy packages are imported on use."""

from __future__ import annotations

import os
import sys

import typer

from flows import cli_curate, cli_dataset, cli_demo, cli_report, cli_review, cli_schema, cli_vote, run
from flows.output import Exit
from groundtruth.errors import GoldleafError

app = typer.Typer(
    name="goldleaf",
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
for _group in (cli_demo, cli_dataset, cli_schema, run, cli_curate, cli_vote, cli_review, cli_report):
    _group.register(app)


def main() -> None:
    """Run one command; a user's mistake is one message and exit code 2, never a traceback."""
    try:
        app()
    except GoldleafError as error:
        # Plain text: the message may hold file names and values that look like markup.
        sys.stderr.write(f"goldleaf: {error}\n")
        sys.exit(int(Exit.MISUSE))
    except KeyboardInterrupt:
        sys.stderr.write("goldleaf: stopped; what was finished is kept, run the same command again to go on\n")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output went away (`goldleaf ... | head`).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)


if __name__ == "__main__":
    main()
