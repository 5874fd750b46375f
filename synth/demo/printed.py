"""How the demo's documents print values."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def money(amount: Decimal | int) -> str:
    """1284.6 as ``1,284.60``."""
    return f"{amount:,.2f}"


def numeric_date(iso: str) -> str:
    """2025-04-03 as ``03/04/2025``: day before month."""
    return date.fromisoformat(iso).strftime("%d/%m/%Y")


def american_date(iso: str) -> str:
    """2025-04-05 as ``04/05/2025``: month before day."""
    return date.fromisoformat(iso).strftime("%m/%d/%Y")


def worded_date(iso: str) -> str:
    """2025-04-03 as ``3 April 2025``; ``strftime`` would ask the machine for its language."""
    day = date.fromisoformat(iso)
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def worded_month(iso: str) -> str:
    """2026-05 as ``May 2026``."""
    year, month = iso.split("-")
    return f"{_MONTHS[int(month) - 1]} {year}"
