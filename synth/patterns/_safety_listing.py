"""How a listing of adverse events is laid out: the pages of a statistics program, with titles and footnotes on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from groundtruth.jsontext import Json
from synth.book import Book, Piece
from synth.content import Content
from synth.display import GREY, INK, LETTER, DisplayList, Spot
from synth.grid import Cell, Column, Grid, GridLook, Stack
from synth.pattern import Record
from synth.printed import clinical_date, whole

_PAGE: Final = (LETTER[1], LETTER[0])
_LEFT: Final = 36.0
_RIGHT: Final = 756.0
_TOP: Final = 92.0
_BOTTOM: Final = 540.0
_SIZE: Final = 6.2
_SIDE_BY_SIDE: Final = 4
_DITTO: Final = '"'
_NULLS: Final = ("", "-", "N/A")
_ONGOING: Final = ("", "-", "ONGOING")
_TERMS: Final = ("body_system", "preferred_term", "verbatim_term")


def _serious(value: Json) -> str:
    return "Y" if value else "N"


_COLUMNS: Final = (
    Column("site_id", "Site", 24),
    Column("subject_id", "Subject", 42),
    Column("event_id", "Event Ref.", 38),
    Column("body_system", "System Organ Class", 92, group="Adverse Event"),
    Column("preferred_term", "Preferred Term", 82, group="Adverse Event"),
    Column("verbatim_term", "Reported Term", 96, group="Adverse Event"),
    Column("start_date", "Start Date", 42, "left", clinical_date, "Onset"),
    Column("start_day", "Day [1]", 26, "right", group="Onset"),
    Column("stop_date", "Stop Date", 42, "left", clinical_date, "Resolution"),
    Column("stop_day", "Day [1]", 26, "right", group="Resolution"),
    Column("severity", "Severity", 38, group="Assessment"),
    Column("serious", "Ser. [2]", 22, "left", _serious, "Assessment"),
    Column("relationship", "Rel. to Drug [3]", 46, group="Assessment"),
    Column("action_taken", "Action Taken", 52, group="Assessment"),
    Column("outcome", "Outcome", 52),
)
_STACKED: Final = Column("terms", "System Organ Class / Preferred Term / Reported Term", 172, group="Adverse Event")
_WIDER: Final = {"subject_id": 46, "relationship": 68, "action_taken": 88, "outcome": 84, "severity": 42}
_PROFILE: Final = (
    ("Event reference", "event_id"),
    ("Treatment group", "treatment_arm"),
    ("Site", "site_id"),
    ("Subject", "subject_id"),
    *((column.header.partition(" [")[0], column.key) for column in _COLUMNS[3:6]),
    ("Start date", "start_date"),
    ("Start day [1]", "start_day"),
    ("Stop date", "stop_date"),
    ("Stop day [1]", "stop_day"),
    ("Severity", "severity"),
    ("Serious [2]", "serious"),
    ("Relationship [3]", "relationship"),
    ("Action taken", "action_taken"),
    ("Outcome", "outcome"),
)
"""The fields of an event from top to bottom, where events stand side by side."""

_SHOWN: Final = {column.key: column.show for column in _COLUMNS}


def draw(content: Content) -> DisplayList:
    """The whole listing."""
    value = content.value
    book = Book(f"Listing {value['listing_number']}", str(value["sponsor"]), content.font, _PAGE)
    listing = _Listing(book, content)
    listing.draw()

    def numbered(page: int, pages: int) -> None:
        book.text(_RIGHT, 34, f"Page {page} of {pages}", 7, align="right")

    book.on_each(numbered)
    return book.drawn


class _Listing:
    """The pages: titles, the table of events, what stands between its rows, and the counts at the end."""

    def __init__(self, book: Book, content: Content) -> None:
        self._book, self._on = book, content.switches
        self._value, self._aside = content.value, content.aside
        self._events = [
            (number, event)
            for number, event in enumerate(content.value["events"])
            if not ("pivoted" in self._on and event["serious"])
        ]
        self._voids = {void["before"]: void["record"] for void in content.aside.get("voids", [])}
        self._silent = {silent["before"]: silent for silent in content.aside.get("silent", [])}
        self._notes = {note["after"]: str(note["text"]) for note in content.aside.get("notes", [])}
        self._title = "Adverse Events by Treatment Group and Subject"
        self._arm: str | None = None
        self._arm_spot = Spot(0, 0, 0.0)
        self._subject: str | None = None
        self._subject_path = ""
        self._is_shown = False
        self._class: tuple[str, str] | None = None
        look = GridLook(size=_SIZE, padding=1.3, ground=None, two_tier="two-tier-header" in self._on)
        self._grid = Grid(
            book,
            self._columns(),
            look,
            left=_LEFT,
            bottom=_BOTTOM,
            next_page=self._next_page,
            repeats_header="header-once" not in self._on,
        )

    def _columns(self) -> Sequence[Column]:
        """The columns; the terms of an event share one when they are stacked, and the others are wider."""
        if "stacked-terms" not in self._on:
            return _COLUMNS
        columns = [column._replace(width=_WIDER.get(column.key, column.width)) for column in _COLUMNS]
        return [*columns[:3], _STACKED, *columns[6:]]

    def draw(self) -> None:
        """All of it."""
        self._begin_page()
        totals = Counter(event["subject_id"] for _, event in self._events)
        if self._events:
            self._grid.start(_TOP)
        for at, (number, event) in enumerate(self._events):
            self._event(number, event)
            after = self._events[at + 1][1] if at + 1 < len(self._events) else None
            subject = event["subject_id"]
            if "subject-totals" in self._on and (after is None or after["subject_id"] != subject):
                self._grid.band(f"Events in subject {subject}: {totals[subject]}", bold=False)
        serious = [(number, event) for number, event in enumerate(self._value["events"]) if event["serious"]]
        y = self._grid.y if self._events else _TOP
        if "pivoted" in self._on and serious:
            y = self._profiles(serious)
        self._summary(y)

    # Pages

    def _begin_page(self) -> None:
        """A page with its titles and footnotes; on the first one they hold values, later they repeat them."""
        book, value = self._book, self._value
        first = book.next_page() == 1

        def leaf(name: str) -> str | None:
            return name if first else None

        number = str(value["listing_number"])
        book.text(_LEFT, 34, str(value["sponsor"]), 7, leaf=leaf("sponsor"))
        book.pieces(_LEFT, 43, [Piece("Protocol: "), Piece(str(value["protocol"]), leaf("protocol"))], 7)
        cutoff = clinical_date(value["data_cutoff"])
        book.text(_RIGHT, 43, cutoff, 7, align="right", leaf=leaf("data_cutoff"))
        book.text(_RIGHT - book.measure(f"{cutoff} ", 7), 43, "Data cut-off:", 7, align="right")
        middle = (_LEFT + _RIGHT) / 2
        left = middle - book.measure(f"Listing {number}", 8, bold=True) / 2
        book.pieces(left, 58, [Piece("Listing "), Piece(number, leaf("listing_number"))], 8, bold=True)
        book.text(middle, 68, self._title, 8, align="centre", bold=True)
        book.text(middle, 78, "(Safety Population)", 7.5, align="centre")
        book.rule(_LEFT, 86, _RIGHT, width=0.7, colour=INK)
        self._footnotes(number)

    def _footnotes(self, number: str) -> None:
        book = self._book
        book.rule(_LEFT, 546, _RIGHT, width=0.7, colour=INK)
        notes = [
            "Note: Dates are printed as far as they are known. An event without a stop date is ongoing.",
            "[1] Study day; there is no day 0. [2] Serious: Y = yes, N = no. [3] In the judgement of the investigator.",
        ]
        if self._voids:
            notes.append("Lines that are struck out were entered in error and are not counted.")
        for at, line in enumerate(notes):
            book.text(_LEFT, 554 + 8 * at, line, 6)
        program = f"l_{number.replace('.', '_')}_ae.sas"
        book.text(_LEFT, 584, f"Program: {program}   Source: ADSL, ADAE", 6, colour=GREY)
        run = f"Run: {clinical_date(self._aside['run'])} {self._aside['at']}   Status: FINAL"
        book.text(_RIGHT, 584, run, 6, align="right", colour=GREY)

    def _next_page(self) -> float:
        self._begin_page()
        self._is_shown = False
        self._class = None
        if self._arm is None or "keys-once" in self._on:
            return _TOP
        self._arm_spot = self._group_line(_LEFT + 3, _TOP + 7, self._arm, " (continued)")
        return _TOP + 12

    def _group_line(self, x: float, y: float, arm: str, after: str = "") -> Spot:
        book = self._book
        x += book.text(x, y, "Treatment Group: ", _SIZE, bold=True).width
        spot = book.text(x, y, arm, _SIZE, bold=True)
        book.text(x + spot.width, y, after, _SIZE, bold=True)
        return spot

    # The table

    def _group(self, arm: str) -> None:
        """The heading of the next treatment group, which stays with its first event."""
        self._arm = None
        self._grid.make_room(5 * self._grid.line_height)
        self._grid.y += 2
        self._arm_spot = self._group_line(_LEFT + 3, self._grid.y + 7, arm)
        self._grid.y += 12
        self._arm, self._subject = arm, None

    def _event(self, number: int, event: Record) -> None:
        """An event, and what stands before and after it and is none."""
        if event["treatment_arm"] != self._arm:
            self._group(str(event["treatment_arm"]))
        if number in self._silent:
            silent = self._silent[number]
            words = {"body_system": "NO ADVERSE EVENTS REPORTED"}
            self._grid.y += 3
            self._grid.stacked(self._stacks({**silent, **words}, None, ""), colour=INK)
        if number in self._voids:
            self._grid.stacked(self._stacks(self._voids[number], None, ""), colour=GREY, struck=True)
        self._row(event, f"events[{number}]", number)
        if number in self._notes:
            self._grid.band(f"Comment: {self._notes[number]}", bold=False)

    def _row(self, event: Record, path: str, number: int) -> None:
        """A row; the subject stands in its first one, and unless keys stand once in the first one of each page."""
        book, grid = self._book, self._grid
        is_new = event["subject_id"] != self._subject
        if is_new:
            grid.y += 3
            self._subject, self._is_shown, self._class = event["subject_id"], False, None
        marks = number % 3 if "null-marks" in self._on else 0
        whole_row = self._stacks(event, path, _NULLS[marks], _ONGOING[marks], continued=True)
        grid.make_room(grid.height_of(whole_row))
        prints_subject = is_new or not (self._is_shown or "keys-once" in self._on)
        printed: dict[str, str] = {}
        if "ditto" in self._on and self._class and self._class[0] == event["body_system"]:
            printed["body_system"] = _DITTO
            book.same(f"{path}.body_system", self._class[1])
        else:
            self._class = (event["body_system"], f"{path}.body_system")
        row = event if prints_subject else {**event, "site_id": None, "subject_id": None}
        stacks = self._stacks(
            row, path, _NULLS[marks], _ONGOING[marks], continued=prints_subject and not is_new, printed=printed
        )
        if prints_subject:
            self._subject_path = path
            self._is_shown = True
        else:
            for name in ("site_id", "subject_id"):
                book.same(f"{path}.{name}", f"{self._subject_path}.{name}")
        grid.stacked(stacks)
        book.cite(f"{path}.treatment_arm", self._arm_spot)

    def _stacks(
        self,
        event: Mapping[str, Json],
        path: str | None,
        null: str,
        ongoing: str = "",
        *,
        continued: bool = False,
        printed: Mapping[str, str] | None = None,
    ) -> list[Stack]:
        """The cells of a row; the keys of a subject have no mark when they are not printed."""

        def cell(key: str) -> Cell:
            value = event.get(key)
            if value is None:
                blank = key in ("site_id", "subject_id") or key not in event
                return ("" if blank else ongoing if key == "stop_date" else null), None
            text = printed[key] if printed and key in printed else _SHOWN[key](value)
            return text, None if path is None else f"{path}.{key}"

        stacks: list[Stack] = []
        for column in self._grid.columns:
            stack = [cell(key) for key in (_TERMS if column.key == "terms" else (column.key,))]
            if column.key == "subject_id" and continued:
                stack.append(("(cont.)", None))
            stacks.append(stack)
        return stacks

    # Events side by side, and the end

    def _profiles(self, events: Sequence[tuple[int, Record]]) -> float:
        """Events side by side, a field a line; returns the y under the last of them."""
        self._arm = None
        self._title = "Serious Adverse Events"
        self._begin_page()
        labels = Column("label", "", 100)
        width = (_RIGHT - _LEFT - labels.width) / _SIDE_BY_SIDE
        columns = [labels, *(Column(f"event{at}", "", width) for at in range(_SIDE_BY_SIDE))]
        look = GridLook(size=_SIZE, padding=1.0, lined=True)
        grid = Grid(
            self._book, columns, look, left=_LEFT, bottom=_BOTTOM, next_page=self._next_page, repeats_header=False
        )
        grid.y = _TOP
        for first in range(0, len(events), _SIDE_BY_SIDE):
            block = events[first : first + _SIDE_BY_SIDE]
            grid.make_room((len(_PROFILE) + 4) * grid.line_height)
            for label, key in _PROFILE:
                cells: list[Cell] = [(label, None), *(self._field(number, event, key) for number, event in block)]
                grid.row([*cells, *[("", None)] * (len(columns) - len(cells))])
            grid.y += 9
        return grid.y

    def _field(self, number: int, event: Record, key: str) -> Cell:
        if event[key] is None:
            marks = _ONGOING if key == "stop_date" else _NULLS
            return marks[number % 3 if "null-marks" in self._on else 0], None
        show = _SHOWN.get(key, str)
        return show(event[key]), f"events[{number}].{key}"

    def _summary(self, y: float) -> None:
        """The counts of each treatment group, under the last event or on a page of their own."""
        self._arm = None
        columns = (
            Column("treatment_arm", "Treatment Group", 150),
            Column("subject_count", "Subjects with Events", 90, "right", whole),
            Column("event_count", "Events", 60, "right", whole),
        )
        look = GridLook(size=_SIZE, padding=1.3, ground=None)
        grid = Grid(
            self._book, columns, look, left=_LEFT, bottom=_BOTTOM, next_page=self._next_page, repeats_header=False
        )
        groups = self._value["treatment_groups"]
        grid.y = y
        grid.make_room((min(10, len(groups)) + 4) * grid.line_height)
        grid.start(grid.y + 8)
        for number, group in enumerate(groups):
            grid.record(group, f"treatment_groups[{number}]")
        self._book.rule(grid.left, grid.y, grid.right, colour=INK)
        grid.row([("All groups", None), ("", None), (whole(self._value["event_count"]), "event_count")], bold=True)
