"""The way to the labelling server and to the project of a dataset there."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from flows.output import remark
from flows.review_state import Project, keep_project, load_project
from groundtruth.errors import ReviewError
from groundtruth.store import Dataset

if TYPE_CHECKING:
    from annotation.client import LabelStudio
    from annotation.server import ServerAddress


@contextlib.contextmanager
def connected(dataset: Dataset, *, move: bool = False) -> Iterator[tuple[LabelStudio, ServerAddress]]:
    """The server that the environment names, or that runs on this machine.

    Args:
        dataset: whose review it is.
        move: let the review go to another server than the one it was sent to.

    Raises:
        ReviewError: there is none, it does not answer or refuses the token, or it is not the one that the review was
            sent to.
    """
    from annotation.client import LabelStudio
    from annotation.server import find_server

    address = find_server()
    project = load_project(dataset)
    if project is not None and _plain(project.url) != _plain(address.url) and not move:
        raise ReviewError(
            f"the review of {dataset.name} was sent to {project.url}, and the server found now is {address.url}: set "
            f"LABEL_STUDIO_URL and LABEL_STUDIO_API_KEY to the first, or send what is open to this one with "
            f"`goldleaf review push {dataset.root} --move`; answers that were not pulled stay on the first"
        )
    with LabelStudio.connect(address.url, address.token) as client:
        if client.notice:
            remark(client.notice)
        yield client, address


def project_for_pushing(dataset: Dataset, url: str) -> Project:
    """The project as it is known; a new marker is kept before anything is made on the server."""
    project = load_project(dataset)
    if project is None:
        project = Project.new(url)
    elif _plain(project.url) != _plain(url):
        # Ids of another server say nothing here.
        project = replace(project, url=url, id=None)
    else:
        return project
    keep_project(dataset, project)
    return project


def was_sent(dataset: Dataset) -> bool:
    """Whether the dataset was ever sent to a review."""
    return load_project(dataset) is not None


def project_for_pulling(dataset: Dataset) -> Project:
    """The project that answers are pulled from.

    Raises:
        ReviewError: nothing was pushed yet.
    """
    project = load_project(dataset)
    if project is None:
        raise ReviewError(
            f"{dataset.name} was not sent to a review yet: run `goldleaf review push {dataset.root}` first"
        )
    return project


def project_page(project: Project) -> str | None:
    """Where people answer; None before the project is made."""
    return None if project.id is None else f"{project.url.rstrip('/')}/projects/{project.id}/data"


def _plain(url: str) -> str:
    return url.rstrip("/").lower()
