"""How long one page may take, and whether the page that is being read has taken longer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Final, NamedTuple

_LOOK_SECONDS: Final = 1.0
"""A page that takes less costs no look at the processes."""
_WALL_PER_CPU: Final = 10.0
_MOST_OF_THE_TIME: Final = 0.5


class PageLimits(NamedTuple):
    """What one page may take.

    Processor time is what counts, since a busy machine must not decide which pages are read; the clock, a looser
    bound, is for a page that waits for what never comes.

    Attributes:
        cpu_seconds: of the worker and all that it started.
        wall_seconds: on the clock.
    """

    cpu_seconds: float
    wall_seconds: float

    @classmethod
    def of(cls, cpu_seconds: float, document_seconds: float) -> PageLimits:
        """Ten times as long on the clock as on the processor, but not more than half of what the document may take."""
        return cls(cpu_seconds, min(_WALL_PER_CPU * cpu_seconds, _MOST_OF_THE_TIME * document_seconds))


class PageWatch:
    """Watches over the page that is being read; between pages over none.

    Attributes:
        page: the number of the page that is being read, None when there is none.
        count: how many pages the document has, 0 while nobody said it.
    """

    def __init__(
        self,
        limits: PageLimits,
        cpu_seconds: Callable[[], float | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.page: int | None = None
        self.count = 0
        self._limits = limits
        self._cpu_seconds = cpu_seconds
        self._clock = clock
        self._since = 0.0
        self._cpu_before: float | None = None

    def began(self, page: int, count: int) -> None:
        """The reading of a page begins, and that of the one before is over."""
        self.page, self.count = page, count
        self._since = self._clock()
        self._cpu_before = None

    def finished(self) -> None:
        """The last page is read."""
        self.page = None

    def seconds_to_look(self) -> float:
        """After how long ``overrun`` should be asked again; infinite while no page is read."""
        return math.inf if self.page is None else _LOOK_SECONDS

    def overrun(self) -> str | None:
        """Which limit the page is over, in words; None while it is within them."""
        if self.page is None or self._clock() - self._since < _LOOK_SECONDS:
            return None
        if self._clock() - self._since > self._limits.wall_seconds:
            return f"not read within {self._limits.wall_seconds:g} s"
        used = self._cpu_seconds()
        # The first look comes a second after the beginning, so a page is given that second.
        if used is None or self._cpu_before is None:
            self._cpu_before = used
            return None
        if used - self._cpu_before > self._limits.cpu_seconds:
            return f"not read within {self._limits.cpu_seconds:g} s of processor time"
        return None
