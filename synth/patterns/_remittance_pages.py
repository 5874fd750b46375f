"""How a remittance advice looks: its head, and its claims as blocks or as cells with a table inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from synth.book import Book
from synth.content import Content
from synth.display import GREY, INK, LETTER, LINE, PALE, Colour, DisplayList, Spot
from synth.grid import Column, Grid, GridLook
from synth.patterns._remittance_claims import AMOUNTS, ZERO
from synth.patterns._remittance_closing import closing_height, draw_closing
from synth.printed import amount, us_date, whole

_PAGE: Final = (LETTER[1], LETTER[0])
_LEFT: Final = 30.0
_RIGHT: Final = 762.0
_TOP: Final = 54.0
_BOTTOM: Final = 580.0
_NULLS: Final = ("—", "N/A", "")
_CELL: Final = 184.0
"""How wide the cell of a claim is beside its service lines, when they stand in a cell."""

_TINY: Final = 4.5
"""What is printed smaller cannot be read, in points."""

_PATIENT: Final = "Patient responsibility"
_COLUMNS: Final = (
    Column("line_number", "Ln", 22, "right"),
    Column("service_date", "Serv. date", 56, "left", us_date, "Service"),
    Column("procedure_code", "Proc.", 42, group="Service"),
    Column("modifiers", "Mods", 44, group="Service"),
    Column("units", "Units", 30, "right", group="Service"),
    Column("billed", "Billed", 68, "right", amount, "Charges"),
    Column("allowed", "Allowed", 68, "right", amount, "Charges"),
    Column("deductible", "Deduct.", 58, "right", amount, _PATIENT),
    Column("coinsurance", "Coins.", 58, "right", amount, _PATIENT),
    Column("copay", "Copay", 50, "right", amount, _PATIENT),
    Column("adjustment", "Amount", 68, "right", amount, "Adjustment"),
    Column("reason_code", "Grp-Rsn", 50, group="Adjustment"),
    Column("remark_code", "Remark", 46, group="Adjustment"),
    Column("paid", "Paid", 72, "right", amount),
)
_FACTS: Final = (
    ("Patient", "patient_name", 0, 0.0),
    ("Member ID", "member_id", 0, 214.0),
    ("Claim no.", "claim_number", 0, 350.0),
    ("Patient acct.", "patient_account", 0, 492.0),
    ("Status", "status", 0, 628.0),
    ("Provider", "provider_name", 1, 0.0),
    ("NPI", "provider_npi", 1, 214.0),
    ("Service", "service_from", 1, 350.0),
)
"""What stands over the lines of a claim: label, field, line, and how far from the left."""

_PROVIDER: Final = ("provider_name", "provider_npi")
_Claim = Mapping[str, Any]


class Advice:
    """A remittance advice under the pen."""

    def __init__(self, content: Content) -> None:
        self._value, self._aside, self._on = content.value, content.aside, content.switches
        number = self._value["payment_number"]
        self._book = Book(f"Remittance Advice {number}", str(self._value["payer"]), content.font, _PAGE)
        self._in_cell = "lines-in-cell" in self._on
        self._bottom = _BOTTOM - (12.0 if "subtotals" in self._on else 0.0)
        self._grid = Grid(
            self._book,
            self._columns(),
            GridLook(
                size=6.6 if self._in_cell else 7.2, padding=1.2, gutter=5.0, two_tier="two-tier-header" in self._on
            ),
            left=_LEFT + (_CELL if self._in_cell else 0.0),
            bottom=self._bottom,
            next_page=self._next_page,
            repeats_header=not self._in_cell and "header-once" not in self._on,
        )
        self._open: tuple[_Claim, float] | None = None
        self._subtotal = dict.fromkeys(AMOUNTS, ZERO)
        self._is_listing = True

    def _columns(self) -> list[Column]:
        """The columns of the service lines, narrower when they stand in a cell."""
        columns = [
            column._replace(header="Adjustment") if column.key == "adjustment" and not self._is_tiered else column
            for column in _COLUMNS
        ]
        if not self._in_cell:
            return columns
        share = (_RIGHT - _LEFT - _CELL) / (_RIGHT - _LEFT)
        return [column._replace(width=column.width * share) for column in columns]

    @property
    def _is_tiered(self) -> bool:
        return "two-tier-header" in self._on

    def draw(self) -> DisplayList:
        """The whole advice."""
        self._book.next_page()
        top = self._head()
        if self._in_cell:
            self._grid.y = top
        else:
            self._grid.start(top)
        voided = {one["before"]: one["claim"] for one in self._aside.get("voided", [])}
        provider, heading = None, {}
        for number, claim in enumerate(self._value["remitted_claims"]):
            path = f"remitted_claims[{number}]"
            if "sections" in self._on:
                if tuple(claim[name] for name in _PROVIDER) != provider:
                    provider = tuple(claim[name] for name in _PROVIDER)
                    heading = self._section(claim)
                for name, spot in heading.items():
                    self._book.cite(f"{path}.{name}", spot)
            if number in voided:
                self._claim(voided[number], None, number)
            self._claim(claim, path, number)
        self._close()
        self._book.footer(598.0, f"{self._value['payer']} · Remittance advice", 6.5)
        return self._book.drawn

    # Pages

    def _head(self) -> float:
        """The head of the first page; returns the y under it."""
        value, book = self._value, self._book
        payer, payee = str(value["payer"]), str(value["payee"])
        size = self._fitting(payer, 15, 480, "payer", bold=True)
        book.text(_LEFT, 48, payer, size, bold=True, leaf="payer")
        for at, line in enumerate(self._aside.get("payer_address", ())):
            book.text(_LEFT, 61 + 10 * at, line, 7.5, colour=GREY)
        book.text(_RIGHT, 46, "REMITTANCE ADVICE", 13, align="right", bold=True)
        book.text(_RIGHT, 58, "Explanation of payment to the provider", 7.5, align="right", colour=GREY)
        book.rule(_LEFT, 80, _RIGHT, width=1.0, colour=INK)
        book.text(_LEFT, 93, "PAY TO", 6.5, colour=GREY)
        size = self._fitting(payee, 9.5, 212, "payee", bold=True)
        book.text(_LEFT, 105, payee, size, bold=True, leaf="payee")
        for at, line in enumerate(self._aside.get("payee_address", ())):
            book.text(_LEFT, 116 + 10 * at, line, 8)
        kind = "Check" if value["payment_method"] == "CHECK" else "EFT"
        facts: tuple[tuple[tuple[str, str, Callable[[Json], str]], ...], ...] = (
            (
                ("Provider NPI", "payee_npi", str),
                ("Tax ID", "payee_tax_id", str),
                ("Payment method", "payment_method", str),
            ),
            (
                (f"{kind} number", "payment_number", str),
                ("Payment date", "payment_date", us_date),
                ("Claims", "claim_count", whole),
            ),
            (
                ("Total billed", "total_billed", _dollars),
                ("Total paid on claims", "total_paid", _dollars),
                ("PAYMENT AMOUNT", "payment_amount", _dollars),
            ),
        )
        for column, (left, right) in enumerate(((256.0, 404.0), (426.0, 570.0), (592.0, _RIGHT - 6))):
            book.area(left - 6, 87, right - left + 12, 50, stroke=LINE, line=0.5)
            for at, (label, leaf, show) in enumerate(facts[column]):
                y = 101 + 14 * at
                book.text(left, y, label, 7.5, colour=GREY)
                is_total = leaf == "payment_amount"
                book.text(right, y, show(value[leaf]), 8.5, align="right", bold=is_total, leaf=leaf)
        return 146.0

    def _next_page(self) -> float:
        """Close the page with its subtotal and the frame of a claim that goes on; begin the next one."""
        if self._open is not None and self._in_cell:
            self._frame(self._open[1], self._grid.y)
        if "subtotals" in self._on and self._is_listing:
            self._page_total()
        self._book.next_page()
        value = self._value
        self._book.text(_LEFT, 34, f"{value['payer']} — Remittance advice (continued)", 8, bold=True)
        right = f"Payment {value['payment_number']}   {us_date(value['payment_date'])}"
        self._book.text(_RIGHT, 34, right, 8, align="right")
        self._book.rule(_LEFT, 40, _RIGHT, width=0.8)
        if self._open is None:
            return _TOP
        return self._continued(self._open[0])

    def _continued(self, claim: _Claim) -> float:
        """Say on a new page which claim goes on; returns the y at which it does."""
        words = f"Claim {claim['claim_number']} (continued)"
        if not self._in_cell:
            self._book.text(_LEFT + 3, _TOP + 6, words, 7, colour=GREY)
            return _TOP + 10
        self._book.text(_LEFT + 5, _TOP + 9, words, 6.6, colour=GREY)
        self._open = (claim, _TOP)
        if "header-once" in self._on:
            return _TOP + 2
        self._grid.y = _TOP
        self._grid.header()
        return self._grid.y

    def _page_total(self) -> None:
        """A line that looks like a claim's totals and is none."""
        if self._in_cell:
            self._grid.y = max(self._grid.y, self._bottom - 1)
        size = 6.6 if self._in_cell else 7.2
        self._book.text(_LEFT + 5, self._grid.y + 1.2 + 0.84 * size, "PAGE SUBTOTAL", size, bold=True)
        self._grid.row(self._total_cells(self._subtotal, None), bold=True, here=True)
        self._subtotal = dict.fromkeys(AMOUNTS, ZERO)

    def _section(self, claim: _Claim) -> dict[str, Spot]:
        """The heading of a provider's claims; returns where its name and its number stand."""
        self._grid.make_room(80.0)
        y = self._grid.y + 3
        self._book.area(_LEFT, y, _RIGHT - _LEFT, 14, fill=PALE)
        label = self._book.text(_LEFT + 4, y + 10, "Rendering provider: ", 8, bold=True)
        name = self._book.text(_LEFT + 4 + label.width, y + 10, str(claim["provider_name"]), 8, bold=True)
        x = _LEFT + 4 + label.width + name.width + 14
        label = self._book.text(x, y + 10, "NPI ", 8)
        npi = self._book.text(x + label.width, y + 10, str(claim["provider_npi"]), 8)
        self._grid.y = y + 17
        return {"provider_name": name, "provider_npi": npi}

    # Claims

    def _claim(self, claim: _Claim, path: str | None, number: int) -> None:
        """A claim with its lines; ``path`` is None for one that is voided and no record."""
        colour = INK if path is not None else GREY
        height = self._height(claim)
        whole_page = self._bottom - _TOP - 30
        if "split-claims" not in self._on and height <= whole_page:
            self._grid.make_room(height)
        else:
            self._grid.make_room(min(height, 74.0))
        top = self._grid.y
        self._open = (claim, top)
        if self._in_cell:
            lowest = self._cell(claim, path, colour)
            self._grid.header()
        else:
            lowest = 0.0
            self._band(claim, path, colour)
        page = self._book.page
        self._lines(claim, path, number, colour)
        self._total(claim, path, colour)
        if self._in_cell:
            if self._book.page == page:
                self._grid.y = max(self._grid.y, lowest)
            self._frame(self._open[1], self._grid.y)
        self._open = None
        self._grid.y += 0.0 if self._in_cell else 5.0
        if path is not None:
            for name in AMOUNTS:
                self._subtotal[name] += claim[name]

    def _height(self, claim: _Claim) -> float:
        """How high the block of a claim is, in points."""
        rows = len(claim["service_lines"]) + 1
        height = rows * self._grid.line_height
        if not self._in_cell:
            return height + 28 + 12 * len(self._reason_lines(claim["adjustments"])) + 5
        header = self._grid.line_height * (2 if self._is_tiered else 1)
        reasons = 11 * len(self._reason_lines(claim["adjustments"]))
        return max(header + height + reasons + 3, 11.0 * len(self._cell_facts()) + 8)

    def _band(self, claim: _Claim, path: str | None, colour: Colour) -> None:
        """Two lines over the service lines that say whose claim it is."""
        y = self._grid.y
        facts = [fact for fact in _FACTS if "sections" not in self._on or fact[1] not in _PROVIDER]
        if "sections" not in self._on or path is None:
            self._book.area(_LEFT, y, _RIGHT - _LEFT, 25, fill=PALE)
        self._book.rule(_LEFT, y, _RIGHT, width=0.6)
        for label, name, line, left in facts:
            baseline = y + 10 + 11 * line
            spot = self._book.text(_LEFT + 4 + left, baseline, f"{label} ", 6.5, colour=GREY)
            x = _LEFT + 4 + left + spot.width + 2
            end = min(start for *_, start in [*facts, ("", "", 0, _RIGHT - _LEFT)] if start > left) + _LEFT
            self._fact(x, baseline, name, claim, path, colour, 7.6, end - x)
        self._grid.y = y + 27

    def _cell(self, claim: _Claim, path: str | None, colour: Colour) -> float:
        """The cell that says whose claim it is, beside its service lines; returns the y under it."""
        y = self._grid.y + 3
        for label, name in self._cell_facts():
            baseline = y + 7
            self._book.text(_LEFT + 5, baseline, label, 6, colour=GREY)
            self._fact(_LEFT + 54, baseline, name, claim, path, colour, 7.2, _CELL - 58)
            y += 11
        return y + 3

    def _cell_facts(self) -> list[tuple[str, str]]:
        return [(label, name) for label, name, *_ in _FACTS if "sections" not in self._on or name not in _PROVIDER]

    def _fact(
        self, x: float, y: float, name: str, claim: _Claim, path: str | None, colour: Colour, size: float, room: float
    ) -> None:
        """The value of a field of a claim; the first day of its services with the last."""
        leaf = None if path is None else f"{path}.{name}"
        if claim[name] is None:
            self._book.text(x, y, self._null(0), size, colour=colour)
        elif name == "service_from":
            x += self._book.text(x, y, us_date(claim[name]), size, colour=colour, leaf=leaf).width
            x += self._book.text(x, y, " – ", size, colour=colour).width
            to = None if path is None else f"{path}.service_to"
            self._book.text(x, y, us_date(claim["service_to"]), size, colour=colour, leaf=to)
        else:
            bold = name in ("patient_name", "claim_number")
            text = str(claim[name])
            size = self._fitting(text, size, room, leaf, bold=bold)
            self._book.text(x, y, text, size, bold=bold, colour=colour, leaf=leaf)

    def _fitting(self, text: str, size: float, room: float, leaf: str | None, *, bold: bool) -> float:
        """The size at which a text fits; one that would be too small to read is refused, naming the leaf."""
        fitting = min(size, size * room / max(self._book.measure(text, size, bold=bold), 0.001))
        if fitting < _TINY:
            raise SynthesisError(f"{leaf}: {text!r} does not fit in its place; shorten it")
        return fitting

    def _lines(self, claim: _Claim, path: str | None, number: int, colour: Colour) -> None:
        for at, line in enumerate(claim["service_lines"]):
            own = None if path is None else f"{path}.service_lines[{at}]"
            # A dash that is struck through could not be told from the line.
            null = "" if own is None else self._null(number + at)
            self._grid.record(line, own, null=null, colour=colour, struck=own is None)

    def _null(self, number: int) -> str:
        return _NULLS[number % len(_NULLS)] if "null-marks" in self._on else ""

    def _total(self, claim: _Claim, path: str | None, colour: Colour) -> None:
        """The totals of a claim, and why less is paid than billed."""
        reasons = self._reason_lines(claim["adjustments"])
        self._grid.make_room(self._grid.line_height + 11 * len(reasons) + 2)
        left = self._grid.left
        self._book.rule(left, self._grid.y, _RIGHT, width=0.4)
        cells = self._total_cells(claim, path)
        cells[1] = ("Claim total" if path is not None else "VOIDED", None)
        self._grid.row(cells, bold=True, colour=colour)
        for ats in reasons:
            baseline = self._grid.y + 7.5
            x = left + 25
            x += self._book.text(x, baseline, "Adjustments  ".strip(), 6.5, colour=GREY).width + 8
            for at in ats:
                reason = claim["adjustments"][at]
                own = None if path is None else f"{path}.adjustments[{at}]"
                code = None if own is None else f"{own}.reason_code"
                much = None if own is None else f"{own}.amount"
                x += self._book.text(x, baseline, reason["reason_code"], 7, colour=colour, leaf=code).width + 5
                x += self._book.text(x, baseline, amount(reason["amount"]), 7, colour=colour, leaf=much).width + 16
            self._grid.y += 11

    def _reason_lines(self, adjustments: Sequence[Mapping[str, Json]]) -> list[list[int]]:
        """The numbers of the adjustments of a claim, in lines that have room for them."""
        room = 4 if self._in_cell else 6
        ats = list(range(len(adjustments)))
        return [ats[start : start + room] for start in range(0, len(ats), room)]

    def _total_cells(self, amounts: Mapping[str, Json], path: str | None) -> list[tuple[str, str | None]]:
        return [
            (amount(amounts[key]), None if path is None else f"{path}.{key}") if key in AMOUNTS else ("", None)
            for key in (column.key for column in self._grid.columns)
        ]

    def _frame(self, top: float, bottom: float) -> None:
        """The edges of a claim's row, and of its cell."""
        self._book.area(_LEFT, top, _RIGHT - _LEFT, bottom - top, stroke=LINE, line=0.5)
        self._book.rule(_LEFT + _CELL, top, _LEFT + _CELL, bottom)

    def _close(self) -> None:
        """The last subtotal, and what the remittance comes to."""
        if "subtotals" in self._on:
            self._page_total()
        self._is_listing = False
        self._grid.make_room(closing_height(self._value))
        draw_closing(self._book, self._value, self._grid.y + 12, _LEFT, _RIGHT)


def _dollars(value: Json) -> str:
    return f"${amount(value)}"
