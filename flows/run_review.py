"""The review's part of ``goldleaf run``: what people answered comes home, and if wanted, what is open goes to them."""

from __future__ import annotations

from dataclasses import dataclass

from flows.output import console, remark
from flows.review_pull import PullSummary, pull
from flows.review_push import PushSummary, push
from flows.review_server import was_sent
from flows.review_state import Choices, choices_of
from groundtruth.errors import ReviewError
from groundtruth.jsontext import Json
from groundtruth.store import Dataset
from groundtruth.wording import counted


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What a run did about the review.

    Attributes:
        pulled: what came home; None when the dataset was never sent, or its server is not to be had.
        pushed: what was sent; None when nothing was to be.
        unreached: why nothing came home although something was sent once; "" otherwise.
    """

    pulled: PullSummary | None = None
    pushed: PushSummary | None = None
    unreached: str = ""

    def to_json(self) -> dict[str, Json]:
        """The record in the command's ``--json``."""
        return {
            "pulled": None if self.pulled is None else self.pulled.to_json(),
            "pushed": None if self.pushed is None else self.pushed.to_json(),
            "unreached": self.unreached,
        }

    def print(self) -> None:
        """The same for a person."""
        if self.unreached:
            remark(f"answers of the review were not pulled: {self.unreached}")
        if self.pulled is not None:
            console().print(f"Review: {counted(self.pulled.decisions, 'new decision')}")
        if self.pushed is not None:
            console().print(
                f"Review: {counted(self.pushed.sent, 'packet')} sent to {self.pushed.url}", markup=False, soft_wrap=True
            )


def choices_for_run(dataset: Dataset, review: str) -> Choices:
    """How much a run sends to people; that there is a server is found out before any work is done.

    Raises:
        ReviewError: no server is known, or ``review`` is no way to review.
    """
    from annotation.server import find_server

    find_server()
    return choices_of(dataset, review=review)


def review_dataset(dataset: Dataset, choices: Choices | None, *, quiet: bool) -> Reviewed:
    """Pull, and push if ``choices`` say how.

    A server that is not to be had ends no run that only wants to pull: what people answered is still there tomorrow.

    Raises:
        ReviewError: something is to be sent, and cannot be.
    """
    pulled, unreached = None, ""
    if was_sent(dataset):
        try:
            pulled = pull(dataset, quiet=quiet)
        except ReviewError as error:
            if choices is not None:
                raise
            unreached = str(error)
    return Reviewed(pulled, None if choices is None else push(dataset, choices, quiet=quiet), unreached)
