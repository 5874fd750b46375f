"""What a flow lends to its tasks is there for the run, and only for it."""

from __future__ import annotations

from contextvars import ContextVar

import pytest

from flows.run_context import lent

VARIABLE: ContextVar[str] = ContextVar("variable")


def test_what_is_lent_is_found_in_the_block_and_gone_after_it() -> None:
    with lent(VARIABLE, "outer"):
        with lent(VARIABLE, "inner"):
            assert VARIABLE.get() == "inner"
        assert VARIABLE.get() == "outer"
    assert VARIABLE.get("gone") == "gone"


def test_it_is_gone_after_a_failure_too() -> None:
    with pytest.raises(KeyError), lent(VARIABLE, "lent"):
        raise KeyError
    assert VARIABLE.get("gone") == "gone"
