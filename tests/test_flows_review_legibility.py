"""Values of re-captures that may not be legible go to a person, and come back as decisions that change no truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from annotation.legibility import LEGIBLE_HERE
from annotation.packet import ESCALATE
from answer_builders import chosen, typed
from degrade.record import PageRecord
from flows.resolve_step import resolve_dataset
from flows.review_round import Round
from flows.review_status import review_status
from groundtruth import jsontext
from groundtruth.decision import Cause
from groundtruth.document import Kind
from groundtruth.errors import DatasetError
from groundtruth.path import format_path
from groundtruth.store import Dataset
from review_builders import SPLIT, Desk, add_synthetic, asked, make_dataset

DOUBTFUL = ("number", "rows[3].amount")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    dataset = make_dataset(tmp_path, {"invoice-1": SPLIT})
    add_synthetic(dataset, "made-1")
    add_recapture(dataset, "made-1", "made-1-fax", tmp_path)
    return Desk(dataset)


def add_recapture(dataset: Dataset, of: str, name: str, folder: Path, doubtful: tuple[str, ...] = DOUBTFUL) -> None:
    """A re-capture of which two values may not be legible, as ``goldleaf recapture make`` leaves it."""
    with pymupdf.open(dataset.document_file(of)) as document:
        document[0].draw_line((10, 10), (390, 590))
        document.save(folder / f"{name}.pdf")
    schema = dataset.document(of).schema_name
    dataset.add_document(folder / f"{name}.pdf", id=name, schema=schema, kind=Kind.RECAPTURE)
    truth = dataset.truth(of)
    assert truth is not None
    dataset.put_truth(replace(truth, document=name))
    record = dataset.root / "recaptures" / f"{name}.json"
    record.parent.mkdir(exist_ok=True)
    pages = [{"illegible": list(doubtful), "clipped": [], "lost": []}]
    record.write_text(jsontext.dumps({"pages": pages}), encoding="utf-8")


def of_recapture(found: Round) -> list[Any]:
    return [card for packet in found.packets for card in packet.cards if card.document == "made-1-fax"]


def answer(desk: Desk, said: Any, by: int = 1) -> None:
    desk.answer(said, by=by, only=lambda packet: packet.document == "made-1-fax")


def read_of(desk: Desk) -> dict[str, Any]:
    return dict(review_status(desk.dataset)["legibility"])


def test_what_may_not_be_legible_is_asked_with_its_box_and_its_value(desk: Desk) -> None:
    found = desk.push()
    cards = of_recapture(found)
    assert sorted(format_path(card.path) for card in cards) == sorted(DOUBTFUL)
    for card in cards:
        assert len(card.options) == 1
        assert (card.notice, card.preselected, card.certain) == (LEGIBLE_HERE, None, True)
        assert card.evidence
    amount = next(card for card in cards if format_path(card.path) == "rows[3].amount")
    assert amount.options[0].value == 1039
    assert ("Sku", "K03-22") in amount.context
    assert not found.unvoted
    assert not desk.push().packets


def test_answers_are_kept_and_change_no_value(desk: Desk) -> None:
    before = desk.dataset.truth("made-1-fax")
    desk.push()

    def said(at: int, card: Any) -> list[dict[str, Any]]:
        if card.title == "Number":
            return [chosen(at, "c0"), chosen(at, "illegible", control="flag")]
        return [chosen(at, "c0")]

    answer(desk, said)
    summary = desk.pull()
    assert summary.decisions == 2
    found = read_of(desk)
    assert (found["asked"], found["legible"], found["illegible"], found["open"]) == (2, 1, 1, 0)
    assert found["not_legible"] == {"made-1-fax": ["number"]}
    decisions = {format_path(each.path): each for each in desk.dataset.decisions("made-1-fax").live()}
    assert decisions["number"].causes == (Cause.ILLEGIBLE,)
    resolve_dataset(desk.dataset)
    assert desk.dataset.truth("made-1-fax") == before
    assert not of_recapture(desk.push())
    assert "list" not in review_status(desk.dataset)["quality"]["fields"]


@pytest.mark.e2e
def test_another_reading_is_told_from_the_expected_one(desk: Desk) -> None:
    desk.push()
    answer(desk, lambda at, card: [chosen(at, "edit"), typed(at, "1033" if card.title == "Amount" else "L-4")])
    desk.pull()
    assert read_of(desk)["otherwise"] == 2
    assert set(read_of(desk)["not_legible"]["made-1-fax"]) == set(DOUBTFUL)


@pytest.mark.e2e
def test_people_who_differ_are_followed_by_a_third_answer(desk: Desk) -> None:
    desk.push()
    answer(desk, lambda at, _: [chosen(at, "c0")], by=1)
    answer(desk, lambda at, _: [chosen(at, "null")], by=2)
    desk.pull()
    assert read_of(desk)["open"] == 2
    again = desk.push()
    assert len(of_recapture(again)) == 2
    answer(desk, lambda at, _: [chosen(at, "c0")], by=1)
    desk.pull()
    assert read_of(desk)["legible"] == 2


@pytest.mark.e2e
def test_what_is_handed_on_is_asked_once_more(desk: Desk) -> None:
    desk.push()
    answer(desk, lambda at, _: [chosen(at, ESCALATE)])
    desk.pull()
    assert read_of(desk)["open"] == 2
    assert len(of_recapture(desk.push())) == 2


@pytest.mark.e2e
def test_a_push_that_was_killed_asks_each_value_once(desk: Desk) -> None:
    first = desk.push(stop_after=0)
    again = desk.push()
    assert not again.packets
    assert sorted(asked(first)) == sorted(
        f"{card.document} {format_path(card.path)}" for packet in again.plan.resend for card in packet.cards
    )


def test_the_record_of_a_recapture_has_what_is_read_of_it() -> None:
    assert {"illegible", "clipped", "lost"} <= PageRecord.model_fields.keys()


def test_a_damaged_record_is_named_with_the_cure(desk: Desk) -> None:
    (desk.dataset.root / "recaptures" / "made-1-fax.json").write_text('{"pages": [1]}', encoding="utf-8")
    with pytest.raises(DatasetError, match="goldleaf recapture make"):
        desk.push()
