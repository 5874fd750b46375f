"""Text that would come out of a PDF other than it went in is refused, with its leaf."""

from __future__ import annotations

import pytest

from groundtruth.errors import SynthesisError
from synth.printable import leaves, require_printable


@pytest.mark.parametrize(
    "text", ["SMITH & SONS", "O'Neill-Łęcka", "東京都", "Ωμέγα 12,5 %", "½ — “x”"], ids=lambda text: text
)
def test_ordinary_text_is_printable(text: str) -> None:
    require_printable({"name": text})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("two\nlines", "cannot be seen|line break", id="newline"),
        pytest.param("two\n\u0141ines", "line break", id="newline beside an accent"),
        pytest.param("שלום", r"HEBREW LETTER SHIN \(U\+05E9\), and right-to-left", id="right to left"),
        pytest.param("سلام", "right-to-left", id="Arabic"),
        pytest.param("a\tb", "cannot be seen", id="tab"),
        pytest.param("a\u200bb", "cannot be seen", id="zero width space"),
        pytest.param("a\u00adb", "cannot be seen", id="soft hyphen"),
        pytest.param("of\ufb01ce", "ligature", id="ligature"),
        pytest.param("e\u0301", "form C", id="decomposed"),
        pytest.param("a  b", "two spaces", id="two spaces"),
        pytest.param(" a", "spaces around", id="space before"),
        pytest.param("  ", "write null", id="blank"),
        pytest.param("", "write null", id="empty"),
    ],
)
def test_what_readers_disagree_on_is_refused(text: str, problem: str) -> None:
    with pytest.raises(SynthesisError, match=rf"rows\[1\].name: .*(?:{problem})"):
        require_printable({"rows": [{"name": "fine"}, {"name": text}]})


def test_leaves_are_named_in_order() -> None:
    value = {"a": 1, "rows": [{"b": None, "tags": ["x", "y"], "lines": []}]}
    assert list(leaves(value)) == [("a", 1), ("rows[0].b", None), ("rows[0].tags", ["x", "y"]), ("rows[0].lines", [])]
