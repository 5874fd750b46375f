"""How a review stands and how well people answer: read from the dataset, no server is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from annotation.legibility import Legibility
from annotation.quality import Voted, quality
from flows.decision_status import decisions_json, print_decision_status
from flows.output import console, table
from flows.review_known import known_json
from flows.review_legibility import legibility_json
from flows.review_server import project_page
from flows.review_standing import standings_of
from flows.review_state import ReviewState, load_project, load_state
from flows.status import queue_json
from groundtruth import jsontext
from groundtruth.document import Kind
from groundtruth.jsontext import Json
from groundtruth.store import Dataset
from groundtruth.wording import counted

_MOST_NOTES: Final = 10
_MOST_MISTAKES: Final = 20
_SAID: Final = {"elsewhere": "not on this page", "unreadable": "no value"}


def review_status(dataset: Dataset) -> dict[str, Json]:
    """The record of ``goldleaf review status --json``.

    Raises:
        ReviewError: a file of the review is damaged.
        JsonError: a consensus or a log of decisions is.
    """
    state, project = load_state(dataset), load_project(dataset)
    found = standings_of(dataset)
    # An answer about a re-capture says whether a value is legible, not what the document holds.
    logs = [dataset.decisions(one.id) for one in dataset.documents() if not one.kind.comes_with_truth]
    recaptures = {name: one for name, one in found.situations.items() if found.documents[name].kind is Kind.RECAPTURE}
    votes = {name: Voted(one.schema, one.consensus) for name, one in found.situations.items() if name not in recaptures}
    measured = quality(logs, votes)
    return {
        "name": dataset.name,
        "project": None if project is None else project.id,
        "url": None if project is None else project_page(project),
        "round": state.round,
        "complete": state.complete,
        "pulled_at": state.pulled_at,
        "packets": _packets(state),
        "cards": _cards(state),
        "decisions": {
            **decisions_json(dataset, found.situations),
            "verdicts": dict(sorted(Counter(str(each.verdict) for each in found.decisions).items())),
        },
        "queue": queue_json(found.items),
        "quality": measured.to_json(),
        "known": known_json(dataset, state.choices),
        "legibility": legibility_json(recaptures),
        "notes": list(state.notes),
    }


def print_review_status(status: Mapping[str, Json], dataset: Dataset) -> None:
    """The same for a person."""
    say = console().print
    if status["project"] is None:
        say(f"{status['name']}: not sent to a review yet.", markup=False)
    else:
        pulled = f"answers pulled {status['pulled_at']}" if status["pulled_at"] else "no answers pulled yet"
        say(f"{status['name']}: round {status['round']} at {status['url']}, {pulled}", markup=False, soft_wrap=True)
        if not status["complete"]:
            say("The last push was stopped; the same command completes it.")
        packets = status["packets"]
        say(f"{counted(packets['sent'], 'packet')} on the server, {packets['retired']} taken back")
    cards = status["cards"]
    if cards:
        say(table("", ["cards", "number"], sorted(cards.items()), right=["number"]))
    decisions, queue = status["decisions"], status["queue"]
    print_decision_status(decisions, dataset)
    if decisions["verdicts"]:
        say("verdicts: " + ", ".join(f"{name} {count}" for name, count in decisions["verdicts"].items()))
    say(f"{counted(queue['leaves'], 'leaf is', 'leaves are')} open, about {queue['minutes']} minutes of one person")
    _print_quality(status["quality"])
    _print_known(status["known"])
    _print_legibility(status["legibility"])
    for note in status["notes"][:_MOST_NOTES]:
        say(f"note: {note}", markup=False)
    if len(status["notes"]) > _MOST_NOTES:
        say(f"... and {counted(len(status['notes']) - _MOST_NOTES, 'more note')}; --json lists all")


def _packets(state: ReviewState) -> dict[str, Json]:
    return {"sent": len(state.sent - state.retired), "retired": len(state.retired)}


def _cards(state: ReviewState) -> dict[str, int]:
    """How many cards stood how at the last pull."""
    on_server = state.sent - state.retired
    return dict(sorted(Counter(str(one) for key in on_server for one in state.cards.get(key, {}).values()).items()))


def _print_quality(found: Mapping[str, Json]) -> None:
    say = console().print
    people = [
        (
            name,
            each["answers"],
            each["escalated"],
            _number(each["seconds"]),
            each["rubber_stamps"],
            f"{each['agreed']} of {each['double']}" if each["double"] else "",
        )
        for name, each in found["reviewers"].items()
    ]
    if people:
        heads = ["reviewer", "answers", "handed on", "seconds", "let pass unread", "agrees with others"]
        say(table("People", heads, people, right=heads[1:]))
    fields = [
        (
            field,
            each["decided"],
            f"{each['overturned']} of {each['compared']}",
            _number(each["seconds"]),
            each["double"] or "",
            _share(each["pairwise"]),
            _number(each["alpha"], 2),
        )
        for of_schema in found["fields"].values()
        for field, each in of_schema.items()
    ]
    if fields:
        heads = ["field", "decided", "vote overturned", "seconds", "by two", "agree", "alpha"]
        say(table("Fields", heads, fields, right=heads[1:]))


def _print_known(found: Mapping[str, Json]) -> None:
    """How well people answer what is known, and what they answered wrongly."""
    say = console().print
    people = [
        (
            name,
            each["asked"],
            each["right"],
            each["wrong"],
            each["passed_on"],
            _accuracy(each),
            f"{each['boxes_right']} of {each['boxes']}" if each["boxes"] else "",
        )
        for name, each in found["reviewers"].items()
    ]
    if not people:
        return
    heads = ["reviewer", "asked", "right", "wrong", "passed", "accurate", "boxes"]
    say(table("Known questions", heads, people, right=heads[1:]))
    wrong = [(name, each) for name, person in found["reviewers"].items() for each in person["mistakes"]]
    for name, each in wrong[:_MOST_MISTAKES]:
        what = f"{name}: {each['document']} {each['path']}: {_answer(each)}; right is {_json(each['expected'])}"
        say(f"wrong: {what}", markup=False, soft_wrap=True)
    if len(wrong) > _MOST_MISTAKES:
        say(f"... and {len(wrong) - _MOST_MISTAKES} more; --json lists all")


def _accuracy(person: Mapping[str, Json]) -> str:
    """The accuracy with its interval, in percent."""
    if person["interval"] is None:
        return ""
    low, high = person["interval"]
    return f"{_share(person['accuracy'])} ({100 * low:.0f}-{100 * high:.0f})"


def _print_legibility(found: Mapping[str, Json]) -> None:
    """What people say of values of re-captures that may not be legible."""
    say = console().print
    if found["asked"]:
        words = ", ".join(f"{found[name]} {name}" for name in map(str, Legibility))
        say(f"values of re-captures that may not be legible: {found['asked']}; {words}")
    for document, paths in found["not_legible"].items():
        say(f"not legible: {document}: {', '.join(paths)}", markup=False, soft_wrap=True)


def _answer(mistake: Mapping[str, Json]) -> str:
    words = _SAID.get(mistake["said"], "")
    if mistake["answered"] is None:
        return words or _json(None)
    return f"{_json(mistake['answered'])}{f' ({words})' if words else ''}"


def _json(value: Json) -> str:
    return "absent" if value is None else jsontext.dumps(value)


def _number(value: float | None, digits: int = 1) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"
