"""A filled form: what is ticked, blank, struck through, run over or noted beside it is what its truth says."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from groundtruth import jsontext
from groundtruth.errors import SynthesisError
from groundtruth.evidence import Kind
from synth.content import Content
from synth.display import DisplayList, Run
from synth.evidence import entries_of
from synth.making import Asked, invented, make, own, with_pages
from synth.pattern import CLEAN, HARD, draw, load_pattern
from synth.printable import leaves
from synth.totals import wrong_totals
from synth.verify import verify

PATTERN = load_pattern("form")
RIGHT = 576.0


@cache
def content(difficulty: str, rows: int = 3, seed: int = 5) -> Content:
    return invented(Asked(PATTERN, PATTERN.difficulty(difficulty), seed), rows)


@cache
def drawn(difficulty: str, rows: int = 3, seed: int = 5) -> DisplayList:
    return draw(content(difficulty, rows, seed))


def runs_of(made: DisplayList, leaf: str) -> list[Run]:
    return [run for _, run in made.runs() if run.leaf == leaf]


def with_value(base: Content, **values: Any) -> Content:
    return Content(
        base.pattern, base.layout, base.font, base.switches, {**base.value, **values}, base.aside, base.provenance
    )


@pytest.mark.parametrize("difficulty", [CLEAN, HARD, *(f"{name}=on" for name in PATTERN.switches)])
def test_every_leaf_is_printed_with_each_difficulty(difficulty: str) -> None:
    made = make(content(difficulty))
    assert wrong_totals(PATTERN, made.content.value) == []
    assert make(Content.from_json(jsontext.loads(made.content_bytes))).pdf == made.pdf


def test_no_leaf_says_that_it_is_none() -> None:
    values = [leaf for seed in range(4) for _, leaf in leaves(content("ditto=on", 9, seed).value)]
    assert None in values
    assert "None" not in values


def test_it_has_as_many_fields_as_a_form_of_its_length() -> None:
    assert 60 <= sum(1 for _ in leaves(content(CLEAN).value)) <= 150
    assert len(drawn(CLEAN).sheets) == 3


@pytest.mark.parametrize(("rows", "pages"), [(1, 3), (5, 3), (6, 4), (28, 4), (29, 5)])
def test_owners_that_the_table_has_no_lines_for_go_on_added_sheets(rows: int, pages: int) -> None:
    made = drawn(CLEAN, rows)
    assert len(made.sheets) == pages
    assert runs_of(made, f"owners[{rows - 1}].name")
    assert content(CLEAN, rows).value["ownership_total"] == 100


@pytest.mark.e2e
def test_pages_are_had_by_owners_or_refused() -> None:
    assert len(draw(with_pages(Asked(PATTERN), 4)).sheets) == 4
    with pytest.raises(SynthesisError, match="--pages 2: no number of rows of form fills just so many"):
        with_pages(Asked(PATTERN), 2)


def test_who_signs_is_one_of_the_owners() -> None:
    second = set()
    for seed in range(12):
        value = content(CLEAN, seed=seed).value
        signed = {" ".join(reversed(owner["name"].split(", "))) for owner in value["owners"]}
        second.add(value["second_signature"])
        assert {value["signature"], value["signer_name"], value["second_signature"]} <= {*signed, None}
    assert len(second) > 2


def test_a_blank_field_is_null_and_has_no_evidence() -> None:
    made = content(CLEAN)
    nulls = [path for path, leaf in leaves(made.value) if leaf is None]
    assert nulls
    assert not set(nulls) & entries_of(drawn(CLEAN)).keys()


def test_a_box_that_is_not_ticked_is_evidence_of_false() -> None:
    places = entries_of(drawn(CLEAN))
    ticks = {path: leaf for path, leaf in leaves(content(CLEAN).value) if isinstance(leaf, bool)}
    assert set(ticks.values()) == {True, False}
    for path in ticks:
        (place,) = places[path]
        assert (place.kind, place.quote) == (Kind.INK, None)


def test_a_choice_is_proved_by_its_box_and_by_the_words_beside_it() -> None:
    box, words = sorted(entries_of(drawn(CLEAN))["organization"], key=lambda place: place.bbox[0])
    assert (box.kind, words.quote) == (Kind.INK, content(CLEAN).value["organization"])
    assert box.bbox[0] + box.bbox[2] < words.bbox[0]


def test_a_yes_and_a_no_are_ticked_in_their_own_boxes() -> None:
    yes, no = (
        entries_of(draw(with_value(content(CLEAN), sells_online=answer)))["sells_online"][0] for answer in (True, False)
    )
    assert yes.bbox[0] < no.bbox[0]


def test_a_comb_has_a_character_a_cell_and_is_one_line() -> None:
    fein = content(CLEAN).value["fein"]
    runs = runs_of(drawn(CLEAN), "fein")
    assert [run.text for run in runs] == list(fein)
    assert {run.whole for run in runs} == {fein}
    assert min(after.x - before.x for before, after in pairwise(runs)) > runs[0].width + 3
    assert [place.kind for place in entries_of(drawn(CLEAN))["fein"]].count(Kind.LINE) == 1


def test_a_date_in_a_comb_means_its_day() -> None:
    year, month, day = content(CLEAN).value["effective_date"].split("-")
    assert "".join(run.text for run in runs_of(drawn(CLEAN), "effective_date")) == month + day + year


@pytest.mark.parametrize("seed", range(3))
def test_a_correction_is_the_value_and_what_it_replaces_is_none(seed: int) -> None:
    made, base = drawn("corrections=on", 3, seed), content("corrections=on", 3, seed)
    struck = base.aside["struck"]
    assert len(struck) >= 3
    values = {run.leaf: run.whole for _, run in made.runs() if run.leaf}
    for name, old in struck.items():
        assert any(run.text == old and run.leaf is None for _, run in made.runs())
        assert values.get(name) != old
    for page, run in made.runs():
        if run.text in struck.values() and run.leaf is None:
            lines = [area for area in made.sheets[page - 1].areas if area.height < 1 and 0 < run.y - area.y < run.size]
            assert sum(run.x - 1 < area.x < run.x + run.width for area in lines) == len(run.text.split())


def test_a_struck_entry_that_nothing_replaces_is_null() -> None:
    base = content("corrections=on")
    aside = {**base.aside, "struck": {"fax": "555", "trade_name": "Old Name"}}
    made = draw(Content(base.pattern, base.layout, base.font, base.switches, {**base.value, "trade_name": None}, aside))
    assert not runs_of(made, "trade_name")
    assert any(run.text == "Old Name" for _, run in made.runs())


def test_a_struck_owner_is_no_owner() -> None:
    base = content("corrections=on")
    struck = base.aside["struck_owner"]["owner"]["name"]
    assert struck not in {owner["name"] for owner in base.value["owners"]}
    assert struck in {run.text for _, run in drawn("corrections=on").runs()}


def test_a_value_runs_over_its_box_only_where_it_may() -> None:
    (over,) = runs_of(drawn("beyond-box=on"), "website")
    assert RIGHT < over.x + over.width < 612
    assert all(run.x + run.width <= RIGHT for _, run in drawn(CLEAN).runs() if run.leaf)


def test_notes_in_the_margins_are_no_values() -> None:
    notes = {note["text"] for note in content("notes=on").aside["notes"]}
    printed = {run.text: run.leaf for _, run in drawn("notes=on").runs()}
    assert len(notes) == 3
    assert all(printed[note] is None for note in notes)


def test_an_address_that_is_the_one_above_is_written_as_ditto_marks() -> None:
    made = drawn("ditto=on", 15, 1)
    assert len(made.same) > len(set(made.same.values()))
    for leaf, above in made.same.items():
        (run,) = runs_of(made, leaf)
        assert run.text == '"'
        assert all(run.text != '"' for run in runs_of(made, above))
        assert above not in made.same


def test_a_hand_moves_and_a_machine_does_not() -> None:
    fields = [("street", "street"), ("city", "city"), ("county", "county")]
    base = content(CLEAN)
    typed = Content(base.pattern, base.layout, "mono", base.switches, base.value, base.aside)
    sizes = [{run.size for name, leaf in fields for run in runs_of(draw(one), leaf)} for one in (base, typed)]
    assert len(sizes[0]) > 1
    assert len(sizes[1]) == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        pytest.param({"fein": "1234567890"}, "fein: '1234567890' has 10 characters and the form 9 cells", id="comb"),
        pytest.param({"legal_name": "word " * 150 + "word"}, "legal_name: .* does not fit in its box", id="long"),
        pytest.param({"city": "W" * 120}, "city: .* does not fit in its box", id="one word"),
    ],
)
def test_what_does_not_fit_is_refused_naming_the_field(values: dict[str, Any], message: str) -> None:
    with pytest.raises(SynthesisError, match=message):
        draw(with_value(content(CLEAN), **values))


def test_a_long_value_is_written_smaller_and_then_on_two_lines() -> None:
    for words, lines in ((10, 1), (13, 2)):
        made = draw(with_value(content(CLEAN), legal_name=" ".join(["Lexington"] * words)))
        assert len(runs_of(made, "legal_name")) == lines


@pytest.mark.e2e
@pytest.mark.parametrize("locale", ["de_DE", "ja_JP", "ru_RU", "el_GR"])
def test_another_locale_is_filled_in_with_its_letters(locale: str) -> None:
    assert make(invented(Asked(PATTERN, locale=locale, seed=2), 2)).truth


def test_own_owners_are_added_up(tmp_path: Path) -> None:
    file = tmp_path / "owners.csv"
    file.write_text("name,title,share\nRoe Jane,Owner,60\nDoe John,,40\n")
    value = own(Asked(PATTERN), file).value
    assert (value["ownership_total"], value["owners"][1]["title"]) == (100, None)


@pytest.mark.e2e
@pytest.mark.parametrize("difficulty", [CLEAN, HARD])
@pytest.mark.parametrize(("seed", "rows"), [(0, 3), (1, 9), (2, 3)])
def test_it_is_proved_on_all_pages(difficulty: str, seed: int, rows: int, tmp_path: Path) -> None:
    made = make(content(difficulty, rows, seed))
    file = tmp_path / "document.pdf"
    file.write_bytes(made.pdf)
    proof = verify(made.content, file, made.truth, document=made.document, schema_name=PATTERN.name, pages=None)
    assert proof.findings == []


@pytest.mark.parametrize("difficulty", [CLEAN, HARD])
@pytest.mark.parametrize("leaf", ["legal_name", "trade_name", "activity", "fein", "bank_name", "signature", "website"])
def test_a_character_that_the_pen_lacks_is_named_with_its_leaf(difficulty: str, leaf: str) -> None:
    base = content(difficulty)
    with pytest.raises(SynthesisError, match=rf"^{leaf}: .*--font gothic has it"):
        draw(with_value(base, **{leaf: "12\u682a"}))


def test_a_character_that_the_pen_lacks_is_named_with_its_owner() -> None:
    base = content(CLEAN)
    owners = [*base.value["owners"][:-1], {**base.value["owners"][-1], "name": "Doe, \u682a"}]
    with pytest.raises(SynthesisError, match=r"^owners\[2\]\.name: .*--font gothic has it"):
        draw(with_value(base, owners=owners))
