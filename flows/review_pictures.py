"""The pictures of a review: drawn from pages, kept in the dataset, and put where the server finds them."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import quote

from groundtruth.errors import ReviewError
from groundtruth.names import proposed_name
from groundtruth.pages import PageSource, open_document
from groundtruth.store import Dataset
from groundtruth.store_files import atomic_write

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DPI: Final = 150.0
"""Small print of a letter page is read at this resolution, and its picture stays below a megabyte."""

PREFIX_VARIABLE: Final = "GOLDLEAF_PICTURES"
"""Where a team's server finds the pictures instead: ``s3://bucket/folder``, to which the folder is copied by hand."""

_MOST_OPEN: Final = 4
_MOST_RASTERS: Final = 8


class PageRasters:
    """Rasters of pages of a dataset's documents; the last few are kept, since the cards of a packet share them."""

    def __init__(self, dataset: Dataset, dpi: float = DPI) -> None:
        self._dataset = dataset
        self._dpi = dpi
        self._open: OrderedDict[str, PageSource] = OrderedDict()
        self._drawn: OrderedDict[tuple[str, int], NDArray[np.uint8]] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for source in self._open.values():
            source.close()
        self._open.clear()

    def __call__(self, document: str, number: int) -> NDArray[np.uint8]:
        """A page as displayed, ``(height, width, 3)`` in RGB.

        Raises:
            DocumentError: the document's file cannot be read any more.
        """
        key = (document, number)
        raster = self._drawn.pop(key, None)
        if raster is None:
            page = self._source(document).page(number)
            raster = page.raster(min(self._dpi, page.max_dpi))
        self._drawn[key] = raster
        if len(self._drawn) > _MOST_RASTERS:
            self._drawn.popitem(last=False)
        return raster

    def page_count(self, document: str) -> int:
        """How many pages the document has."""
        return self._source(document).page_count

    def _source(self, document: str) -> PageSource:
        source = self._open.pop(document, None)
        if source is None:
            source = open_document(self._dataset.document_file(document))
        self._open[document] = source
        if len(self._open) > _MOST_OPEN:
            self._open.popitem(last=False)[1].close()
        return source


class PictureShelf:
    """Where the pictures of one dataset stand, for the server to show them.

    They are kept in the dataset. A server on this machine shows files below its own root only, so they are linked
    there, or copied where links cannot be made; a server elsewhere reads them from a storage of the team's.

    Args:
        dataset: whose pictures they are.
        files_root: the server's root for local files, or None when it is elsewhere.
        prefix: of the addresses in a storage of the team's; it wins over ``files_root``.

    Raises:
        ReviewError: neither is known, or the prefix is no address.
    """

    def __init__(self, dataset: Dataset, files_root: Path | None, prefix: str | None = None) -> None:
        self._dataset = dataset
        self._prefix = prefix if prefix is not None else os.environ.get(PREFIX_VARIABLE) or None
        if self._prefix is None and files_root is None:
            raise ReviewError(
                f"nobody told where the server finds pictures: set {PREFIX_VARIABLE} to the address of a storage that "
                f"it can read (such as s3://bucket/folder) and copy {dataset.review.pictures} there, or use the server "
                "that `make label-studio` starts"
            )
        if self._prefix is not None and "://" not in self._prefix:
            raise ReviewError(
                f"{PREFIX_VARIABLE}: {self._prefix!r} is no address of a storage; it looks like s3://bucket/folder"
            )
        self._root = files_root.resolve() if files_root is not None and self._prefix is None else None
        self.folder = None if self._root is None else self._folder(self._root)
        """The folder that the server reads, absolute; None when it reads a storage of the team's."""

    def put(self, pictures: Mapping[str, bytes]) -> None:
        """Keep pictures, and put them where the server reads.

        Raises:
            DatasetError: the disk is full, or may not be written.
        """
        for name, data in pictures.items():
            kept = self._dataset.review.put_picture(name, data)
            if self.folder is not None and self.folder != kept.parent:
                _link(kept, self.folder / name)

    def has(self, name: str) -> bool:
        """Whether a picture is kept and stands where the server reads."""
        return self._dataset.review.picture(name).is_file() and (self.folder is None or (self.folder / name).is_file())

    def url(self, name: str) -> str:
        """The address of a picture, as a task holds it."""
        if self._prefix is not None:
            return f"{self._prefix.rstrip('/')}/{name}"
        assert self.folder is not None and self._root is not None  # noqa: PT018, S101 - the class is made so
        return f"/data/local-files/?d={quote((self.folder / name).relative_to(self._root).as_posix())}"

    def _folder(self, root: Path) -> Path:
        own = self._dataset.review.pictures.resolve()
        if own.is_relative_to(root) and own != root:
            return own
        # Two datasets of one name are told apart by where they are.
        digest = hashlib.sha256(str(self._dataset.root.resolve()).encode()).hexdigest()[:8]
        return root / f"{proposed_name(self._dataset.name)}-{digest}"


def _link(source: Path, target: Path) -> None:
    if target.exists():
        return
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        os.link(source, target)
        return
    # Another file system, or one without links.
    atomic_write(target, source.read_bytes())
