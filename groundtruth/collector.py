"""Pausing Python's search for reference cycles while a computation makes millions of objects and no cycle."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the search for the block; it walks all living objects again and again, up to a third of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            # Into the oldest generation with what was made meanwhile, in one step; else the very next look at young
            # objects would walk all of it.
            gc.freeze()
            gc.unfreeze()
            gc.enable()
