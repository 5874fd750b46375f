"""The project of a dataset on the server: made once, found again, and put right where somebody changed it.

Server ids are given again after a deletion, so that a project is known by a marker in its description, and its id only
says where to look first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from annotation.client import LabelStudio
from groundtruth.errors import ReviewError
from groundtruth.jsontext import Json

UNANSWERED: Final = "Unanswered"
REREVIEW: Final = "Re-review"

_SETTINGS: Final[Mapping[str, Json]] = {
    "show_collab_predictions": True,
    "enable_empty_annotation": False,
    "show_skip_button": True,
}
"""How we need it: proposals are shown, an answer is asked for, and a person may skip."""
_HIDDEN: Final = (
    # What tasks hold for the screen is no reading for a list.
    *(f"data.{name}" for name in ("boxes", "cards", "images", "packet_key")),
    "inner_id",
    "total_predictions",
    "annotations_results",
    "annotations_ids",
    "predictions_score",
    "predictions_model_versions",
    "predictions_results",
    "file_upload",
    "storage_filename",
    "created_at",
    "updated_at",
    "updated_by",
    "avg_lead_time",
    "draft_exists",
)


@dataclass(frozen=True, slots=True)
class ProjectState:
    """A project that is ready.

    Attributes:
        id: the server's.
        created: whether it was made just now.
        repaired: what somebody had changed and was put back, for people.
    """

    id: int
    created: bool
    repaired: tuple[str, ...] = ()


def ensure_project(
    client: LabelStudio,
    *,
    name: str,
    marker: str,
    known: int | None,
    config: str,
    rounds: Sequence[int],
    types: Sequence[str],
    overlap: int = 1,
) -> ProjectState:
    """Find or make the project of a dataset, with our configuration, settings and tabs.

    Args:
        client: the server.
        name: the dataset's, for the title.
        marker: what tells this project from all others; it stands in the description.
        known: its id when it was seen last.
        config: the labelling configuration.
        rounds: a tab for each.
        types: a tab for each type of document.
        overlap: how many people answer each task.

    Raises:
        ReviewError: the server is not reached or refuses, such as a configuration that the answers which are there
            do not fit.
    """
    found = _find(client, marker, known)
    if found is None:
        made = client.create_project(title=name, config=config, description=_description(name, marker))
        if overlap != 1:
            client.set_overlap(made, overlap)
        _put_tabs(client, made, _tabs(rounds, types))
        return ProjectState(made, created=True)
    project = client.project(found)
    repaired = [
        *_repair_config(client, project, config),
        *_repair_settings(client, project, _SETTINGS),
        *_put_tabs(client, found, _tabs(rounds, types), new=_round_title(max(rounds, default=0))),
    ]
    if project.get("maximum_annotations") != overlap:
        client.set_overlap(found, overlap)
    return ProjectState(found, created=False, repaired=tuple(repaired))


def find_project(client: LabelStudio, *, marker: str, known: int | None) -> int:
    """The project of a dataset as it is; nothing is put right.

    Raises:
        ReviewError: it is gone, or this user may not see it.
    """
    found = _find(client, marker, known)
    if found is None:
        raise ReviewError(
            f"{client.url}: the project marked {marker} is gone, or this user may not see it. What was pulled is kept; "
            "`goldleaf review push` makes the project anew, with what is still open"
        )
    return found


def _find(client: LabelStudio, marker: str, known: int | None) -> int | None:
    # A project with our id and without our marker may be anybody's, since ids come again.
    marked = client.projects_described(marker)
    if known in marked:
        return known
    return marked[0] if marked else None


def _description(name: str, marker: str) -> str:
    return f"Review of the Goldleaf dataset {name}. Leave this mark in place, the project is found by it: {marker}"


def _repair_config(client: LabelStudio, project: Mapping[str, Json], config: str) -> list[str]:
    # The server strips what stands around it.
    if str(project.get("label_config", "")).strip() == config.strip():
        return []
    try:
        client.update_config(project["id"], config)
    except ReviewError as error:
        raise ReviewError(
            f"{error}. Somebody changed the labelling configuration of project {project['id']}, or answers were given "
            "under an older one. Pull the answers first (`goldleaf review pull`); then take the mark out of the "
            "project's description, and the next push makes a new project"
        ) from None
    return ["the labelling configuration, which was another one"]


def _repair_settings(client: LabelStudio, project: Mapping[str, Json], settings: Mapping[str, Json]) -> list[str]:
    changed = {name: value for name, value in settings.items() if project.get(name) != value}
    if changed:
        client.change_project(project["id"], "put its settings back", **changed)
    return [f"the setting {name}, which was {project.get(name)!r}" for name in changed]


def _tabs(rounds: Sequence[int], types: Sequence[str]) -> dict[str, list[Json]]:
    """The filters of our tabs by title; what people should open first comes first."""
    return {
        # Complete is a task that as many people answered as should; a skip is no answer.
        UNANSWERED: [_filter("completed_at", "empty", "Datetime", value=True)],
        REREVIEW: [_filter("data.rereview", "equal", "Boolean", value=True)],
        **{_round_title(number): [_filter("data.round", "equal", "Number", value=number)] for number in rounds},
        **{f"Type: {kind}": [_filter("data.type", "equal", "String", value=kind)] for kind in types},
    }


def _round_title(number: int) -> str:
    return f"Round {number}"


def _filter(column: str, operator: str, kind: str, *, value: Json) -> dict[str, Json]:
    return {"filter": f"filter:tasks:{column}", "operator": operator, "type": kind, "value": value}


def _put_tabs(
    client: LabelStudio, project: int, wanted: Mapping[str, list[Json]], *, new: str | None = None
) -> list[str]:
    """Make the tabs that are not there, and set the filters of those that are; other tabs are other people's.

    Returns what was put back; a tab of the title ``new``, or of a type, may have been wanted never before.
    """
    known = {tab["data"].get("title"): tab for tab in client.tabs(project) if isinstance(tab.get("data"), dict)}
    repaired = []
    for title, items in wanted.items():
        filters = {"conjunction": "and", "items": items}
        tab = known.get(title)
        if tab is None:
            client.put_tab(project, {"title": title, "type": "list", "filters": filters, "hiddenColumns": _hidden()})
            if title != new and not title.startswith("Type: "):
                repaired.append(f"the tab {title!r}, which was gone")
        elif _plain(tab["data"].get("filters")) != _plain(filters):
            client.put_tab(project, {**tab["data"], "filters": filters}, known=tab["id"])
            repaired.append(f"the filter of the tab {title!r}, which was changed")
    return repaired


def _hidden() -> dict[str, Json]:
    columns = [f"tasks:{name}" for name in _HIDDEN]
    return {"explore": columns, "labeling": columns}


def _plain(filters: Json) -> Json:
    """The filters without what the server adds: ids, and explicit nulls."""
    if isinstance(filters, dict):
        return {key: _plain(value) for key, value in filters.items() if key != "id" and value is not None}
    return [_plain(value) for value in filters] if isinstance(filters, list) else filters
