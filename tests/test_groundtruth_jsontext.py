"""JSON text in and out: exact, strict for our own files, tolerant of what others wrote."""

from __future__ import annotations

import os
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth import jsontext
from groundtruth.errors import JsonError
from groundtruth.jsontext import MAX_DEPTH, Malformed, dumps, load_file, loads, loads_tolerant, read_bytes

scalars = st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.text(st.characters(exclude_categories=["Cs"]))
numbers = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20, places=6)
values = st.recursive(
    scalars | numbers,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(values)
def test_what_is_written_is_read_back(value: Any) -> None:
    text = dumps(value)
    assert loads(text) == value
    assert dumps(loads(text)) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("NaN", "not_a_finite_number", id="NaN"),
        pytest.param("-Infinity", "not_a_finite_number", id="infinity"),
        pytest.param("1e400", "not_a_finite_number", id="past doubles"),
        pytest.param("1e999999999999", "not_a_finite_number", id="past the decimal context"),
        pytest.param("1e99999999999999999999999", "not_a_finite_number", id="past every decimal"),
        pytest.param("-1e-99999999999999999999999", "not_a_finite_number", id="below every decimal"),
        pytest.param("1e-400000", "not_a_finite_number", id="below doubles"),
        pytest.param("9" * 10_000, "not_a_finite_number", id="ten thousand digits"),
        pytest.param('"\\ud800"', "not_unicode", id="half a pair"),
    ],
)
def test_an_untrustworthy_value_stays_in_its_place(text: str, reason: str) -> None:
    found = loads_tolerant(f'{{"bad": [1, {text}], "good": "x"}}')
    assert found["good"] == "x"
    assert found["bad"][0] == 1
    assert isinstance(found["bad"][1], Malformed)
    assert found["bad"][1].reason == reason
    with pytest.raises(JsonError, match=reason.replace("_", " ")):
        loads(f'{{"bad": {text}}}', source="file.json")


def test_a_whole_pair_is_one_character() -> None:
    assert loads_tolerant('"\\ud83d\\ude00"') == "\U0001f600"


def test_a_key_that_stands_twice_is_malformed_alone() -> None:
    found = loads_tolerant('{"a": 1, "b": 2, "a": 3}')
    assert found["b"] == 2
    assert found["a"] == Malformed("a", "duplicate_key")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"rows": [{"a": 1}, {"a": NaN}]}', "f: rows[1].a: not a finite number: NaN; write a number"),
        ('{"rows": [{"a.b": 1, "a.b": 2}]}', 'f: rows[0]["a.b"]: duplicate key: a.b; keep one'),
        (r'["\ud800"]', r"f: [0]: not unicode: \ud800; write the whole character"),
        ("Infinity", "f: not a finite number: Infinity; write"),
    ],
    ids=["not a number", "a key twice", "half a character", "the whole"],
)
def test_what_is_refused_is_named_with_its_leaf_and_the_cure(text: str, said: str) -> None:
    with pytest.raises(JsonError, match=re.escape(said)):
        loads(text, source="f")


def test_a_zero_of_any_exponent_is_a_plain_zero() -> None:
    assert [str(loads_tolerant(text)) for text in ("0e999999999", "-0E-999999", "0.00")] == ["0.0", "-0.0", "0.00"]


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_is_refused_whatever_its_depth(opening: str) -> None:
    closing = {"[": "]", '{"a":': "}"}[opening]
    for depth in (MAX_DEPTH + 1, 5_000, 100_000):
        with pytest.raises(JsonError, match="nested deeper"):
            loads_tolerant(opening * depth + "1" + closing * depth)
    assert loads_tolerant(opening * MAX_DEPTH + "1" + closing * MAX_DEPTH)


@pytest.mark.parametrize("data", [b"\xff\xfe{}", "\u00e9".encode("latin-1"), b"", b"{", b"{} {}"])
def test_text_that_is_no_json_names_its_source(data: bytes) -> None:
    with pytest.raises(JsonError, match=r"^votes\.json: "):
        loads_tolerant(data, source="votes.json")


def test_a_byte_order_mark_is_no_content() -> None:
    assert loads(b"\xef\xbb\xbf[1]") == [1]


def test_keys_are_sorted_and_numbers_exact() -> None:
    assert dumps({"b": Decimal("1.50"), "a": None}) == '{"a":null,"b":1.50}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Malformed("x", "y"), {"a": object()}])
def test_what_json_cannot_say_is_refused(value: Any) -> None:
    with pytest.raises(JsonError):
        dumps(value)


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(JsonError, match="pipe, socket or device"):
        load_file(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        pytest.param("/dev/zero", "pipe, socket or device", id="device without end"),
        pytest.param(".", "is a folder", id="folder"),
        pytest.param("absent.json", "No such file", id="absent"),
        pytest.param("nul\0.json", "cannot be read", id="no name of a file"),
    ],
)
def test_what_is_no_file_is_refused_by_name(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(JsonError, match=said):
        read_bytes(tmp_path / name)


def test_a_file_past_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsontext, "MAX_FILE_BYTES", 4)
    file = tmp_path / "a.json"
    file.write_text("1234", "utf-8")
    assert load_file(file) == 1234
    file.write_text("12345", "utf-8")
    with pytest.raises(JsonError, match=r"a\.json: has more than 4 bytes"):
        load_file(file)


def _depth(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inside is None else 1 + max(map(_depth, inside), default=0)


STRUCTURED = st.recursive(
    st.text(alphabet='[]{}":\\/x é', max_size=6) | st.integers(0, 9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='[]{}":\\', max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(STRUCTURED, st.integers(0, 5))
def test_depth_is_told_from_the_text_whatever_its_strings_hold(value: Any, limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsontext, "MAX_DEPTH", limit)
        if _depth(value) <= limit:
            assert loads(dumps(value)) == value
        else:
            with pytest.raises(JsonError, match=f"nested deeper than {limit}"):
                loads(dumps(value))


@given(values, st.integers(0, 10**15 - 1), st.integers(0, 12))
def test_json_that_is_read_roughly_keeps_what_is_compared(other: Any, digits: int, places: int) -> None:
    number = Decimal(digits).scaleb(-places)
    text = dumps({"value": number, "other": other}).encode()
    found = jsontext.rough(text)
    if found is None:
        assert not 0 < len(f"{number:f}") < 15 or b"e" in text or b"E" in text or b"value" in dumps(other).encode()
        return
    value = found.value["value"]
    assert (jsontext.exact(value) if isinstance(value, float) else value) == number
    assert found.keys == _count_keys(loads(text))


def _count_keys(value: Any) -> int:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return (len(value) if isinstance(value, dict) else 0) + sum(map(_count_keys, inside))


def test_a_key_that_is_lost_is_still_counted() -> None:
    assert jsontext.rough(b'[{"a": 1, "a": {"b:": ":\\":"}}]') == ([{"a": {"b:": ':":'}}], 3)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"value": 0.12345678901234567}', id="more digits than a float holds"),
        pytest.param('{"value": 1e999}', id="past doubles"),
        pytest.param('{"expected_value" : -1.5E3}', id="an exponent"),
        pytest.param('{"page": NaN}', id="NaN"),
        pytest.param('"\\ud800"', id="half a pair"),
        pytest.param('{"page": 1', id="cut"),
        pytest.param("[" * 300 + "]" * 300, id="deep"),
    ],
)
def test_json_that_would_lose_something_is_not_read_roughly(text: str) -> None:
    assert jsontext.rough(text.encode()) is None
