"""What a flow's tasks share with it in their context, because it is no JSON and Prefect could not hand it on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Lent = TypeVar("Lent")


@contextmanager
def lent(variable: ContextVar[Lent], value: Lent) -> Iterator[None]:
    """Let what runs in the block find ``value`` in the variable; after it the variable is as it was."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
