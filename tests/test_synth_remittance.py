"""A remittance advice reconciles from its service lines up to its payment, and looks like one in every difficulty."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from groundtruth import jsontext
from groundtruth.errors import SynthesisError
from synth.content import Content
from synth.display import DisplayList, Run
from synth.making import Asked, Made, invented, make, own, with_pages
from synth.pattern import CLEAN, HARD, draw, load_pattern
from synth.totals import wrong_totals
from synth.verify import Proof, check_overlaps, verify

PATTERN = load_pattern("remittance")
CLAIMS = 8


@cache
def content(difficulty: str, rows: int = CLAIMS, seed: int = 5) -> Content:
    return invented(Asked(PATTERN, PATTERN.difficulty(difficulty), seed), rows)


@cache
def drawn(difficulty: str, rows: int = CLAIMS) -> DisplayList:
    return draw(content(difficulty, rows))


def texts(difficulty: str, rows: int = CLAIMS) -> list[str]:
    return [run.text for _, run in drawn(difficulty, rows).runs()]


def printed(difficulty: str, leaf: str) -> list[tuple[int, Run]]:
    return [(page, run) for page, run in drawn(difficulty).runs() if run.leaf == leaf]


def lines(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for claim in value["remitted_claims"]:
        yield from claim["service_lines"]


@pytest.mark.parametrize("difficulty", [CLEAN, HARD, *(f"{name}=on" for name in PATTERN.switches)])
def test_every_leaf_is_printed_with_each_difficulty(difficulty: str) -> None:
    made = make(content(difficulty))
    assert wrong_totals(PATTERN, made.content.value) == []
    assert make(Content.from_json(jsontext.loads(made.content_bytes))).pdf == made.pdf


@pytest.mark.parametrize("seed", range(2))
def test_what_is_billed_is_paid_or_adjusted(seed: int) -> None:
    value = content(HARD, 30, seed).value
    for claim in value["remitted_claims"]:
        assert claim["billed"] == claim["paid"] + sum(one["amount"] for one in claim["adjustments"])
        assert all(line["paid"] >= 0 and line["allowed"] >= 0 for line in claim["service_lines"])
        assert claim["service_from"] <= claim["service_to"] < value["payment_date"]
    assert value["payment_amount"] == value["total_paid"] + value["total_provider_adjustments"]
    assert value["payment_amount"] > 0


def set_to(path: tuple[Any, ...], amount: str, value: dict[str, Any]) -> None:
    node: Any = value
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = Decimal(amount)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        pytest.param(("payment_amount",), "payment_amount", id="payment"),
        pytest.param(("total_paid",), "total_paid", id="total"),
        pytest.param(("remitted_claims", 0, "billed"), r"remitted_claims[0].billed", id="claim"),
        pytest.param(("remitted_claims", 0, "service_lines", 0, "paid"), "service_lines[0].paid", id="line"),
        pytest.param(("remitted_claims", 0, "adjustments", 0, "amount"), "remitted_claims[0].adjustments", id="reason"),
        pytest.param(("provider_adjustments", 0, "amount"), "total_provider_adjustments", id="provider"),
    ],
)
def test_an_amount_that_does_not_follow_is_found(path: tuple[Any, ...], found: str) -> None:
    value = copy.deepcopy(content(CLEAN).value)
    assert wrong_totals(PATTERN, value) == []
    set_to(path, "123456.78", value)
    assert any(found in fault for fault in wrong_totals(PATTERN, value))


def test_nothing_that_does_not_apply_is_printed_as_zero_or_zero_as_nothing() -> None:
    value = content("null-marks=on", 30).value
    owed = [line[name] for line in lines(value) for name in ("deductible", "coinsurance", "copay")]
    assert {None, Decimal("0.00")} <= set(owed)
    everything = texts("null-marks=on", 30)
    assert {"—", "N/A", "0.00"} <= set(everything)
    assert not {"—", "N/A"} & set(texts(CLEAN, 30))


def test_a_claim_stays_on_one_page_unless_it_may_be_split() -> None:
    def pages(difficulty: str) -> set[int]:
        made = draw(content(difficulty, 40))
        found: dict[str, set[int]] = {}
        for page, run in made.runs():
            if run.leaf and run.leaf.startswith("remitted_claims"):
                found.setdefault(run.leaf.partition("]")[0], set()).add(page)
        return {len(on) for on in found.values()}

    assert pages(CLEAN) == {1}
    assert pages("split-claims=on") == {1, 2}
    assert pages("split-claims=on,lines-in-cell=on") == {1, 2}
    assert any(text.endswith("(continued)") and text.startswith("Claim ") for text in texts("split-claims=on", 40))


def test_the_header_is_repeated_or_not() -> None:
    pages = len(drawn(CLEAN).sheets)
    assert pages > 1
    assert texts(CLEAN).count("Serv. date") == pages
    assert texts("header-once=on").count("Serv. date") == 1


def test_service_lines_in_a_cell_stand_right_of_the_claim_they_belong_to() -> None:
    ((_, name),) = printed("lines-in-cell=on", "remitted_claims[0].patient_name")
    ((_, code),) = printed("lines-in-cell=on", "remitted_claims[0].service_lines[0].procedure_code")
    assert code.x > name.x + name.width
    assert code.y < name.y + 40


def test_a_provider_that_is_printed_once_is_evidence_for_each_of_its_claims() -> None:
    made = drawn("sections=on")
    assert not printed("sections=on", "remitted_claims[1].provider_name")
    for number, claim in enumerate(content("sections=on").value["remitted_claims"]):
        (spot,) = made.cited[f"remitted_claims[{number}].provider_name"]
        assert made.sheets[spot.page - 1].runs[spot.run].text == claim["provider_name"]


def test_voided_claims_and_subtotals_are_printed_and_are_no_values() -> None:
    claims = content("voids=on,subtotals=on").value["remitted_claims"]
    voided = content("voids=on,subtotals=on").aside["voided"]
    assert voided
    numbers = {one["claim"]["claim_number"] for one in voided}
    assert not numbers & {claim["claim_number"] for claim in claims}
    everything = texts("voids=on,subtotals=on")
    assert numbers <= set(everything)
    assert "PAGE SUBTOTAL" in everything


def test_near_duplicates_differ_in_the_last_digit_of_their_number() -> None:
    first, second = content("near-duplicates=on").value["remitted_claims"][:2]
    assert first["claim_number"][:-1] == second["claim_number"][:-1]
    assert first["claim_number"] != second["claim_number"]
    assert first["patient_name"] == second["patient_name"]


def test_as_many_claims_as_asked_and_as_fill_so_many_pages() -> None:
    assert len(content(HARD, 1).value["remitted_claims"]) == 1
    assert len(draw(with_pages(Asked(PATTERN), 2)).sheets) == 2


def test_more_claims_than_a_truth_can_hold_are_refused_at_once() -> None:
    with pytest.raises(SynthesisError, match="--rows 100,000: at most 10,000"):
        invented(Asked(PATTERN), 100_000)


def test_own_claims_with_their_lines_are_reckoned_up(tmp_path: Path) -> None:
    claim = content(CLEAN).value["remitted_claims"][0]
    file = tmp_path / "claims.json"
    file.write_text(jsontext.dumps([claim]))
    value = own(Asked(PATTERN), file).value
    assert (value["claim_count"], value["total_billed"]) == (1, claim["billed"])


@pytest.mark.parametrize("difficulty", [CLEAN, "lines-in-cell=on"])
@pytest.mark.parametrize("name", ["payer", "payee", "patient_name", "status"])
def test_a_long_name_is_printed_smaller_and_then_refused(difficulty: str, name: str) -> None:
    base = content(difficulty, 1)
    for words, is_refused in ((4, False), (60, True)):
        value = copy.deepcopy(base.value)
        (value["remitted_claims"][0] if name in value["remitted_claims"][0] else value)[name] = "Wilson " * words + "X"
        changed = Content(base.pattern, base.layout, base.font, base.switches, value, base.aside)
        if is_refused:
            with pytest.raises(SynthesisError, match=rf"{name}: .* does not fit"):
                draw(changed)
        else:
            proof = Proof()
            check_overlaps(proof, draw(changed))
            assert proof.findings == []


def test_own_claims_that_do_not_add_up_are_refused(tmp_path: Path) -> None:
    claim = {**content(CLEAN).value["remitted_claims"][0], "billed": Decimal("1.00")}
    file = tmp_path / "claims.json"
    file.write_text(jsontext.dumps([claim]))
    with pytest.raises(SynthesisError, match=r"remitted_claims\[0\]\.billed: says 1.00"):
        own(Asked(PATTERN), file)


@pytest.mark.e2e
@pytest.mark.parametrize("difficulty", [CLEAN, HARD])
@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_proved_on_all_pages(difficulty: str, seed: int, tmp_path: Path) -> None:
    made: Made = make(content(difficulty, 40, seed))
    file = tmp_path / "document.pdf"
    file.write_bytes(made.pdf)
    proof = verify(made.content, file, made.truth, document=made.document, schema_name=PATTERN.name, pages=None)
    assert proof.findings == []


def test_the_schema_nests_two_levels_under_names_that_no_scorer_minds() -> None:
    names = json.dumps(PATTERN.schema)
    assert '"service_lines"' in names
    for refused in ("claims", "payment_details", "rendering_provider", "description", "court"):
        assert f'"{refused}": {{' not in names
