"""Pages of re-captures in processes of their own, a few at a time; each is written as soon as it is there.

A page lies in the folder of its document's work, its picture before its record, so that a run that was stopped goes on
with the pages that are missing. Memory is bounded by the pages in work.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from degrade.memory import keep_freed_memory
from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.store_files import atomic_write

if TYPE_CHECKING:
    from degrade.recapture import Order, Places
    from degrade.record import PageRecord
    from groundtruth.pages import Page

PAGES_PER_PROCESS: Final = 8
WORK: Final = ".goldleaf/recaptures"
"""Of a dataset: the pages of re-captures that are being made."""
_SAME: Final = 1e-9
Result = TypeVar("Result")
Advance = Callable[[int], None]
"""Hears how many more pages are there."""


def _silent(_: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Making:
    """How pages are made: so many at a time by a process, so many processes, and who hears of it."""

    pages_per_process: int = PAGES_PER_PROCESS
    workers: int | None = None
    advance: Advance = _silent

    def groups(self, pages: Sequence[Result]) -> list[Sequence[Result]]:
        """The pages as each call gets them."""
        size = self.pages_per_process
        return [pages[start : start + size] for start in range(0, len(pages), size)]


class Pages:
    """Makes pages, in this process or in others.

    Args:
        making: how.
        pool: the processes; None makes the pages here, where one process more would only cost its start.
    """

    def __init__(self, making: Making, pool: Executor | None) -> None:
        self._making = making
        self._pool = pool

    def run(
        self, function: Callable[..., Result], calls: Sequence[tuple[Any, ...]], sizes: Iterable[int]
    ) -> list[Result]:
        """Call the function with each of ``calls`` and return what comes, in their order.

        ``sizes`` says how many pages each call makes.
        """
        if self._pool is None:
            found = []
            for call, size in zip(calls, sizes, strict=True):
                found.append(function(*call))
                self._making.advance(size)
            return found
        futures = [self._pool.submit(function, *call) for call in calls]
        size_of = dict(zip(futures, sizes, strict=True))
        try:
            for future in as_completed(futures):
                future.result()
                self._making.advance(size_of[future])
        except BaseException:
            for future in futures:
                future.cancel()
            raise
        return [future.result() for future in futures]


@contextlib.contextmanager
def page_makers(making: Making, *, here: bool = True) -> Iterator[Pages]:
    """Processes for the block; with one worker, this process, unless it must not be (several threads cannot)."""
    workers = making.workers or min(8, len(os.sched_getaffinity(0)))
    if workers == 1 and here:
        keep_freed_memory()
        yield Pages(making, None)
        return
    # Spawned: a process that is forked while a library holds a lock waits for it for ever.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_prepare) as pool:
        yield Pages(making, pool)


def _prepare() -> None:
    """One thread of OpenCV, since there is a process for each core; the bytes do not depend on it."""
    import cv2

    keep_freed_memory()
    cv2.setNumThreads(1)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process whose parent was killed would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def pages_of(path: Path, order: Order, pages: Iterable[int], places: Mapping[int, Places], folder: Path) -> int:
    """Make pages of one document and write each, picture before record; those that are there are passed over."""
    from degrade.recapture import recapture_page
    from groundtruth.pages import open_document

    made = 0
    with open_document(path) as source:
        for number in pages:
            if (folder / f"{number}.json").is_file():
                continue
            picture, record = recapture_page(source.page(number), order, places.get(number, {}))
            atomic_write(folder / f"{number}.bin", picture.data)
            atomic_write(folder / f"{number}.json", json_bytes(record.model_dump(mode="json")))
            made += 1
    return made


def remake_pages(path: Path, order: Order, pages: Sequence[PageRecord], folder: Path) -> dict[int, str]:
    """Make recorded pages again, write the pictures, and say what came out otherwise."""
    from degrade.recapture import drawing, remake_page
    from groundtruth.pages import open_document

    differences: dict[int, str] = {}
    with open_document(path) as source:
        for recorded in pages:
            page = source.page(recorded.page)
            picture, hashes = remake_page(page, recorded)
            drawn = recorded.drawn
            if drawn != drawing(page, order, drawn.strength, drawn.attempt):
                differences[recorded.page] = "drawing"
            elif not _leads_as_drawn(recorded, page):
                differences[recorded.page] = "homography"
            for stage in ("raster", "pixels", "picture"):
                if getattr(hashes, stage) != getattr(recorded.hashes, stage):
                    differences.setdefault(recorded.page, stage)
                    break
            (folder / f"{recorded.page}.bin").write_bytes(picture.data)
    return differences


def _leads_as_drawn(recorded: PageRecord, page: Page) -> bool:
    """Whether the recorded homography, by which the truth is carried along, is that of the recorded drawing."""
    drawn = recorded.drawn.placement.homography(page.width, page.height)
    # Another machine's sine may differ in the last bit.
    return all(abs(float.fromhex(is_) - of) < _SAME for is_, of in zip(recorded.homography, drawn, strict=True))


def assemble(pdf: Path, work: Path, pages: Sequence[PageRecord]) -> str:
    """Write the PDF of pages that lie in ``work``, page by page; return its SHA-256."""
    from degrade.document import PdfWriter, Picture

    with pdf.open("wb") as stream:
        writer = PdfWriter(stream)
        for page in pages:
            channels = 3 if page.drawn.color == "rgb" else 1
            data = (work / f"{page.page}.bin").read_bytes()
            writer.add(Picture(data, page.drawn.codec, channels, page.size, page.points))
        writer.close()
    return writer.sha256


def page_record(path: Path) -> PageRecord:
    """What ``pages_of`` wrote of a page."""
    from degrade.record import PageRecord

    return PageRecord.model_validate_json(path.read_bytes())


def file_sha256(file: Path) -> str:
    """Of a file, however large."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def json_bytes(value: Json) -> bytes:
    """As the files of a dataset hold it."""
    return (jsontext.dumps(value, indent=1) + "\n").encode()
