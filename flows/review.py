"""The flow ``review``: bring home what people answered, send what is open now, and resolve.

Deploy it by dotted path, ``flows.review.review``; its parameters are JSON. What it does lives in ``review_pull``,
``review_push`` and ``resolve_step``, which know nothing of Prefect.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.states import Failed

from flows.artifacts import publish
from flows.extraction import dataset_at
from flows.resolve_step import resolve_dataset
from flows.review_pull import pull
from flows.review_push import push
from flows.review_server import was_sent
from flows.review_state import choices_of
from groundtruth.jsontext import Json
from groundtruth.wording import counted


@task(name="pull answers", cache_policy=NO_CACHE, persist_result=False)
def pull_answers(dataset: str) -> dict[str, Json]:
    """What ``review_pull.pull`` did, as JSON."""
    return pull(dataset_at(dataset), quiet=True).to_json()


@task(name="push questions", cache_policy=NO_CACHE, persist_result=False)
def push_questions(dataset: str, chosen: dict[str, Json]) -> dict[str, Json]:
    """What ``review_push.push`` did, as JSON."""
    found = dataset_at(dataset)
    origin = chosen.pop("known_from", None)
    choices = choices_of(found, **chosen, known_from=None if origin is None else Path(origin))
    return push(found, choices, quiet=True).to_json()


@task(name="resolve", cache_policy=NO_CACHE, persist_result=False)
def resolve_truth(dataset: str) -> dict[str, Json]:
    """What ``resolve_step.resolve_dataset`` did, as JSON."""
    return resolve_dataset(dataset_at(dataset)).to_json()


@flow(name="review", persist_result=False)
def review(
    dataset: str,
    review: str | None = None,
    budget: int | None = None,
    double: bool | None = None,
    show_votes: bool | None = None,
    known: str | None = None,
    known_from: str | None = None,
) -> Any:
    """Pull, push and resolve one dataset folder.

    Args:
        dataset: the folder.
        review: how much is asked: flagged, contested or all; as last time by default.
        budget: how many leaves wait for people at most; 0 lifts the limit.
        double: whether two people answer every packet.
        show_votes: whether people see who read what.
        known: at what rate questions whose answers are known are mixed in, such as 2%.
        known_from: the folder of the dataset that they come from; by default the dataset itself.

    Returns:
        The summaries as JSON. With a finding, the run's state is Failed and holds them.
    """
    chosen: dict[str, Json] = {
        "review": review,
        "budget": budget,
        "double": double,
        "show_votes": show_votes,
        "known": known,
        "known_from": known_from,
    }
    done: dict[str, Json] = {}
    if was_sent(dataset_at(dataset)):
        done["pulled"] = pull_answers(dataset)
    done["pushed"] = push_questions(dataset, chosen)
    done["resolved"] = resolve_truth(dataset)
    publish(dataset_at(dataset))
    problems = done.get("pulled", {}).get("problems", [])
    if problems:
        return Failed(message=f"{counted(len(problems), 'finding')}: {problems[0]}", data=done)
    return done
