"""The end of a remittance advice: its totals, what is taken off the whole payment, and what its codes mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from synth.book import Book
from synth.display import GREY, INK
from synth.patterns._remittance_claims import AMOUNTS, MEANINGS, PROVIDER_REASONS
from synth.printed import amount

_LINE: Final = 12.0
_TOTALS_END: Final = 220.0
_ADJUSTMENTS: Final = (252.0, 490.0)
_CODES: Final = 520.0
_AGAIN: Final = frozenset({"total_billed", "total_paid", "payment_amount"})
"""Totals that the head of the first page prints as well."""

_Value = Mapping[str, Any]


def closing_height(value: _Value) -> float:
    """How much room the end takes, in points."""
    return 60.0 + _LINE * max(len(AMOUNTS) + 3, len(value["provider_adjustments"]) + 3, len(_codes(value)))


def draw_closing(book: Book, value: _Value, top: float, left: float, right: float) -> None:
    """Draw the end from ``top`` on, between the margins ``left`` and ``right``."""
    book.rule(left, top, right, width=1.0, colour=INK)
    _totals(book, value, left, top + 14)
    _provider_adjustments(book, value, top + 14)
    book.text(_CODES, top + 14, "REASON CODES OF THIS REMITTANCE", 7.5, bold=True)
    y = top + 28
    for code in _codes(value):
        book.text(_CODES, y, code, 7, bold=True)
        for line in book.wrap(MEANINGS[code], right - _CODES - 36, 7):
            book.text(_CODES + 36, y, line, 7)
            y += 9
        y += 2


def _codes(value: _Value) -> list[str]:
    """The reason codes that the claims have and whose meaning is known."""
    found = {one["reason_code"] for claim in value["remitted_claims"] for one in claim["adjustments"]}
    return [code for code in MEANINGS if code in found]


def _totals(book: Book, value: _Value, left: float, y: float) -> None:
    book.text(left, y, "REMITTANCE TOTALS", 7.5, bold=True)
    rows = [(name.capitalize(), f"total_{name}") for name in AMOUNTS]
    rows += [("Provider adjustments", "total_provider_adjustments"), ("PAYMENT AMOUNT", "payment_amount")]
    for label, leaf in rows:
        y += _LINE
        bold, shown = leaf == "payment_amount", amount(value[leaf])
        book.text(left, y + 2, label, 7.5, bold=bold)
        printing = int(leaf in _AGAIN)
        book.text(_TOTALS_END, y + 2, shown, 8, align="right", bold=bold, leaf=leaf, printing=printing)


def _provider_adjustments(book: Book, value: _Value, y: float) -> None:
    left, right = _ADJUSTMENTS
    book.text(left, y, "PROVIDER ADJUSTMENTS", 7.5, bold=True)
    book.text(left, y + 14, "Reason", 7, colour=GREY)
    book.text(left + 114, y + 14, "Reference", 7, colour=GREY)
    book.text(right, y + 14, "Amount", 7, align="right", colour=GREY)
    book.rule(left, y + 18, right)
    for at, one in enumerate(value["provider_adjustments"]):
        own, row, code = f"provider_adjustments[{at}]", y + 28 + _LINE * at, str(one["reason_code"])
        book.text(left, row, code, 7.5, leaf=f"{own}.reason_code")
        book.text(left + 14, row, PROVIDER_REASONS.get(code, ""), 7)
        book.text(left + 114, row, str(one["reference"]), 7.5, leaf=f"{own}.reference")
        book.text(right, row, amount(one["amount"]), 8, align="right", leaf=f"{own}.amount")
