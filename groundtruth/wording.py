"""How messages are worded, wherever they are written."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A count and what is counted: ``1 page``, ``1,200 pages``.

    Args:
        count: how many, from 0.
        noun: one of them, with a verb where there is one.
        plural: the same of several, where an s is not enough.
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"
