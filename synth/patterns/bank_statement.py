"""A bank's statement of an account: transactions with a running balance, carried from page to page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

from groundtruth.jsontext import Json
from synth.book import Book
from synth.content import Content
from synth.display import A4, GREY, PALE, DisplayList
from synth.grid import Column, Grid, GridLook
from synth.invention import Invention
from synth.pattern import HEADER_SWITCHES, HEADER_TAGS, Composed, Pattern, Record, Sum, Switches
from synth.printed import amount, english_date, us_date

_LEFT: Final = 42.0
_RIGHT: Final = 553.0
_BOTTOM: Final = 780.0
_ZERO: Final = Decimal("0.00")
_DAYS: Final = 30
"""Of a statement, from its first day to its last at most."""
_LOW: Final = Decimal(4_000)
"""Who has less than that waits for money before spending more, mostly."""

_SPENT: Final[Mapping[str, tuple[int, float, float]]] = {
    "CARD PURCHASE": (48, 3, 1_900),
    "ACH DEBIT": (22, 20, 4_900),
    "CHECK": (14, 25, 3_800),
    "WIRE OUT": (4, 500, 9_000),
    "ATM WITHDRAWAL": (8, 20, 500),
    "SERVICE FEE": (4, 5, 45),
}
"""By kind of payment: how often, and from which amount to which."""

_RECEIVED: Final[Mapping[str, tuple[int, float, float]]] = {
    "ACH CREDIT": (40, 60, 7_800),
    "DEPOSIT": (30, 40, 6_500),
    "WIRE IN": (12, 900, 14_000),
    "REFUND": (18, 5, 600),
}
_NUMBERED: Final = ("CHECK", "DEPOSIT", "SERVICE FEE")
_TWENTY: Final = Decimal(20)

_COLUMNS: Final = (
    Column("posted", "Date", 54, "left", us_date),
    Column("reference", "Reference", 62),
    Column("details", "Transaction Details", 186),
    Column("debit", "Withdrawals", 68, "right", amount, "Amount"),
    Column("credit", "Deposits", 68, "right", amount, "Amount"),
    Column("balance", "Balance", 73, "right", amount),
)
_SCHEMA: Final[dict[str, Json]] = {
    "type": "object",
    "properties": {
        "bank": {"type": "string", "description": "The bank, in the letterhead."},
        "account_holder": {"type": "string"},
        "account_number": {"type": "string"},
        "period_start": {"type": "string", "format": "date", "description": 'First day of the period, after "From".'},
        "period_end": {"type": "string", "format": "date", "description": 'Last day of the period, after "To".'},
        "opening_balance": {"type": "number"},
        "total_deposits": {"type": "number"},
        "total_withdrawals": {"type": "number"},
        "closing_balance": {"type": "number"},
        "transactions": {
            "type": "array",
            "description": "Every posted transaction. Carried balances and pending transactions are none.",
            "items": {
                "type": "object",
                "properties": {
                    "posted": {"type": "string", "format": "date", "description": 'The day, under "Date".'},
                    "reference": {"type": "string"},
                    "details": {"type": "string", "description": 'Under "Transaction Details", all lines.'},
                    "debit": {"type": ["number", "null"], "description": 'What left the account, under "Withdrawals".'},
                    "credit": {"type": ["number", "null"], "description": 'What came in, under "Deposits".'},
                    "balance": {"type": "number", "description": "After this transaction; less than 0 in brackets."},
                },
            },
        },
    },
}
_CURRENCIES: Final = ("opening_balance", "total_deposits", "total_withdrawals", "closing_balance")
_RULES: Final[dict[str, Json]] = {
    "fields": {
        "account_number": {"comparator": "identifier"},
        **{name: {"comparator": "currency"} for name in _CURRENCIES},
        "transactions[].posted": {"comparator": "date", "date_order": "MDY"},
        "transactions[].reference": {"comparator": "identifier"},
        **{f"transactions[].{name}": {"comparator": "currency"} for name in ("debit", "credit", "balance")},
    },
    "identity": {"transactions": ["reference"]},
}


def invent(invention: Invention, rows: int, on: Switches) -> list[Record]:
    """Transactions in the order of their days, with the balance after each."""
    first = date.fromisoformat(invention.day())
    days = sorted(invention.integer(0, _DAYS - 1) for _ in range(rows))
    balance = invention.skewed(800, 42_000, 2)
    new_reference = invention.distinct(lambda: invention.code("??######"))
    records: list[Record] = []
    for day in days:
        again = "near-duplicates" in on and records and invention.chance(0.1)
        record = dict(records[-1]) if again else _transaction(invention, is_low=balance < _LOW)
        balance += (record["credit"] or _ZERO) - (record["debit"] or _ZERO)
        records.append(
            {
                **record,
                "posted": (first + timedelta(days=day)).isoformat(),
                "reference": new_reference(),
                "balance": balance,
            }
        )
    return records


def _transaction(invention: Invention, *, is_low: bool = False) -> Record:
    """A transaction without its day, its reference and the balance after it."""
    is_credit = invention.chance(0.75 if is_low else 0.24)
    kinds = _RECEIVED if is_credit else _SPENT
    kind = invention.pick(list(kinds), [share for share, _, _ in kinds.values()])
    _, low, high = kinds[kind]
    paid = invention.skewed(low, high, 3)
    if kind == "ATM WITHDRAWAL":
        details, paid = f"{kind} {invention.street().upper()}", (paid // _TWENTY * _TWENTY).quantize(_ZERO)
    elif kind in _NUMBERED:
        details = f"{kind} {invention.code('#####')}"
    else:
        details = f"{kind} {invention.company().upper()} {invention.code('####')}"
    debit, credit = (None, paid) if is_credit else (paid, None)
    return {"posted": None, "reference": None, "details": details, "debit": debit, "credit": credit, "balance": None}


def compose(records: Sequence[Record], invention: Invention, on: Switches) -> Composed:
    """The statement with its summary; the opening balance is the one that the first balance follows from."""
    first, last = records[0], records[-1]
    value: dict[str, Json] = {
        "bank": f"{invention.town()} {invention.choice('National Bank', 'Savings Bank', 'Trust Company')}",
        "account_holder": invention.company(),
        "account_number": invention.code("####-####-##"),
        "period_start": first["posted"],
        "period_end": last["posted"],
        "opening_balance": first["balance"] - (first["credit"] or _ZERO) + (first["debit"] or _ZERO),
        "total_deposits": sum((record["credit"] or _ZERO for record in records), _ZERO),
        "total_withdrawals": sum((record["debit"] or _ZERO for record in records), _ZERO),
        "closing_balance": last["balance"],
        "transactions": list(records),
    }
    pending: list[Json] = []
    if "pending" in on:
        for _ in range(4):
            pending.append(
                {**_transaction(invention), "posted": last["posted"], "reference": invention.code("??######")}
            )
    return Composed(value, {"pending": pending})


def check(value: dict[str, Any]) -> Iterator[str]:
    """Balances that do not follow from the one before."""
    balance = value["opening_balance"]
    for at, record in enumerate(value["transactions"]):
        balance += (record["credit"] or 0) - (record["debit"] or 0)
        if record["balance"] != balance:
            yield f"transactions[{at}].balance: says {record['balance']}, and {balance} follows from the lines before"
            balance = record["balance"]
    if value["closing_balance"] != balance:
        yield f"closing_balance: says {value['closing_balance']}, and the last balance is {balance}"


def draw(content: Content) -> DisplayList:
    """The whole statement."""
    value, on = content.value, content.switches
    book = Book(f"Statement {value['account_number']}", str(value["bank"]), content.font, A4)
    book.next_page()
    balance = [value["opening_balance"]]
    grids: list[Grid] = []

    def next_page() -> float:
        if "carried" in on:
            _carried(grids[0], "BALANCE CARRIED FORWARD", balance[0])
        book.next_page()
        book.text(_LEFT, 44, "Account statement, continued", 8.5, bold=True)
        book.rule(_LEFT, 50, _RIGHT)
        if "carried" not in on:
            return 58.0
        grids[0].y = 56.0
        _carried(grids[0], "BALANCE BROUGHT FORWARD", balance[0])
        return grids[0].y + 2

    columns: tuple[Column, ...] = _COLUMNS
    if "wrapped" in on:
        widths = {"details": 128, "debit": 97, "credit": 97}
        columns = tuple(column._replace(width=widths.get(column.key, column.width)) for column in _COLUMNS)
    look = GridLook(size=8.0, padding=2.0, two_tier="two-tier-header" in on, lined=True)
    bottom = _BOTTOM - (16.0 if "carried" in on else 0.0)
    header = "header-once" not in on
    grid = Grid(book, columns, look, left=_LEFT, bottom=bottom, next_page=next_page, repeats_header=header)
    grids.append(grid)
    grid.start(_head(book, value))
    for number, record in enumerate(value["transactions"]):
        grid.record(record, f"transactions[{number}]")
        balance[0] = record["balance"]
    cells: list[tuple[str, str | None]] = [("", None) for _ in columns]
    cells[2] = ("Totals", None)
    cells[3] = (amount(value["total_withdrawals"]), "total_withdrawals")
    cells[4] = (amount(value["total_deposits"]), "total_deposits")
    cells[5] = (amount(value["closing_balance"]), "closing_balance")
    grid.row(cells, bold=True, printing=1)
    if content.aside.get("pending"):
        grid.band("Pending transactions, not posted in this period", fill=PALE)
        for record in content.aside["pending"]:
            grid.record(record, None, colour=GREY)
    book.footer(812.0, "Please examine this statement and report errors within 30 days.", 7.0)
    return book.drawn


def _carried(grid: Grid, words: str, balance: Decimal) -> None:
    cells: list[tuple[str, str | None]] = [("", None) for _ in grid.columns]
    cells[2], cells[-1] = (words, None), (amount(balance), None)
    grid.row(cells, bold=True, here=True)


def _head(book: Book, value: Mapping[str, Json]) -> float:
    """The letterhead and the summary; returns the y under it."""
    book.text(_LEFT, 62, str(value["bank"]), 15, bold=True, leaf="bank")
    book.text(_RIGHT, 62, "STATEMENT OF ACCOUNT", 10, align="right", colour=GREY)
    book.rule(_LEFT, 70, _RIGHT, width=1.0)
    left = (
        ("Account holder", str(value["account_holder"]), "account_holder"),
        ("Account number", str(value["account_number"]), "account_number"),
        ("From", english_date(value["period_start"]), "period_start"),
        ("To", english_date(value["period_end"]), "period_end"),
    )
    right = (
        ("Opening balance", "opening_balance"),
        ("Total deposits", "total_deposits"),
        ("Total withdrawals", "total_withdrawals"),
        ("Closing balance", "closing_balance"),
    )
    for at, (label, text, leaf) in enumerate(left):
        book.text(_LEFT, 92 + 14 * at, label, 8.5, colour=GREY)
        book.text(_LEFT + 78, 92 + 14 * at, text, 9, leaf=leaf)
    for at, (label, leaf) in enumerate(right):
        book.text(_RIGHT - 190, 92 + 14 * at, label, 8.5, colour=GREY)
        book.text(_RIGHT, 92 + 14 * at, f"${amount(value[leaf])}", 9, align="right", bold=at == 3, leaf=leaf)
    return 158.0


PATTERN: Final = Pattern(
    name="bank-statement",
    about="a bank statement: transactions with a running balance, carried from page to page",
    type="bank statement",
    domain="finance",
    records="transactions",
    rows=240,
    font="sans",
    schema=_SCHEMA,
    rules=_RULES,
    switches={
        "carried": "each page ends and begins with a carried balance",
        **HEADER_SWITCHES,
        "near-duplicates": "the same payment again, under another reference",
        "wrapped": "details on two lines, the second like a row",
        "pending": "transactions after the totals that are not posted",
    },
    invent=invent,
    compose=compose,
    draw=draw,
    check=check,
    tags=("T1", "G1"),
    switch_tags={**HEADER_TAGS, "carried": ("S3",)},
    sums=(
        Sum("total_deposits", "transactions[].credit"),
        Sum("total_withdrawals", "transactions[].debit"),
    ),
)
