"""Words of pages without a text layer: whose reading counts, what it gives, and lines of a skewed page."""

from __future__ import annotations

from pathlib import Path

import pytest

import document_builders
from extractors.readings import Readings
from groundtruth.locate import locate
from groundtruth.page_readings import Recognition, designated
from groundtruth.pages import open_document
from groundtruth.path import parse_path
from groundtruth.rules import Comparator
from locate_builders import rows_sought, table_page, words_page
from recognised_builders import RAPID, TESS, recognised, scan

PAGE = words_page([(50, 100, "Total due: 1,234.50")])


def keep(folder: Path, engine: str, *numbers: int, text: str = "Total due: 1,234.50") -> None:
    """Keep readings as an extractor does."""
    for number in numbers:
        Readings(folder).put(engine, recognised(words_page([(50, 100, text)], number)))


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        pytest.param({}, None, id="nobody"),
        pytest.param({TESS: [1]}, TESS, id="the only one"),
        pytest.param({TESS: [1, 2], RAPID: [1, 2]}, RAPID, id="the better reader"),
        pytest.param({"anything": [1, 2], TESS: [1, 2]}, TESS, id="a known one"),
        pytest.param({RAPID: [2], TESS: [1, 2]}, TESS, id="who read more pages"),
        pytest.param({"rapidocr-3.9": [1], "rapidocr-3.10": [1]}, "rapidocr-3.10", id="the later version"),
        pytest.param({"rapidocr-3-2": [1], "rapidocr-3-1": [1]}, "rapidocr-3-2", id="the later revision"),
        pytest.param({RAPID: [], TESS: [3]}, TESS, id="not one who read nothing"),
    ],
)
def test_whose_reading_counts(tmp_path: Path, read: dict[str, list[int]], expected: str | None) -> None:
    for engine, numbers in read.items():
        (tmp_path / engine).mkdir()
        keep(tmp_path, engine, *numbers)
    (tmp_path / "notes.txt").write_text("no engine")
    found = designated(tmp_path)
    assert (found and found.engine) == expected


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert designated(tmp_path / "absent") is None


def test_the_digest_says_when_the_reading_changed(tmp_path: Path) -> None:
    def digest() -> str:
        return Recognition(tmp_path / RAPID).digest

    keep(tmp_path, RAPID, 1)
    first = digest()
    keep(tmp_path, RAPID, 1)
    (tmp_path / RAPID / ".00002.json.tmp").write_text("unfinished")
    assert digest() == first
    keep(tmp_path, RAPID, 2)
    second = digest()
    keep(tmp_path, RAPID, 2, text="other words")
    assert len({first, second, digest()}) == 3


def test_an_image_has_the_words_that_were_recognised(tmp_path: Path) -> None:
    file = tmp_path / "scan.png"
    file.write_bytes(scan())
    keep(tmp_path / "words", RAPID, 1)
    with open_document(file) as source:
        assert (source.page(1).words, source.page(1).is_recognised) == ((), False)
    with open_document(file, recognition=designated(tmp_path / "words")) as source:
        page = source.page(1)
        assert page.is_recognised
        assert [(word.id, word.text, word.line) for word in page.words] == [
            (0, "Total", 0), (1, "due:", 0), (2, "1,234.50", 0),
        ]  # fmt: skip
        assert tuple(page.words[0].box) == pytest.approx(tuple(PAGE.words[0].box), abs=1e-5)
        assert page.words[0].level == pytest.approx((50, 100, 80, 112))


def test_a_page_with_a_text_layer_keeps_its_own_words(tmp_path: Path) -> None:
    file = tmp_path / "text.pdf"
    file.write_bytes(document_builders.pdf(["printed"]))
    keep(tmp_path / "words", RAPID, 1)
    with open_document(file, recognition=designated(tmp_path / "words")) as source:
        page = source.page(1)
        assert ([word.text for word in page.words], page.is_recognised) == (["printed"], False)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"page": 1, "size": [600, 800], "skew": 0, "words": [["x"]]}'])
def test_a_damaged_reading_counts_as_none(tmp_path: Path, content: str) -> None:
    keep(tmp_path, RAPID, 1, 2)
    (tmp_path / RAPID / "00001.json").write_text(content)
    found = Recognition(tmp_path / RAPID)
    assert found.words(1) == ()
    assert len(found.words(2)) == 3
    assert found.words(3) == ()


@pytest.mark.parametrize("skew", [0.0, 1.8, -1.8])
def test_rows_of_a_skewed_page_are_rows(tmp_path: Path, skew: float) -> None:
    """A line of 500 points that falls by 1.8 degrees ends 16 points lower, on the height of the next one."""
    rows = [{"name": f"item-{number}", "flag": number % 2} for number in range(8)]
    page = table_page([[str(row["name"]), "x", str(row["flag"])] for row in rows], (50, 300, 540), top=300)
    Readings(tmp_path / "words").put(RAPID, recognised(page, skew=skew))
    file = tmp_path / "scan.png"
    file.write_bytes(scan())
    sought = rows_sought("rows", rows, {"name": Comparator.TEXT, "flag": Comparator.INTEGER})
    with open_document(file, recognition=designated(tmp_path / "words")) as source:
        words = source.page(1).words
        found = locate(sought, [source.page(1)])
    for number in range(8):
        place = found[parse_path(f"rows[{number}].flag")]
        assert place.certain
        assert place.evidence[0].words == (3 * number + 2,)
        assert place.evidence[0].boxes == (words[3 * number + 2].box,)
