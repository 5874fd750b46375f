"""Documents that are written and opened for a test, and closed after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from groundtruth.pages import Page, PageSource

OpenBytes = Callable[[str, bytes], "PageSource"]


@pytest.fixture
def open_bytes(tmp_path: Path) -> Iterator[OpenBytes]:
    """Write a file and open it; closed when the test ends."""
    # Most tests open no document, and need not wait for what opens them.
    from groundtruth.pages import open_document

    sources: list[PageSource] = []

    def write_and_open(name: str, data: bytes) -> PageSource:
        path = tmp_path / name
        path.write_bytes(data)
        sources.append(open_document(path))
        return sources[-1]

    yield write_and_open
    for source in sources:
        source.close()


def texts(page: Page) -> list[str]:
    return [word.text for word in page.words]
