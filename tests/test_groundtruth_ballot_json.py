"""A ballot in our own files: what goes in comes out, whatever it is."""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth import jsontext
from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.ballot_json import ballot_from_json, ballot_to_json
from groundtruth.box import Box
from groundtruth.errors import BallotError
from groundtruth.evidence import Evidence, Source
from groundtruth.jsontext import Json, Malformed
from groundtruth.path import EACH

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
KEYS = TEXT | st.sampled_from(["a.b", "a[0]", "", 'q"', "\\", "[]", "data", "malformed", " "])
MALFORMED = st.builds(Malformed, raw=TEXT, reason=st.sampled_from(["duplicate_key", "not_a_finite_number"]))
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=4) | st.sampled_from(
    [Decimal("1E+30"), Decimal("-0.0"), Decimal("0E-7"), Decimal("1.10")]
)
LEAVES = st.none() | st.booleans() | st.integers() | DECIMALS | TEXT | MALFORMED
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))
PATHS = st.lists(KEYS | st.integers(0, 30), min_size=1, max_size=3).map(tuple)
MILLIONTHS = st.integers(0, 499_999)
BOXES = st.tuples(MILLIONTHS, MILLIONTHS, MILLIONTHS, MILLIONTHS).map(
    lambda part: Box.from_xywh(number / 1_000_000 for number in (part[0], part[1], part[2] + 1, part[3] + 1))
)
PLACES = st.builds(
    Evidence,
    page=st.integers(1, 9),
    boxes=st.lists(BOXES, max_size=2).map(tuple),
    quote=st.none() | TEXT,
    value=LEAVES,
    source=st.sampled_from(Source),
    systems=st.just(("gpt",)),
)
BALLOTS = st.builds(
    Ballot,
    system=TEXT,
    family=TEXT,
    status=st.sampled_from(Status),
    data=st.dictionaries(KEYS, VALUES, max_size=4),
    failure=st.none() | st.sampled_from(Failure),
    detail=TEXT,
    asserts_null=st.booleans(),
    unsupported=st.frozensets(st.lists(KEYS | st.just(EACH), min_size=1, max_size=3).map(tuple), max_size=2),
    citations=st.dictionaries(PATHS, st.lists(PLACES, min_size=1, max_size=2).map(tuple), max_size=2),
)


def through_a_file(ballot: Ballot) -> Ballot:
    return ballot_from_json(jsontext.loads(jsontext.dumps(ballot_to_json(ballot), indent=1).encode()), source="x.json")


def as_written(value: Json) -> str:
    """The value with what equality passes over: 1.0 and 1.00 are equal, and so are 1 and true."""
    return repr(value)


@given(BALLOTS)
def test_a_ballot_is_the_same_after_a_file(ballot: Ballot) -> None:
    again = through_a_file(ballot)

    assert again == ballot
    assert as_written(in_order(again.data)) == as_written(in_order(ballot.data))


def in_order(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(item) for item in value] if isinstance(value, list) else value


@given(BALLOTS)
@settings(max_examples=50)
def test_writing_again_what_was_read_gives_the_same_text(ballot: Ballot) -> None:
    text = jsontext.dumps(ballot_to_json(ballot))

    assert jsontext.dumps(ballot_to_json(ballot_from_json(jsontext.loads(text), source="x"))) == text


def test_malformed_places_are_listed_with_their_paths_and_null_stands_there() -> None:
    bad = Malformed("NaN", "not_a_finite_number")

    form = ballot_to_json(Ballot("a", "a", data={"rows": [{"x.y": bad}, 1], "k": bad}))

    assert form["data"] == {"rows": [{"x.y": None}, 1], "k": None}
    assert [place["path"] for place in form["malformed"]] == ['rows[0]["x.y"]', "k"]


def test_the_form_is_our_strict_json_in_a_fixed_order() -> None:
    ballot = Ballot("a", "a", data={"b": Decimal("1.10"), "a": unicodedata.normalize("NFD", "é")})

    text = jsontext.dumps(ballot_to_json(ballot))

    assert '"data":{"a":"e\u0301","b":1.10}' in text


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"format": 2}, id="a later format"),
        pytest.param({"status": "fine"}, id="an unknown status"),
        pytest.param({"failure": "tired"}, id="an unknown failure"),
        pytest.param({"unsupported": ["a..b"]}, id="a path that is none"),
        pytest.param({"unsupported": 3}, id="no list"),
        pytest.param({"malformed": [{"path": "gone[3].x", "raw": "", "reason": ""}]}, id="a place that is not there"),
        pytest.param({"citations": {"a": [{"page": 0}]}}, id="a page before the first"),
        pytest.param({"citations": {"a": [{"page": 1, "bbox": [0, 0, 2, 2]}]}}, id="a box off the page"),
        pytest.param({"citations": ["a"]}, id="citations in a list"),
    ],
)
def test_a_damaged_form_is_refused_with_its_file(change: dict[str, Any]) -> None:
    form = {**ballot_to_json(Ballot("a", "a", data={"x": 1})), **change}

    with pytest.raises(BallotError, match=r"^a\.json: not a ballot"):
        ballot_from_json(form, source="a.json")


@pytest.mark.parametrize("form", [None, [], "x", {}, 3])
def test_what_is_no_ballot_at_all_is_refused(form: Json) -> None:
    with pytest.raises(BallotError, match="import the votes again"):
        ballot_from_json(form, source="a.json")


@pytest.mark.parametrize("key", ["format", "system", "status", "data", "malformed", "citations", "detail"])
def test_a_form_without_one_of_its_keys_is_refused(key: str) -> None:
    form = ballot_to_json(Ballot("a", "a"))
    del form[key]

    with pytest.raises(BallotError):
        ballot_from_json(form, source="a.json")
