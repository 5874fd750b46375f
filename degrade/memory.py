"""Memory that was freed is kept for the next page."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
_MOST: Final = 1 << 30


def keep_freed_memory() -> None:
    """Let this process reuse the memory of the last page (with glibc; elsewhere nothing happens).

    By default every large array gets fresh memory from the system and gives it back, and to map its pages in takes
    longer than most effects do. What is kept is no more than was in use at once.
    """
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _MOST)
        library.mallopt(_TRIM_THRESHOLD, _MOST)
