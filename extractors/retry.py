"""Which failures are tried again within one run, how often and after what pause: one table.

Only what an extractor itself reports is tried again. What its caller ended (a crash, a page or a document over its
limit) would most likely end the same way, and the next run tries it anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from groundtruth.ballot import Failure


class Retry(NamedTuple):
    """How one kind of failure is tried again.

    Attributes:
        times: how often at most.
        pause: seconds before the first time; each further pause is twice as long.
        sampling_only: only for extractors that may answer otherwise when they are asked again.
    """

    times: int
    pause: float = 0.0
    sampling_only: bool = False


Retries = Mapping[Failure, Retry]

RETRIES: Final[Retries] = {
    Failure.TRANSIENT: Retry(times=4, pause=1.0),
    Failure.RATE_LIMITED: Retry(times=6, pause=2.0),
    Failure.TIMEOUT: Retry(times=1),
    Failure.INVALID_JSON: Retry(times=1, sampling_only=True),
}
"""Failures that are not here are final."""


def pause_before_retry(retries: Retries, failure: Failure | None, tried: int, *, samples: bool) -> float | None:
    """Seconds to wait before trying again after a failure that was tried again ``tried`` times; None: it is final."""
    rule = None if failure is None else retries.get(failure)
    if rule is None or tried >= rule.times or (rule.sampling_only and not samples):
        return None
    return rule.pause * (1 << tried)
