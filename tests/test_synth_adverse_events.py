"""The listing of a study: counts reconcile, and what is printed once proves every event that inherits it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from groundtruth.errors import SynthesisError
from synth.display import DisplayList
from synth.evidence import Entry, entries_of
from synth.invention import Invention
from synth.making import Asked, invented
from synth.pattern import draw, load_pattern
from synth.printed import clinical_date
from synth.totals import wrong_totals

PATTERN = load_pattern("adverse-events")
ROWS = 120


@cache
def listing(difficulty: str = "clean") -> tuple[dict[str, Any], DisplayList]:
    content = invented(Asked(PATTERN, PATTERN.difficulty(difficulty), 4), ROWS)
    return content.value, draw(content)


@cache
def places_of(difficulty: str = "clean") -> dict[str, list[Entry]]:
    return entries_of(listing(difficulty)[1])


def lines(places: dict[str, list[Entry]], leaf: str) -> set[str | None]:
    """What is printed for a leaf."""
    return {entry.quote for entry in places[leaf]}


def texts(drawn: DisplayList) -> list[str]:
    return [run.text for _, run in drawn.runs()]


def test_events_stand_in_the_order_of_groups_subjects_and_days() -> None:
    events = listing()[0]["events"]
    assert len(events) == ROWS
    arms = list(dict.fromkeys(event["treatment_arm"] for event in events))
    order = [(arms.index(event["treatment_arm"]), event["subject_id"], event["start_date"]) for event in events]
    assert order == sorted(order)
    assert len({event["event_id"] for event in events}) == ROWS


def test_what_is_not_fully_known_has_no_day() -> None:
    events = listing()[0]["events"]
    partial = [event for event in events if len(event["start_date"]) < 10]
    ongoing = [event for event in events if event["stop_date"] is None]
    assert partial
    assert ongoing
    assert all(event["start_day"] is None for event in partial)
    assert all(event["stop_day"] is None for event in ongoing)
    assert all(event["start_day"] != 0 for event in events)


@pytest.mark.parametrize(
    ("iso", "text"),
    [("2024-06-03", "03JUN2024"), ("2024-06", "--JUN2024"), ("2024", "2024")],
    ids=["day", "month", "year"],
)
def test_dates_are_printed_as_far_as_they_are_known(iso: str, text: str) -> None:
    assert clinical_date(iso) == text


@pytest.mark.parametrize("text", ["3 Feb 24", "2024-13", "2024-02-31", "20240203", "2024-W05-1", "24"])
def test_a_date_of_ones_own_in_another_form_is_refused(text: str) -> None:
    (event,) = invented(Asked(PATTERN), 1).value["events"]
    with pytest.raises(SynthesisError, match=r"events\[0\].stop_date: .* is no date; write 2024-03-09"):
        PATTERN.compose([{**event, "stop_date": text}], Invention(1), frozenset())


@pytest.mark.parametrize("difficulty", ["clean", "hard"])
def test_counts_reconcile(difficulty: str) -> None:
    value, _ = listing(difficulty)
    assert wrong_totals(PATTERN, value) == []
    value = {**value, "treatment_groups": [{**value["treatment_groups"][0], "subject_count": 999}]}
    assert any("subject_count: says 999" in fault for fault in wrong_totals(PATTERN, value))


def test_a_subject_is_printed_once_a_page_and_proves_its_events() -> None:
    value, drawn = listing()
    events = value["events"]
    places = places_of()
    for number, event in enumerate(events):
        assert lines(places, f"events[{number}].subject_id") == {event["subject_id"]}
        pages = {entry.page for entry in places[f"events[{number}].subject_id"]}
        assert pages == {places[f"events[{number}].event_id"][0].page}
    assert "(cont.)" in texts(drawn)
    assert any(text == " (continued)" for text in texts(drawn))


def test_keys_can_stand_once_on_an_earlier_page() -> None:
    value, drawn = listing("keys-once=on")
    places = places_of("keys-once=on")
    assert "(cont.)" not in texts(drawn)
    earlier = [
        number
        for number in range(len(value["events"]))
        if places[f"events[{number}].subject_id"][0].page < places[f"events[{number}].event_id"][0].page
    ]
    assert earlier
    printed = [run.text for _, run in drawn.runs() if (run.leaf or "").endswith(".subject_id")]
    assert len(printed) == len(set(printed))


def test_a_treatment_group_is_proved_by_its_heading() -> None:
    value, drawn = listing()
    assert lines(places_of(), "events[0].treatment_arm") == {value["events"][0]["treatment_arm"]}
    assert not [run for _, run in drawn.runs() if (run.leaf or "").startswith("events[0].treatment_arm")]


def test_serious_events_can_stand_side_by_side() -> None:
    value, _ = listing("pivoted=on")
    serious = [number for number, event in enumerate(value["events"]) if event["serious"]]
    assert serious == list(range(ROWS - len(serious), ROWS))
    assert len(serious) > 1
    places = places_of("pivoted=on")
    first, second = (places[f"events[{number}].severity"][0] for number in serious[:2])
    assert first.bbox[0] < second.bbox[0]
    assert first.bbox[1] == second.bbox[1]
    assert first.quote in {"MILD", "MODERATE", "SEVERE"}


def test_ditto_marks_repeat_the_class_of_the_same_subject_and_page() -> None:
    value, drawn = listing("ditto=on")
    places = places_of("ditto=on")
    dittos = [(leaf, above) for leaf, above in drawn.same.items() if leaf.endswith(".body_system")]
    assert dittos
    for leaf, above in dittos:
        number = int(leaf.partition("[")[2].partition("]")[0])
        assert places[above][0].page == places[leaf][0].page
        assert '"' in lines(places, leaf)
        assert any(value["events"][number]["body_system"].startswith(str(line)) for line in lines(places, leaf))


def test_terms_can_stand_under_one_another() -> None:
    places = places_of("stacked-terms=on")
    tops = [places[f"events[0].{key}"][0].bbox for key in ("body_system", "preferred_term", "verbatim_term")]
    assert len({box[0] for box in tops}) == 1
    assert tops[0][1] < tops[1][1] < tops[2][1]


@pytest.mark.parametrize(
    ("difficulty", "text"),
    [
        ("two-tier-header=on", "Assessment"),
        ("subject-totals=on", "Events in subject"),
        ("notes=on", "Comment: "),
        ("notes=on", "NO ADVERSE EVENTS"),
        ("null-marks=on", "ONGOING"),
        ("row-like-text=on", "RESOLVED"),
    ],
)
def test_a_switch_prints_something_more(difficulty: str, text: str) -> None:
    _, drawn = listing(difficulty)
    found = [run for _, run in drawn.runs() if text in run.text]
    assert found
    assert text == "RESOLVED" or {run.leaf for run in found} == {None}
    assert not any(text in printed for printed in texts(listing()[1]))


def test_struck_lines_are_no_events() -> None:
    value, drawn = listing("voids=on")
    known = {event["event_id"] for event in value["events"]}
    struck = [run for _, run in drawn.runs() if run.leaf is None and run.text[0] == "E" and run.text[1:].isdigit()]
    assert struck
    assert not known & {run.text for run in struck}


def test_a_header_can_stand_once() -> None:
    assert texts(listing("header-once=on")[1]).count("Subject") == 1
    assert texts(listing()[1]).count("Subject") > 3


@pytest.mark.e2e
def test_the_listing_is_as_long_as_the_one_it_is_modelled_on() -> None:
    assert len(draw(invented(Asked(PATTERN), PATTERN.rows)).sheets) == 163
