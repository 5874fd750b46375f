"""The words of messages."""

from __future__ import annotations

import pytest

from groundtruth.wording import counted


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 pages"), (1, "1 page"), (2, "2 pages"), (1_200, "1,200 pages")], ids=str
)
def test_one_is_said_in_the_singular(count: int, said: str) -> None:
    assert counted(count, "page") == said


def test_a_plural_that_is_no_s_is_given() -> None:
    assert (counted(1, "entry", "entries"), counted(3, "entry", "entries")) == ("1 entry", "3 entries")


def test_a_verb_may_stand_with_the_noun() -> None:
    assert (counted(1, "leaf waits", "leaves wait"), counted(2, "leaf waits", "leaves wait")) == (
        "1 leaf waits",
        "2 leaves wait",
    )
