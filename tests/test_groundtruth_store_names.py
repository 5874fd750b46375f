"""Names that become file names: which are taken as they are, which are refused, and with what cure."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth.errors import DatasetError
from groundtruth.names import MAX_NAME_BYTES, checked_name, name_problem, proposed_name


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("a", id="one letter"),
        pytest.param("[li25] vlm survey", id="brackets and spaces"),
        pytest.param('it\'s a "quote" & more; $(x)', id="quotes and shell signs"),
        pytest.param("a..b", id="dots in the middle"),
        pytest.param("CON", id="a word that another system reserves"),
        pytest.param("חשבונית 7", id="Hebrew"),
        pytest.param("請求書", id="Japanese"),
        pytest.param("é" * 100, id="as long as may be"),
    ],
)
def test_a_name_that_a_person_can_read_is_kept(name: str) -> None:
    assert checked_name(name, "document id") == name


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        pytest.param("", "is empty", id="empty"),
        pytest.param("..", "begins with '.'", id="the folder above"),
        pytest.param(".hidden", "begins with '.'", id="hidden"),
        pytest.param("-rf", "begins with '-'", id="an option"),
        pytest.param("a/b", "holds a slash", id="slash"),
        pytest.param("a\\b", "holds a slash", id="backslash"),
        pytest.param("/etc/passwd", "holds a slash", id="absolute"),
        pytest.param("a\nb", "U+000A", id="line end"),
        pytest.param("a\x00b", "U+0000", id="NUL"),
        pytest.param("a\x1b[31m", "U+001B", id="terminal colours"),
        pytest.param("a\u202egpj.exe", "U+202E", id="right-to-left override"),
        pytest.param("a\u200bb", "U+200B", id="zero width space"),
        pytest.param("a\udcffb", "U+DCFF", id="undecodable byte"),
        pytest.param(" a", "space", id="leading space"),
        pytest.param("a\u00a0", "space", id="trailing no-break space"),
        pytest.param("é" * 101, "202 bytes", id="too long in bytes"),
    ],
)
def test_a_name_that_could_mislead_is_refused_with_a_cure(name: str, problem: str) -> None:
    with pytest.raises(DatasetError) as caught:
        checked_name(name, "document id")

    message = str(caught.value)
    assert problem in message
    assert message.isprintable()
    proposal = proposed_name(name)
    assert repr(proposal) in message
    assert checked_name(proposal, "document id") == proposal


def test_composed_and_decomposed_letters_are_one_name() -> None:
    assert checked_name(unicodedata.normalize("NFD", "Müller"), "document id") == "Müller"


@given(st.text(max_size=300) | st.text(alphabet="./\\- \n\u200b\u0301aé", max_size=12))
def test_what_is_proposed_can_always_be_used(name: str) -> None:
    assert name_problem(proposed_name(name)) is None


@given(st.text(alphabet=st.characters(), min_size=1, max_size=8))
def test_an_accepted_name_is_one_component_of_a_path(name: str) -> None:
    if name_problem(name) is None:
        path = Path("folder") / name
        assert path.parts == ("folder", name)
        assert len(name.encode()) <= MAX_NAME_BYTES
