"""What the sample registers list."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from synth.samples.invent import Inventor
from synth.samples.wording import Field, Kind

_RECENT: Final = date(2024, 1, 1)


class Listed(NamedTuple):
    """A column: its field, how a cell is invented, the share of blank cells, and whether it is added up."""

    field: Field
    invent: Callable[[Inventor], Json]
    blank: float = 0.0
    adds_up: bool = False


class RegisterPlan(NamedTuple):
    """A register: its title, the array's name, its key column, the columns, and the names of its sections.

    ``groups`` are headings over neighbouring columns.
    """

    title: str
    key: str
    identity: str
    columns: Sequence[Listed]
    sections: Sequence[str]
    groups: Mapping[str, Sequence[str]]

    def group_of(self, key: str) -> str:
        """What a header of two levels says over a column, "" where it has one level."""
        return next((name for name, keys in self.groups.items() if key in keys), "")


ASSETS: Final = RegisterPlan(
    "Fixed Asset Register",
    "assets",
    "asset_id",
    (
        Listed(
            Field("asset_id", ("Asset ID", "Asset No.", "Tag"), Kind.IDENTIFIER), lambda make: make.code("EQ-#####?")
        ),
        Listed(
            Field("description", ("Description", "Asset", "Item description")),
            lambda make: make.choice(
                "Laser printer", "Pallet truck 2.5 t", "Forklift, electric", "Server rack", "Air compressor",
                "Workbench with vice", "Conference table", "Delivery van, long wheelbase", "Label printer, thermal",
            ),
        ),
        Listed(
            Field("location", ("Location", "Site", "Room"), optional=True),
            lambda make: make.choice("Hall 1", "Hall 2", "Office 204", "Depot North", "Yard"),
            0.1,
        ),
        Listed(Field("acquired", ("Acquired", "Date acquired", "In service"), Kind.DATE), Inventor.day),
        Listed(
            Field("cost", ("Cost", "Original cost"), Kind.MONEY), lambda make: make.money(120, 48000), adds_up=True
        ),
        Listed(
            Field("depreciation", ("Depreciation", "Accum. depr."), Kind.MONEY, optional=True),
            lambda make: -make.money(10, 9000),
            0.15,
            adds_up=True,
        ),
        Listed(
            Field("condition", ("Condition", "State")), lambda make: make.choice("Good", "Fair", "Poor", "N/A")
        ),
    ),
    ("Warehouse", "Administration", "Vehicles and yard", "Workshop"),
    {"Book values": ("cost", "depreciation")},
)  # fmt: skip

PAYMENTS: Final = RegisterPlan(
    "Payments Ledger",
    "payments",
    "voucher",
    (
        Listed(Field("paid_on", ("Paid on", "Date", "Posted"), Kind.DATE), lambda make: make.day(_RECENT, 360)),
        Listed(
            Field("voucher", ("Voucher", "Voucher No.", "Doc. No."), Kind.IDENTIFIER), lambda make: make.code("V######")
        ),
        Listed(Field("payee", ("Payee", "Paid to", "Name")), Inventor.company),
        Listed(
            Field("account", ("Account", "Acct.", "GL account"), Kind.IDENTIFIER),
            lambda make: make.choice("4100", "4210", "5300", "6005", "6120"),
        ),
        Listed(
            Field("debit", ("Debit", "Paid out"), Kind.MONEY, optional=True),
            lambda make: make.money(4, 9800),
            0.35,
            adds_up=True,
        ),
        Listed(
            Field("credit", ("Credit", "Paid in"), Kind.MONEY, optional=True),
            lambda make: make.money(4, 3200),
            0.5,
            adds_up=True,
        ),
    ),
    ("January", "February", "March", "April"),
    {"Amount": ("debit", "credit")},
)

PERMITS: Final = RegisterPlan(
    "Register of Street Trading Permits",
    "permits",
    "permit_number",
    (
        Listed(
            Field("permit_number", ("Permit No.", "Permit number", "Permit"), Kind.IDENTIFIER),
            lambda make: make.code("ST####/2#"),
        ),
        Listed(Field("holder", ("Holder", "Permit holder", "Issued to")), Inventor.person),
        Listed(Field("pitch", ("Pitch", "Address of pitch", "Place")), Inventor.street),
        Listed(Field("issued", ("Issued", "Date issued"), Kind.DATE), lambda make: make.day(_RECENT, 300)),
        Listed(
            Field("expires", ("Expires", "Valid until"), Kind.DATE, optional=True, null_tokens=("-",)),
            lambda make: make.day(_RECENT, 900),
            0.2,
        ),
        Listed(
            Field("fee", ("Fee", "Fee paid"), Kind.MONEY, optional=True, null_tokens=("-", "N/A")),
            lambda make: make.money(15, 480),
            0.15,
            adds_up=True,
        ),
    ),
    ("Ward 1", "Ward 2", "Market square", "Station road"),
    {"Validity": ("issued", "expires")},
)

STOCK: Final = RegisterPlan(
    "Stock Count Sheet",
    "stock",
    "sku",
    (
        Listed(Field("bin", ("Bin", "Shelf"), Kind.IDENTIFIER), lambda make: make.code("?#-##")),
        Listed(Field("sku", ("SKU", "Item No.", "Part number"), Kind.IDENTIFIER), lambda make: make.code("###-??-##")),
        Listed(
            Field("item", ("Item", "Item name", "Description")),
            lambda make: make.choice(
                "Hex bolt M8 x 40", "Hex bolt M8 x 50", "Washer M8", "Ball valve 1/2 inch", "Ball valve 3/4 inch",
                "Gasket set, pump type B", "Fuse 10 A, ceramic", "Relay 24 V DC", "Cable tie 200 mm, black",
            ),
        ),
        Listed(Field("counted", ("Counted", "Count", "On hand"), Kind.INTEGER), lambda make: make.integer(0, 2400)),
        Listed(
            Field("variance", ("Variance", "Difference"), Kind.INTEGER, optional=True),
            lambda make: make.integer(-40, 40),
            0.4,
        ),
        Listed(Field("unit_cost", ("Unit cost", "Cost each"), Kind.MONEY), lambda make: make.money(0.05, 180)),
        Listed(
            Field("value", ("Value", "Stock value"), Kind.MONEY), lambda make: make.money(1, 18000), adds_up=True
        ),
        Listed(
            Field("counted_by", ("Counted by", "Initials"), optional=True),
            lambda make: make.code("??"),
            0.1,
        ),
    ),
    ("Aisle A", "Aisle B", "Aisle C", "Cage"),
    {"Quantity": ("counted", "variance"), "Price": ("unit_cost", "value")},
)  # fmt: skip

PLANS: Final[Mapping[str, RegisterPlan]] = {
    "assets": ASSETS,
    "payments": PAYMENTS,
    "permits": PERMITS,
    "stock": STOCK,
}
