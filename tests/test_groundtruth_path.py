"""Leaf paths as text and as steps: exact inverses, and clear about what is no path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtruth.errors import PathError
from groundtruth.path import EACH, Path, format_path, parse_path, schema_path

steps = st.text(max_size=6) | st.integers(0, 30_000) | st.just(EACH)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("total",), "total"),
        (("items", 0, "amount"), "items[0].amount"),
        (("items", EACH, "amount"), "items[].amount"),
        (("matrix", 1, 2), "matrix[1][2]"),
        (("a.b", "c"), '["a.b"].c'),
        (("a", 'say "hi"'), 'a["say \\"hi\\""]'),
        (("", "x[0]"), '[""]["x[0]"]'),
        (("two words",), '["two words"]'),
        (("line\nbreak",), '["line\\nbreak"]'),
        (("שם", "数量"), "שם.数量"),
    ],
)
def test_known_forms(path: Path, text: str) -> None:
    assert format_path(path) == text
    assert parse_path(text) == path


@given(st.lists(steps, max_size=5).map(tuple))
def test_writing_and_reading_are_inverse(path: Path) -> None:
    assert parse_path(format_path(path)) == path


@given(st.lists(st.lists(steps, max_size=3).map(tuple), max_size=20, unique=True))
def test_two_paths_never_share_a_text(paths: list[Path]) -> None:
    assert len({format_path(path) for path in paths}) == len(paths)


@pytest.mark.parametrize(
    "text",
    [
        "a..b",
        ".a",
        "a.",
        "a b",
        "items[01]",
        "items[-1]",
        "items[0]x",
        "items.[0]",
        '["a',
        "[a]",
        "a]",
        '["\\x"]',
        "$.a[*]",
    ],
)
def test_what_is_no_path_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(PathError, match=r"items\[0\]\.amount|not a quoted key|cannot read"):
        parse_path(text)


def test_the_schema_path_forgets_indices() -> None:
    assert format_path(schema_path(parse_path("orders[3].lines[0].sku"))) == "orders[].lines[].sku"
