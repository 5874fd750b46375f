"""A clinical study's listing of adverse events: a row an event, by treatment group and subject, on landscape pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Any, Final

from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from synth.invention import Invention
from synth.pattern import HEADER_SWITCHES, HEADER_TAGS, Composed, Pattern, Record, Sum, Switches
from synth.patterns._safety_listing import draw
from synth.patterns._safety_terms import COMMENTS, TERMS, Term
from synth.printed import clinical_date

_DRUGS: Final = ("Velcatinib", "Orsenumab", "Tarmogliptin", "Lunoprazan", "Ebrivastat")
_DOSES: Final = (("5 mg QD", "10 mg QD"), ("50 mg BID", "100 mg BID"), ("140 mg Q4W", "420 mg Q4W"))
_SEVERITIES: Final = ("MILD", "MODERATE", "SEVERE")
_FATAL: Final = frozenset({"ACUTE KIDNEY INJURY", "COVID-19", "PNEUMONIA"})
_SERIOUS_SHARE: Final = {"MILD": 0.01, "MODERATE": 0.06, "SEVERE": 0.45}
_RELATIONS: Final = ("NOT RELATED", "UNLIKELY", "POSSIBLE", "PROBABLE", "RELATED")
_ACTIONS: Final = ("DOSE NOT CHANGED", "DRUG INTERRUPTED", "DOSE REDUCED", "DRUG WITHDRAWN", "NOT APPLICABLE")

_ISO: Final = re.compile(r"\d{4}(-\d\d(-\d\d)?)?", re.ASCII)


def _text(says: str) -> dict[str, Json]:
    return {"type": "string", "description": says}


def _study_day(says: str) -> dict[str, Json]:
    return {"type": ["integer", "null"], "description": f"{says}; null where the date is not fully known."}


_EVENT_FIELDS: Final[dict[str, Json]] = {
    "event_id": _text('Under "Event Ref.".'),
    "treatment_arm": _text('After "Treatment Group:", over the events of the group.'),
    "site_id": _text('Under "Site"; printed once for a subject.'),
    "subject_id": _text('Under "Subject"; printed once, and every event of the subject has it.'),
    "body_system": _text('The "System Organ Class"; ditto marks repeat the one above.'),
    "preferred_term": _text('The "Preferred Term".'),
    "verbatim_term": _text('The "Reported Term".'),
    "start_date": _text('The "Start Date" as far as it is known: 2024-03-09, 2024-03 or 2024.'),
    "start_day": _study_day("The study day beside the start date"),
    "stop_date": {
        "type": ["string", "null"],
        "description": 'The "Stop Date" as far as it is known; null while the event is ongoing.',
    },
    "stop_day": _study_day("The study day beside the stop date"),
    "severity": {"type": "string", "enum": list(_SEVERITIES), "description": 'Under "Severity".'},
    "serious": {"type": "boolean", "description": 'Under "Ser.": Y or N.'},
    "relationship": _text('Under "Rel. to Drug".'),
    "action_taken": {"type": ["string", "null"], "description": 'Under "Action Taken".'},
    "outcome": _text('Under "Outcome".'),
}
_SCHEMA: Final[dict[str, Json]] = {
    "type": "object",
    "properties": {
        "sponsor": _text("Whose study it is, at the top left."),
        "protocol": _text('After "Protocol:".'),
        "listing_number": _text('After "Listing".'),
        "data_cutoff": {"type": "string", "format": "date", "description": 'After "Data cut-off:".'},
        "event_count": {"type": "integer", "description": 'Of "All groups", without lines that are struck out.'},
        "treatment_groups": {
            "type": "array",
            "description": "The table at the end of the listing.",
            "items": {
                "type": "object",
                "properties": {
                    "treatment_arm": _text('Under "Treatment Group".'),
                    "subject_count": {"type": "integer", "description": 'Under "Subjects with Events".'},
                    "event_count": {"type": "integer", "description": 'Under "Events".'},
                },
            },
        },
        "events": {
            "type": "array",
            "description": "Every adverse event in the order of the listing. Comments, counts, subjects without events "
            "and lines that are struck out are none.",
            "items": {"type": "object", "properties": _EVENT_FIELDS},
        },
    },
}
_UNKNOWN: Final = {"null_tokens": ["-", "N/A"]}
_RULES: Final[dict[str, Json]] = {
    "fields": {
        "protocol": {"comparator": "identifier"},
        "listing_number": {"comparator": "identifier"},
        "events[].event_id": {"comparator": "identifier"},
        "events[].site_id": {"comparator": "identifier"},
        "events[].subject_id": {"comparator": "identifier"},
        "events[].start_date": {"comparator": "date"},
        "events[].start_day": _UNKNOWN,
        "events[].stop_date": {"comparator": "date", "null_tokens": ["-", "N/A", "ONGOING"]},
        "events[].stop_day": _UNKNOWN,
        "events[].action_taken": {"null_tokens": ["-", "N/A"]},
    },
    "identity": {"events": ["event_id"], "treatment_groups": ["treatment_arm"]},
}


def invent(invention: Invention, rows: int, on: Switches) -> list[Record]:
    """Events in the order of treatment groups, sites, subjects and days."""
    drug, doses = invention.choice(*_DRUGS), invention.pick(_DOSES)
    arms = ("Placebo", *(f"{drug} {dose}" for dose in doses))
    new_site = invention.distinct(lambda: invention.code("1###"))
    sites = [new_site() for _ in range(min(60, rows // 30 + 2))]
    new_id = invention.distinct(lambda: invention.code("E#######"))
    first_day = date(invention.integer(2019, 2023), invention.integer(1, 12), 1)
    enrolled: Counter[str] = Counter()
    subjects: list[list[Record]] = []
    count = 0
    while count < rows:
        site = invention.pick(sites)
        enrolled[site] += invention.pick((1, 2, 3), (70, 25, 5))
        subject: Record = {
            "treatment_arm": invention.pick(arms),
            "site_id": site,
            "subject_id": f"{site}-{enrolled[site]:04}",
        }
        first_dose = first_day + timedelta(days=invention.integer(0, 420))
        events = _events(invention, min(1 + int(invention.skewed(0, 12, 2)), rows - count), first_dose, on)
        subjects.append([{"event_id": new_id(), **subject, **event} for event in events])
        count += len(events)
    subjects.sort(key=lambda events: (arms.index(events[0]["treatment_arm"]), events[0]["subject_id"]))
    return [event for events in subjects for event in events]


def _events(invention: Invention, count: int, first_dose: date, on: Switches) -> list[Record]:
    """The events of a subject in the order of their days."""
    terms = invention.random.choices(TERMS, [term.share for term in TERMS], k=count)
    events: list[Record] = []
    for at, term in enumerate(terms):
        again = "near-duplicates" in on and at > 0 and invention.chance(0.25)
        events.append(_again(invention, events[-1]) if again else _event(invention, term, first_dose, on))
    return sorted(events, key=lambda event: (str(event["start_date"]), str(event["preferred_term"])))


def _event(invention: Invention, term: Term, first_dose: date, on: Switches) -> Record:
    start = first_dose + timedelta(days=int(invention.skewed(-6, 330, 2)))
    stop = start + timedelta(days=int(invention.skewed(0, 120, 4)))
    is_over = invention.chance(0.84)
    severity = invention.pick(_SEVERITIES, (62, 31, 7))
    is_fatal = severity == "SEVERE" and is_over and term.preferred in _FATAL and invention.chance(0.4)
    start_date, start_day = _known(invention, start, first_dose)
    stop_date, stop_day = _known(invention, stop, first_dose) if is_over else (None, None)
    reported = invention.choice(*term.reported)
    if "row-like-text" in on and invention.chance(0.12):
        reported += f" {clinical_date(start.isoformat())} {invention.choice(*_SEVERITIES)} RESOLVED"
    return {
        "body_system": term.organ_class,
        "preferred_term": term.preferred,
        "verbatim_term": reported,
        "start_date": start_date,
        "start_day": start_day,
        "stop_date": stop_date,
        "stop_day": stop_day,
        "severity": severity,
        "serious": is_fatal or invention.chance(_SERIOUS_SHARE[severity]),
        "relationship": invention.pick(_RELATIONS, (46, 20, 18, 9, 7)),
        "action_taken": invention.pick(_ACTIONS, (78, 9, 4, 3, 6)) if invention.chance(0.97) else None,
        "outcome": "FATAL" if is_fatal else _outcome(invention, is_over=is_over),
    }


def _outcome(invention: Invention, *, is_over: bool) -> str:
    if is_over:
        return "RECOVERED WITH SEQUELAE" if invention.chance(0.04) else "RECOVERED"
    return str(invention.pick(("NOT RECOVERED", "RECOVERING", "UNKNOWN"), (70, 22, 8)))


def _again(invention: Invention, event: Record) -> Record:
    """The same event once more where it stopped, with another severity."""
    severity = invention.choice(*(one for one in _SEVERITIES if one != event["severity"]))
    begins = {"start_date": event["stop_date"], "start_day": event["stop_day"]} if event["stop_date"] else {}
    return {**event, **begins, "severity": severity}


def _known(invention: Invention, day: date, first_dose: date) -> tuple[str, int | None]:
    """A date as far as it is known, and the day of the study; there is no day 0."""
    if invention.chance(0.03):
        return day.isoformat()[: 4 if invention.chance(0.15) else 7], None
    since = (day - first_dose).days
    return day.isoformat(), since + (since >= 0)


def compose(records: Sequence[Record], invention: Invention, on: Switches) -> Composed:
    """The listing with its head and its counts; with ``pivoted`` serious events come after all others."""
    _require_dates(records)
    arms = list(dict.fromkeys(record["treatment_arm"] for record in records))
    events = sorted(
        records, key=lambda record: ("pivoted" in on and record["serious"], arms.index(record["treatment_arm"]))
    )
    cutoff = date(int(max(str(record["start_date"]) for record in records)[:4]) + 1, invention.integer(1, 12), 15)
    value: dict[str, Json] = {
        "sponsor": f"{invention.last_name()} {invention.choice('Therapeutics', 'Pharma', 'Biosciences')}, Inc.",
        "protocol": invention.code("???-###-30#"),
        "listing_number": f"16.2.7.{invention.integer(1, 3)}",
        "data_cutoff": cutoff.isoformat(),
        "event_count": len(events),
        "treatment_groups": [
            {
                "treatment_arm": arm,
                "subject_count": len({event["subject_id"] for event in events if event["treatment_arm"] == arm}),
                "event_count": sum(event["treatment_arm"] == arm for event in events),
            }
            for arm in arms
        ],
        "events": events,
    }
    aside: dict[str, Json] = {"run": f"{cutoff + timedelta(days=40)}", "at": invention.code("1#:3#")}
    listed = [event for event in events if not ("pivoted" in on and event["serious"])]
    aside["voids"] = _voids(listed, invention) if "voids" in on else []
    aside["notes"] = _notes(listed, invention) if "notes" in on else []
    aside["silent"] = _silent(listed, invention) if "notes" in on else []
    return Composed(value, aside)


def _require_dates(records: Sequence[Record]) -> None:
    """Refuse a date in another form than the schema says, in somebody's own records."""
    for at, record in enumerate(records):
        for name in ("start_date", "stop_date"):
            text = record[name]
            if text is not None and not _is_date(text):
                raise SynthesisError(f"events[{at}].{name}: {text!r} is no date; write 2024-03-09, 2024-03 or 2024")


def _is_date(text: str) -> bool:
    if not _ISO.fullmatch(text):
        return False
    try:
        date.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError:
        return False
    return True


def _voids(events: Sequence[Record], invention: Invention) -> list[Json]:
    """Events that were entered in error and are struck out, each with the number of the row that it precedes."""
    voids: list[Json] = []
    for at, event in enumerate(events):
        # The line would cover a dash: before a month that stands alone, or before a day that is less than 1.
        is_plain = all(event[name] is not None and event[name] > 0 for name in ("start_day", "stop_day"))
        if is_plain and invention.chance(0.03):
            voids.append({"before": at, "record": {**event, "event_id": invention.code("E9######")}})
    return voids


def _notes(events: Sequence[Record], invention: Invention) -> list[Json]:
    """Comments on events, each with the number of the row that it follows."""
    return [{"after": at, "text": invention.choice(*COMMENTS)} for at in range(len(events)) if invention.chance(0.04)]


def _silent(events: Sequence[Record], invention: Invention) -> list[Json]:
    """Subjects without an event, each with the number of the row that it precedes."""
    taken = {event["subject_id"] for event in events}
    silent: list[Json] = []
    for at, (before, event) in enumerate(pairwise(events), start=1):
        site, _, number = str(event["subject_id"]).rpartition("-")
        if event["subject_id"] == before["subject_id"] or not number.isdecimal() or not invention.chance(0.2):
            continue
        subject_id = f"{site}-{int(number) - 1:04}"
        if subject_id not in taken and int(number) > 1:
            silent.append({"before": at, "site_id": event["site_id"], "subject_id": subject_id})
    return silent


def check(value: dict[str, Any]) -> Iterator[str]:
    """Counts of a treatment group that are not those of its events."""
    subjects: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    for event in value["events"]:
        subjects.setdefault(event["treatment_arm"], set()).add(event["subject_id"])
        counts[event["treatment_arm"]] += 1
    for at, group in enumerate(value["treatment_groups"]):
        arm = group["treatment_arm"]
        for name, count in (("event_count", counts[arm]), ("subject_count", len(subjects.get(arm, ())))):
            if group[name] != count:
                yield f"treatment_groups[{at}].{name}: says {group[name]}, and {arm} has {count}"


PATTERN: Final = Pattern(
    name="adverse-events",
    about="a clinical study's listing of adverse events: a row an event, a subject printed once",
    type="clinical data listing",
    domain="healthcare",
    records="events",
    rows=3_385,
    most_rows=40_000,
    font="mono",
    schema=_SCHEMA,
    rules=_RULES,
    switches={
        "keys-once": "treatment group and subject stand once and do not come again on later pages",
        **HEADER_SWITCHES,
        "stacked-terms": "class, preferred term and reported term under one another in a column",
        "pivoted": "serious events at the end, field names down the left, four events side by side",
        "ditto": "a class that is the one above is printed as ditto marks",
        "subject-totals": "a count after the events of each subject",
        "notes": "comments under events, and subjects without events, which are no rows",
        "voids": "lines that are struck out and are no rows",
        "near-duplicates": "the same event again, with another severity",
        "null-marks": "what is not given is blank, a dash or words",
        "row-like-text": "reported terms with a date and a severity in them",
    },
    invent=invent,
    compose=compose,
    draw=draw,
    check=check,
    tags=("T1", "G1", "G2"),
    switch_tags={
        **HEADER_TAGS,
        "stacked-terms": ("S1",),
        "pivoted": ("S2",),
        "keys-once": ("S3",),
    },
    sums=(
        Sum("event_count", "events", counts=True),
        Sum("event_count", "treatment_groups[].event_count"),
    ),
)
