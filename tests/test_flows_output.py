"""How commands show tables: every column readable, whatever a cell holds."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from flows.output import MAX_CELL, table


def _drawn(rows: list[list[object]], width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(table("", ["leaf", "why"], rows))
    return stream.getvalue()


@pytest.mark.parametrize("length", [5, 40, 41, 75, 200])
def test_a_long_name_leaves_room_for_the_other_columns(length: int) -> None:
    text = _drawn([["n" * length, "quorum"]])
    assert "quorum" in text
    assert text.count("n") == length


def test_a_name_of_usual_length_is_not_broken() -> None:
    assert "n" * 40 in _drawn([["n" * 40, "why " * 50]], width=60)


def test_a_huge_cell_is_cut_and_says_how_long_it_was() -> None:
    text = _drawn([["a", "v" * 1_000_000]])
    assert text.count("v") == MAX_CELL
    assert "(1,000,000 characters)" in " ".join(text.split())


def test_markup_is_shown_as_it_is() -> None:
    assert "[red]x[/red]" in _drawn([["[red]x[/red]", None]])
