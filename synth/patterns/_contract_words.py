"""What the US government buys: families of line items with their sub-lines, as a schedule words them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

_MONTHS: Final = (12, 12, 12, 12, 6)
_ONE: Final = (1,)


class Family(NamedTuple):
    """A line item and the sub-lines that it may have.

    Attributes:
        title: of the line item.
        service_code: of the product or service, four signs.
        about: its narrative, with places for ``{paragraph}`` and ``{exhibit}``.
        unit: what is counted.
        quantities: how many, each as often as it is listed.
        works: the titles of its sub-lines, each with what a unit of it costs about; without any, the line item has a
            price itself.
        details: narratives of which a sub-line has one, with a place for ``{title}`` too.
        price: what a unit costs about, of a line item without sub-lines.
        contract_type: how it is priced, as abbreviated in contracts.
        is_supply: whether its sub-lines are goods with a stock number, which are delivered.
        is_data: whether it is not separately priced.
        months: how long it lasts from the start of each year, or None for the whole year.
    """

    title: str
    service_code: str
    about: str
    unit: str
    quantities: Sequence[int]
    works: Sequence[tuple[str, int]] = ()
    details: Sequence[str] = ()
    price: int = 0
    contract_type: str = "FFP"
    is_supply: bool = False
    is_data: bool = False
    months: int | None = None


_SITES: Final = (
    ("MAIN CAMPUS, BUILDINGS 100 THROUGH 148", 14_200),
    ("NORTH ANNEX, BUILDING 212", 3_150),
    ("FLIGHT LINE SUPPORT FACILITY, BUILDING 1730", 5_480),
    ("MEDICAL CLINIC, BUILDING 36", 8_900),
    ("CHILD DEVELOPMENT CENTER, BUILDING 455", 4_260),
    ("WAREHOUSE COMPLEX, BUILDINGS 900, 902 AND 904", 2_740),
    ("TRAINING RANGE CONTROL, BUILDING 2101", 1_980),
)
_LABOR: Final = (
    ("PROGRAM MANAGER", 148),
    ("SENIOR SYSTEMS ENGINEER", 162),
    ("SYSTEMS ENGINEER II", 118),
    ("NETWORK ADMINISTRATOR III", 104),
    ("DATABASE ADMINISTRATOR", 112),
    ("INFORMATION SECURITY ANALYST", 121),
    ("TECHNICAL WRITER", 78),
    ("LOGISTICS ANALYST", 84),
    ("SUBJECT MATTER EXPERT, LEVEL III", 214),
    ("HELP DESK SPECIALIST, TIER 2", 62),
)
_SITE_WORK: Final = (
    "All labor, supervision, tools, materials and equipment for the {title} as specified in PWS {paragraph}.",
    "Recurring service on the schedule of Technical Exhibit {exhibit}, to the standards of PWS {paragraph}.",
    "Monthly service, Monday through Friday except federal holidays. Surge support is ordered under a separate item.",
    "Services shall conform to PWS {paragraph}. Invoices shall be submitted monthly in arrears through WAWF.",
)
_LABOR_WORK: Final = (
    "Fully burdened hourly rate for the labor category {title}. Minimum qualifications are those of PWS {paragraph}.",
    "On-site hours at the Government facility. The ceiling may not be exceeded without a written modification.",
    "Level of effort as described in PWS {paragraph}; timekeeping records shall be available for audit.",
)
_GOODS: Final = (
    "{title}. New manufacture, packaged and marked in accordance with MIL-STD-129 and MIL-STD-2073-1E.",
    "Inspection and acceptance at destination. Item unique identification is required under DFARS 252.211-7003.",
    "Brand name or equal. Salient characteristics are listed in Attachment {exhibit}. FOB destination.",
    "{title}, with mounting hardware and commercial manual. Shelf life at delivery shall be at least 80 percent.",
)

FAMILIES: Final = (
    Family(
        "PROGRAM MANAGEMENT SUPPORT",
        "R408",
        "The Contractor shall provide program management in accordance with Performance Work Statement "
        "(PWS) paragraph {paragraph}, to include integrated schedules, staffing plans and a monthly "
        "status review.",
        unit="Months",
        quantities=(12,),
        price=41_000,
    ),
    Family(
        "CUSTODIAL SERVICES",
        "S201",
        "Custodial services by location in accordance with PWS {paragraph} and Technical Exhibit {exhibit}.",
        works=_SITES,
        details=_SITE_WORK,
        unit="Months",
        quantities=_MONTHS,
    ),
    Family(
        "REPAIR PARTS, HEATING AND COOLING",
        "4140",
        "Parts are ordered by sub-line. Quantities are firm for the period; partial shipments are allowed.",
        works=(
            ("COMPRESSOR, RECIPROCATING, 10 TON, R-410A", 3_860),
            ("MOTOR, CONDENSER FAN, 1 HP, 460V", 412),
            ("VALVE, THERMOSTATIC EXPANSION, 5 TON", 146),
            ("FILTER ELEMENT, AIR, PLEATED, MERV 13, 24X24X4", 38),
            ("THERMOSTAT, PROGRAMMABLE, BACNET", 274),
            ("PUMP, CENTRIFUGAL, 40 GPM, BRONZE FITTED", 1_690),
            ("COIL, EVAPORATOR, 4 ROW", 2_240),
        ),
        details=_GOODS,
        unit="Each",
        quantities=(4, 8, 12, 24, 36, 48, 60, 120),
        is_supply=True,
    ),
    Family(
        "TECHNICAL SERVICES LABOR HOURS",
        "R425",
        "Labor hours for engineering and technical services under PWS {paragraph}. Hours are estimates "
        "and are invoiced as incurred.",
        works=_LABOR,
        details=_LABOR_WORK,
        unit="Hours",
        quantities=(480, 960, 1_880, 1_920, 3_840),
        contract_type="LH",
    ),
    Family(
        "CONTRACT DATA REQUIREMENTS LIST",
        "R499",
        "Data in accordance with Exhibit {exhibit}, DD Form 1423. The price of all data is included in "
        "the prices of the other items.",
        unit="Lot",
        quantities=_ONE,
        is_data=True,
    ),
    Family(
        "TRAVEL",
        "V301",
        "Travel in support of PWS {paragraph}, reimbursed at cost under the Joint Travel Regulations. Not "
        "to exceed the amount shown; no fee applies.",
        unit="Lot",
        quantities=_ONE,
        price=64_000,
        contract_type="COST",
    ),
    Family(
        "GROUNDS MAINTENANCE",
        "S208",
        "Mowing, edging, leaf removal and snow removal in accordance with PWS {paragraph}. Acreages are "
        "those of Technical Exhibit {exhibit}.",
        works=(
            ("IMPROVED GROUNDS, 118 ACRES", 21_400),
            ("SEMI-IMPROVED GROUNDS, 342 ACRES", 12_800),
            ("ATHLETIC FIELDS 1 THROUGH 6", 4_350),
            ("PARADE FIELD AND HEADQUARTERS LAWN", 2_680),
            ("SNOW AND ICE CONTROL, PRIORITY 1 ROADS", 16_900),
        ),
        details=_SITE_WORK,
        unit="Months",
        quantities=(12, 9, 7, 5),
        months=9,
    ),
    Family(
        "NETWORK AND COMPUTING EQUIPMENT",
        "7G21",
        "Equipment shall be compliant with section 889 of Public Law 115-232 and the Trade Agreements Act.",
        works=(
            ("SWITCH, ETHERNET, 48 PORT, POE+, LAYER 3", 6_420),
            ("SERVER, RACK MOUNT, 2U, DUAL PROCESSOR", 18_750),
            ("ARRAY, STORAGE, 96 TB USABLE", 61_300),
            ("FIREWALL, NEXT GENERATION, 10 GBPS", 27_900),
            ("WORKSTATION, CAD, 64 GB", 3_980),
            ("UNINTERRUPTIBLE POWER SUPPLY, 3 KVA", 2_160),
            ("TRANSCEIVER MODULE, SFP+, 10 GBPS, SINGLE MODE", 310),
        ),
        details=_GOODS,
        unit="Each",
        quantities=(2, 4, 6, 10, 16, 24, 40),
        is_supply=True,
    ),
    Family(
        "HELP DESK AND END USER SUPPORT",
        "DE10",
        "Tiered support of about 2,400 users in accordance with PWS {paragraph}.",
        works=(
            ("TIER 1 SERVICE DESK, 24 HOURS", 68_400),
            ("TIER 2 DESKSIDE SUPPORT", 51_700),
            ("VIP SUPPORT TEAM", 18_300),
            ("DEVICE REFRESH AND IMAGING", 12_600),
            ("VIDEO TELECONFERENCE SUPPORT", 9_700),
        ),
        details=_SITE_WORK,
        unit="Months",
        quantities=_MONTHS,
    ),
    Family(
        "TRANSITION-IN",
        "R799",
        "Phase-in services in accordance with the accepted transition plan and PWS {paragraph}, complete "
        "within sixty (60) days of award.",
        unit="Job",
        quantities=_ONE,
        price=88_000,
        months=2,
    ),
    Family(
        "PREVENTIVE MAINTENANCE OF REAL PROPERTY EQUIPMENT",
        "J041",
        "Preventive maintenance to manufacturers' recommendations and PWS {paragraph}.",
        works=(
            ("ELEVATORS AND LIFTS, 14 CARS", 7_850),
            ("FIRE ALARM AND SUPPRESSION SYSTEMS", 11_200),
            ("BOILERS AND PRESSURE VESSELS", 8_900),
            ("EMERGENCY GENERATORS, 35 KW TO 750 KW", 6_300),
            ("OVERHEAD CRANES AND HOISTS", 2_450),
            ("BACKFLOW PREVENTERS, ANNUAL CERTIFICATION", 1_240),
        ),
        details=_SITE_WORK,
        unit="Months",
        quantities=(12, 12, 4, 2),
    ),
    Family(
        "TECHNICAL DATA AND MANUALS",
        "U099",
        "Operation and maintenance data in accordance with Exhibit {exhibit}, delivered in electronic "
        "form with unlimited rights under DFARS 252.227-7013.",
        unit="Lot",
        quantities=_ONE,
        is_data=True,
    ),
    Family(
        "SAFETY AND FIELD EQUIPMENT",
        "4240",
        "Deliver to the addresses of each sub-line. Substitutions require the approval of the Contracting Officer.",
        works=(
            ("HELMET, FLIGHT DECK, IMPACT RESISTANT, LARGE", 286),
            ("RESPIRATOR, FULL FACE, MEDIUM", 214),
            ("HARNESS, FALL PROTECTION, UNIVERSAL", 178),
            ("EXTINGUISHER, FIRE, DRY CHEMICAL, 20 LB", 163),
            ("LITTER, RESCUE, FOLDING", 640),
            ("GLOVES, ELECTRICIAN, CLASS 2, SIZE 10", 96),
        ),
        details=_GOODS,
        unit="Each",
        quantities=(10, 20, 24, 50, 75, 100, 150),
        is_supply=True,
    ),
    Family(
        "OTHER DIRECT COSTS",
        "R699",
        "Materials, subscriptions and licenses approved in advance by the COR. Not to exceed the amount shown.",
        unit="Lot",
        quantities=_ONE,
        price=97_000,
        contract_type="COST",
    ),
)
