"""What a field may be called on a page, how a document writes, and what words are a value of a field."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from extraction_builders import BOOLEAN, DATE, INTEGER, NUMBER, TEXT, schema
from extractors.conventions import Conventions, observe
from extractors.labels import LabelBook, SchemaNames, key_tokens, tokens_of
from extractors.typed import checkbox, is_judgeable, is_plausible, parse
from extractors.words import Word
from groundtruth.box import Box
from groundtruth.rules import DateOrder
from groundtruth.schema import FrozenSchema, Leaf


def book_of(compiled: FrozenSchema) -> LabelBook:
    names = SchemaNames(compiled)
    return LabelBook(name for leaf in compiled.root.leaves() for name in names.of_leaf(leaf))


def leaf_of(subschema: dict[str, Any], name: str = "field", **rule: Any) -> Leaf:
    (leaf,) = schema({name: subschema}, fields={name: rule} if rule else {}).root.leaves()
    return leaf


def words_of(text: str) -> list[Word]:
    box = Box(0.1, 0.1, 0.2, 0.2)
    return [Word(part, 10.0 * n, 0, 10.0 * n + 8, 10, box, "", 1, n) for n, part in enumerate(text.split())]


def read(leaf: Leaf, text: str, conventions: Conventions | None = None) -> Any:
    parsed = parse(leaf, words_of(text), conventions or Conventions())
    return None if parsed is None else parsed.value


@pytest.mark.parametrize(
    ("key", "label"),
    [("invoiceNo", "Invoice Number"), ("invoice_no", "Invoice #"), ("VATRate", "VAT rate"), ("qty", "Quantity:")],
)
def test_a_key_taken_apart_is_its_printed_label(key: str, label: str) -> None:
    assert key_tokens(key) == tokens_of(label)


@pytest.mark.parametrize(
    ("subschema", "printed", "weight"),
    [
        pytest.param(TEXT, "Customer Reference", 1.0, id="key"),
        pytest.param(TEXT | {"title": "Your ref."}, "YOUR REF:", 1.0, id="title"),
        pytest.param(TEXT | {"x-aliases": ["Order code"]}, "Order Code", 1.0, id="alias"),
        pytest.param(TEXT | {"description": "printed as 'Kundennummer'"}, "Kundennummer", 1.0, id="quoted"),
        pytest.param(TEXT | {"description": "the code (מספר לקוח)"}, "מספר לקוח", 1.0, id="in-parentheses"),
        pytest.param(TEXT | {"description": "such as 'Ethiopian'"}, "Ethiopian", 0.0, id="example-after-such-as"),
        pytest.param(TEXT | {"description": "the code (e.g. 'AB')"}, "AB", 0.0, id="example-in-parentheses"),
        pytest.param(TEXT, "Customer Reference (if any)", 0.9, id="hint-in-parentheses"),
        pytest.param(TEXT, "Customer Referense", 0.9, id="misspelt"),
        pytest.param(TEXT, "Your Customer Reference", 0.9, id="filler"),
        pytest.param(TEXT, "Supplier Reference", 0.0, id="another-word"),
        pytest.param(TEXT, "", 0.0, id="empty"),
    ],
)
def test_a_label_names_its_leaf(subschema: dict[str, Any], printed: str, weight: float) -> None:
    found = book_of(schema({"customer_reference": subschema})).named_by(printed)
    assert [named.weight for named in found] == ([weight] if weight else [])


def test_a_label_may_leave_out_what_says_nothing() -> None:
    found = book_of(schema({"invoice_number": TEXT, "invoice_date": DATE})).named_by("Invoice")
    assert {(named.leaf.name, named.weight) for named in found} == {("invoice_number", 0.75), ("invoice_date", 0.75)}


def test_digits_are_never_a_slip_of_the_pen() -> None:
    book = book_of(schema({"address_line_1": TEXT, "address_line_2": TEXT}))
    assert [named.leaf.name for named in book.named_by("Address line 2")] == ["address_line_2"]
    assert book.named_by("Address line 3") == ()


def test_names_are_found_through_references_and_unions() -> None:
    compiled = schema(
        {"buyer": {"anyOf": [{"$ref": "#/properties/party"}, {"type": "null"}]}, "party": {
            "type": "object", "properties": {"vat": TEXT | {"x-aliases": ["USt-IdNr."]}},
        }}
    )  # fmt: skip
    found = book_of(compiled).named_by("USt-IdNr.")
    assert {named.leaf.name for named in found} == {"buyer.vat", "party.vat"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param(["1.234,50", "99,10"], Conventions(decimal_comma=True), id="comma"),
        pytest.param(["1.234,50", "1,234.50"], Conventions(), id="both"),
        pytest.param(["25/12/2024", "03/04/2025"], Conventions(date_order=DateOrder.DMY), id="day-first"),
        pytest.param(["12/25/24"], Conventions(date_order=DateOrder.MDY), id="month-first"),
        pytest.param(["25/12/2024", "12/25/2024"], Conventions(), id="no-order-fits"),
        pytest.param(["03/04/2025"], Conventions(), id="ambiguous"),
        pytest.param(["08-31-47", "01632-960-417"], Conventions(), id="no-date"),
    ],
)
def test_conventions_are_read_off_the_document(words: list[str], expected: Conventions) -> None:
    assert observe(words) == expected


@pytest.mark.parametrize(
    ("leaf", "text", "expected"),
    [
        pytest.param(leaf_of(NUMBER), "$ 1,234.50", Decimal("1234.5"), id="sign-of-a-bare-number"),
        pytest.param(leaf_of(NUMBER), "(12.00)", -12, id="parentheses"),
        pytest.param(leaf_of(NUMBER), "21.4 °C", Decimal("21.4"), id="unit"),
        pytest.param(leaf_of(NUMBER), "12 of the 13 items", None, id="sentence"),
        pytest.param(leaf_of(NUMBER), "20%", None, id="percent-not-wanted"),
        pytest.param(leaf_of(NUMBER, "tax_rate"), "20 %", 20, id="percent-wanted"),
        pytest.param(leaf_of(NUMBER), "55,345.389,1", None, id="mixed-grouping"),
        pytest.param(leaf_of(INTEGER), "12", 12, id="integer"),
        pytest.param(leaf_of(INTEGER), "12.50", None, id="integer-with-decimals"),
        pytest.param(leaf_of(DATE), "4 March 2025 Page 1", "2025-03-04", id="date-then-words"),
        pytest.param(leaf_of(DATE), "03/04/2025", "03/04/2025", id="ambiguous-date-as-printed"),
        pytest.param(leaf_of(DATE, date_order="DMY"), "03/04/2025", "2025-04-03", id="declared-order"),
        pytest.param(leaf_of(DATE), "Net 30", None, id="no-date"),
        pytest.param(
            leaf_of(TEXT | {"description": "in YYYY-MM-DD format"}), "March 4, 2025", "2025-03-04", id="text-of-iso"
        ),
        pytest.param(leaf_of(BOOLEAN), "☒", True, id="checked"),
        pytest.param(leaf_of(BOOLEAN), "[ ]", False, id="unchecked"),
        pytest.param(leaf_of({"enum": ["Single", "Married", None]}), "SINGLE", "Single", id="enum"),
        pytest.param(leaf_of({"enum": ["Single", "Married", None]}), "Divorced", None, id="not-a-member"),
        pytest.param(
            leaf_of({"type": "array", "items": TEXT}), "red, green; blue", ["red", "green", "blue"], id="list"
        ),
        pytest.param(leaf_of(TEXT), "", None, id="nothing"),
    ],
)
def test_printed_words_are_a_value_of_their_field_or_none(leaf: Leaf, text: str, expected: Any) -> None:
    found = read(leaf, text)
    assert found == expected
    assert type(found) is type(expected)


def test_the_documents_own_conventions_serve_where_no_rule_speaks() -> None:
    comma = Conventions(decimal_comma=True, date_order=DateOrder.DMY)
    assert read(leaf_of(NUMBER), "1.234,50 €", comma) == Decimal("1234.5")
    assert read(leaf_of(NUMBER, locale="en-GB"), "1.234,50", comma) is None
    assert read(leaf_of(DATE), "03/04/2025", comma) == "2025-04-03"
    assert read(leaf_of(DATE, date_order="MDY"), "03/04/2025", comma) == "2025-03-04"


@pytest.mark.parametrize(
    ("name", "text", "plausible"),
    [
        ("policy_number", "PENDING", False),
        ("policy_number", "254H 089", True),
        ("policy_number", "1 2 3 4 5 6 7", False),
        ("customer_name", "1", False),
        ("carrier", "a " * 13, False),
        ("remarks", "a " * 13, True),
    ],
)
def test_text_is_gated_by_what_its_name_says(name: str, text: str, *, plausible: bool) -> None:
    leaf = leaf_of(TEXT, name)
    parsed = parse(leaf, words_of(text), Conventions())
    assert parsed is not None
    assert is_plausible(leaf, parsed) is plausible


@pytest.mark.parametrize(
    ("mark", "expected"), [("[x]", True), ("[ ]", False), ("☑", True), ("☐", False), ("x", None), ("[12]", None)]
)
def test_checkbox(mark: str, *, expected: bool | None) -> None:
    assert checkbox(mark) is expected


def test_what_must_be_made_out_of_the_page_is_not_judged() -> None:
    assert not is_judgeable(leaf_of(TEXT | {"description": "the address lines joined with commas"}))
    assert not is_judgeable(leaf_of({"type": "object"}))
    assert is_judgeable(leaf_of(TEXT | {"description": "the sum of all lines"}))
