"""The pictures of a review: kept in the dataset, and put where a server finds them."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from flows.review_pictures import PREFIX_VARIABLE, PageRasters, PictureShelf
from groundtruth.errors import ReviewError
from groundtruth.rules import Rules
from groundtruth.store import Dataset

SCHEMA = {"type": "object", "properties": {"total": {"type": "number"}}}


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    made = Dataset.create(tmp_path / "invoices of May")
    made.put_draft("invoice", SCHEMA, Rules())
    for name, pages in (("a", 2), ("b", 1)):
        document = pymupdf.open()
        for number in range(pages):
            document.new_page(width=300, height=400).insert_text((20, 40), f"{name} {number}")
        document.save(tmp_path / f"{name}.pdf")
        made.add_document(tmp_path / f"{name}.pdf", schema="invoice")
    return made


@pytest.fixture(autouse=True)
def no_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PREFIX_VARIABLE, raising=False)


def test_pictures_below_the_servers_root_are_shown_where_they_are(dataset: Dataset) -> None:
    shelf = PictureShelf(dataset, dataset.root.parent)
    shelf.put({"p1.png": b"picture"})
    assert shelf.folder == dataset.review.pictures
    assert shelf.url("p1.png") == "/data/local-files/?d=invoices%20of%20May/review/pictures/p1.png"
    assert dataset.review.picture("p1.png").read_bytes() == b"picture"


def test_pictures_elsewhere_are_linked_below_the_root_and_stay_apart(dataset: Dataset, tmp_path: Path) -> None:
    root = tmp_path / "served"
    root.mkdir()
    shelf = PictureShelf(dataset, root)
    shelf.put({"p1.png": b"picture"})
    shelf.put({"p1.png": b"picture", "p2.png": b"other"})
    assert shelf.folder is not None
    assert shelf.folder.parent == root
    assert {file.name: file.read_bytes() for file in shelf.folder.iterdir()} == {
        "p1.png": b"picture",
        "p2.png": b"other",
    }
    twin = PictureShelf(Dataset.create(tmp_path / "x" / "invoices of May"), root)
    assert twin.folder != shelf.folder


def test_pictures_are_copied_where_links_cannot_be_made(
    dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr("os.link", refused)
    shelf = PictureShelf(dataset, tmp_path / "served")
    shelf.put({"p1.png": b"picture"})
    assert shelf.folder is not None
    assert (shelf.folder / "p1.png").read_bytes() == b"picture"


def test_a_storage_of_the_teams_wins(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PREFIX_VARIABLE, "s3://bucket/folder/")
    shelf = PictureShelf(dataset, dataset.root.parent)
    assert shelf.folder is None
    assert shelf.url("p1.png") == "s3://bucket/folder/p1.png"


def test_a_server_that_shows_no_files_is_refused_with_the_cure(dataset: Dataset) -> None:
    with pytest.raises(ReviewError, match=f"set {PREFIX_VARIABLE}"):
        PictureShelf(dataset, None)


def test_pages_are_drawn_as_displayed_and_kept(dataset: Dataset) -> None:
    with PageRasters(dataset, dpi=72) as pages:
        first = pages("a", 1)
        assert first.shape == (400, 300, 3)
        assert pages("a", 1) is first
        assert pages.page_count("a") == 2
        assert pages("b", 1).shape == (400, 300, 3)
        assert (pages("a", 2) != first).any()
