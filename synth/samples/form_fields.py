"""What the sample forms ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from synth.samples.invent import Inventor
from synth.samples.wording import Field, Kind

_RECENT: Final = date(2024, 1, 1)


class Entry(NamedTuple):
    """A field of a form, how its value is invented, and how wide its box is in twelfths of the page."""

    field: Field
    invent: Callable[[Inventor], Json]
    width: int = 4


class Section(NamedTuple):
    """Entries under one heading; ``key`` is the object that holds them when the schema nests."""

    key: str
    heading: str
    entries: Sequence[Entry]


class FormPlan(NamedTuple):
    """A form: its title, who issues it, its sections, and the boxes to tick, by label.

    With ``repeats_labels`` a label says what it means only together with the heading of its section.
    """

    title: str
    issuer: str
    sections: Sequence[Section]
    ticks_heading: str
    ticks: Sequence[Field]
    repeats_labels: bool = False


def _field(key: str, *labels: str, kind: Kind = Kind.TEXT, optional: bool = False) -> Field:
    return Field(key, labels, kind, optional=optional)


def _ticks(labels: Mapping[str, str]) -> tuple[Field, ...]:
    return tuple(Field(key, (label,), Kind.BOOLEAN) for key, label in labels.items())


def _optional(entry: Entry) -> Entry:
    return entry._replace(field=replace(entry.field, optional=True))


_FULL_NAME = Entry(_field("full_name", "Full name", "Name of applicant", "Applicant"), Inventor.person, 6)
_BIRTH = Entry(
    _field("date_of_birth", "Date of birth", "Birth date", "DOB", kind=Kind.DATE),
    lambda make: make.day(date(1950, 1, 1), 18000),
    3,
)
_PHONE = _optional(Entry(_field("phone", "Phone", "Telephone", "Daytime phone"), Inventor.phone, 3))
_EMAIL = _optional(Entry(_field("email", "Email", "E-mail address"), Inventor.email, 6))
_ADDRESS = Entry(_field("mailing_address", "Mailing address", "Postal address", "Address"), Inventor.address, 6)

PERMIT: Final = FormPlan(
    "Application for Building Permit",
    "County Office of Planning and Inspection",
    (
        Section("applicant", "Applicant", (_FULL_NAME, _optional(_BIRTH), _PHONE, _ADDRESS, _EMAIL)),
        Section(
            "property",
            "Property",
            (
                Entry(
                    _field("parcel_number", "Parcel No.", "Parcel number", "Assessor's parcel", kind=Kind.IDENTIFIER),
                    lambda make: make.code("##-####-0##"),
                ),
                Entry(
                    _field("zoning", "Zoning", "Zoning district"),
                    lambda make: make.choice("R-1", "R-2A", "C-3", "MX-1", "AG-5"),
                    2,
                ),
                Entry(
                    _field("lot_size_sqft", "Lot size (sq ft)", "Lot area, sq. ft.", kind=Kind.INTEGER),
                    lambda make: make.integer(2400, 48000),
                    3,
                ),
                Entry(
                    _field("year_built", "Year built", "Built in", kind=Kind.IDENTIFIER, optional=True),
                    lambda make: str(make.integer(1921, 2019)),
                    3,
                ),
            ),
        ),
        Section(
            "work",
            "Proposed work",
            (
                Entry(
                    _field("work_type", "Type of work", "Nature of work"),
                    lambda make: make.choice("Addition", "Detached garage", "Roof replacement", "Kitchen remodel"),
                ),
                Entry(
                    _field("estimated_cost", "Estimated cost", "Value of work", kind=Kind.MONEY),
                    lambda make: make.money(1200, 98000),
                ),
                Entry(
                    _field("start_date", "Start date", "Planned start", "Work begins", kind=Kind.DATE, optional=True),
                    lambda make: make.day(_RECENT, 700),
                ),
                Entry(_field("contractor", "Contractor", "Contractor's name", optional=True), Inventor.company, 8),
                Entry(
                    _field("license_number", "License No.", "Contractor license", kind=Kind.IDENTIFIER, optional=True),
                    lambda make: make.code("?#####"),
                ),
            ),
        ),
    ),
    "Enclosed with this application",
    _ticks(
        {
            "has_site_plan": "Site plan",
            "has_energy_report": "Energy report",
            "has_survey": "Boundary survey",
            "owner_builder": "Owner is builder",
        }
    ),
)

EMPLOYEE: Final = FormPlan(
    "Employee Record",
    "Human Resources, form HR-12",
    (
        Section(
            "employee",
            "Employee",
            (
                Entry(
                    _field("employee_number", "Employee No.", "Employee number", "Staff ID", kind=Kind.IDENTIFIER),
                    lambda make: make.code("E-#####"),
                    3,
                ),
                Entry(_field("full_name", "Full name", "Employee name"), Inventor.person, 6),
                _BIRTH,
                _ADDRESS,
                _EMAIL,
                _PHONE,
            ),
        ),
        Section(
            "position",
            "Position",
            (
                Entry(_field("job_title", "Job title", "Position held"), Inventor.job, 6),
                Entry(
                    _field("department", "Department", "Dept.", "Cost center"),
                    lambda make: make.choice("Logistics", "Accounts payable", "Field service", "Quality control"),
                ),
                Entry(
                    _field("hire_date", "Hire date", "Date hired", "Start of employment", kind=Kind.DATE), Inventor.day
                ),
                Entry(
                    _field("annual_salary", "Annual salary", "Salary per year", kind=Kind.MONEY),
                    lambda make: make.money(31000, 99000),
                ),
                Entry(
                    _field("weekly_hours", "Weekly hours", "Hours per week", kind=Kind.NUMBER),
                    lambda make: make.integer(16, 40),
                ),
            ),
        ),
        Section(
            "emergency_contact",
            "Emergency contact",
            (
                Entry(_field("contact_name", "Contact name", "Person to notify", optional=True), Inventor.person, 6),
                Entry(
                    _field("relationship", "Relationship", "Relation to employee", optional=True),
                    lambda make: make.choice("Spouse", "Parent", "Sibling", "Friend"),
                    3,
                ),
                Entry(_field("contact_phone", "Contact phone", "Phone of contact", optional=True), Inventor.phone, 3),
            ),
        ),
    ),
    "Benefits chosen",
    _ticks(
        {
            "medical_plan": "Medical plan",
            "dental_plan": "Dental plan",
            "retirement_plan": "Retirement plan",
            "parking_permit": "Parking permit",
        }
    ),
)

CLAIM: Final = FormPlan(
    "Notice of Property Claim",
    "Claims Department",
    (
        Section(
            "policy",
            "Policy",
            (
                Entry(
                    _field("policy_number", "Policy No.", "Policy number", "Policy", kind=Kind.IDENTIFIER),
                    lambda make: make.code("HP-####-?##"),
                ),
                Entry(
                    _field("claim_number", "Claim No.", "Claim number", "Our reference", kind=Kind.IDENTIFIER),
                    lambda make: make.code("CL######"),
                ),
                Entry(
                    _field("policy_expires", "Policy expires", "Expiry date", kind=Kind.DATE),
                    lambda make: make.day(_RECENT, 900),
                ),
                Entry(_field("insured_name", "Insured name", "Name of insured", "Policyholder"), Inventor.person, 6),
                _PHONE,
                _ADDRESS,
                _EMAIL,
            ),
        ),
        Section(
            "loss",
            "Loss",
            (
                Entry(
                    _field("date_of_loss", "Date of loss", "Loss occurred on", kind=Kind.DATE),
                    lambda make: make.day(_RECENT, 600),
                ),
                Entry(
                    _field("cause_of_loss", "Cause of loss", "Cause"),
                    lambda make: make.choice("Burst pipe", "Hail", "Kitchen fire", "Fallen tree", "Theft"),
                ),
                Entry(
                    _field("police_report_number", "Police report No.", "Report number", kind=Kind.IDENTIFIER,
                           optional=True),
                    lambda make: make.code("##-#####"),
                ),
                Entry(
                    _field("amount_claimed", "Amount claimed", "Total claimed", kind=Kind.MONEY),
                    lambda make: make.money(240, 38000),
                ),
                Entry(
                    _field("deductible", "Deductible", "Deductible applied", kind=Kind.MONEY),
                    lambda make: make.money(100, 2500),
                ),
                Entry(
                    _field("salvage_value", "Salvage value", "Less salvage", kind=Kind.MONEY, optional=True),
                    lambda make: -make.money(10, 900),
                ),
            ),
        ),
    ),
    "Please tick what applies",
    _ticks(
        {
            "repairs_completed": "Repairs completed",
            "photographs_attached": "Photographs attached",
            "other_insurance": "Other insurance in force",
        }
    ),
)  # fmt: skip


def _person(key: str, heading: str) -> Section:
    """A person with the labels that every other person of the form has, too."""
    return Section(
        key,
        heading,
        (
            Entry(_field("name", "Name"), Inventor.person, 6),
            Entry(_field("phone", "Phone", "Telephone", optional=True), Inventor.phone, 3),
            Entry(_field("since", "Since", "Known since", kind=Kind.DATE, optional=True), lambda make: make.day(), 3),
            Entry(_field("address", "Address"), Inventor.address, 6),
            Entry(_field("email", "Email", optional=True), Inventor.email, 6),
        ),
    )


TENANCY: Final = FormPlan(
    "Rental Application",
    "Property Management",
    (
        _person("applicant", "Applicant"),
        _person("current_landlord", "Current landlord"),
        _person("guarantor", "Guarantor"),
        Section(
            "tenancy",
            "Tenancy",
            (
                Entry(_field("unit", "Unit", "Unit applied for", kind=Kind.IDENTIFIER), lambda make: make.code("##?")),
                Entry(
                    _field("monthly_rent", "Monthly rent", "Rent per month", kind=Kind.MONEY),
                    lambda make: make.money(480, 3900),
                ),
                Entry(_field("move_in", "Move in", "Wanted from", kind=Kind.DATE), lambda make: make.day(_RECENT, 900)),
            ),
        ),
    ),
    "Household",
    _ticks({"has_pets": "Pets", "smokes": "Smoker", "needs_parking": "Parking needed"}),
    repeats_labels=True,
)
