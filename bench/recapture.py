"""Re-captures: how quick they are, how much memory they take, how true their boxes, and how well they can be read.

``python -m bench recapture``. Times are processor times of one thread, after a first page; the looks of a page are made
one after the other before the next page is, so that a busy machine slows all alike.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import pymupdf

REPOSITORY: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests")]

from bench import recapture_reading  # noqa: E402
from degrade.document import PdfWriter, Picture  # noqa: E402
from degrade.effects import VERSIONS  # noqa: E402
from degrade.legibility import score_value  # noqa: E402
from degrade.memory import keep_freed_memory  # noqa: E402
from degrade.page import capture, decode, encode, read_clean, sha256_of_pixels  # noqa: E402
from degrade.recipe import DrawnPage, Recipe, Strength, draw_page, load_recipe, recipe_names  # noqa: E402
from degrade.warp import warp  # noqa: E402
from groundtruth.pages import Page, PageSource, open_document  # noqa: E402
from recapture_builders import dense_list, list_dataset  # noqa: E402

SHA: Final = "5" * 64
DPI: Final = 200
PAGES: Final = 100
FEW_PAGES: Final = 8
AUGRAPHY_PAGES: Final = 4
MEMORY_PAGES: Final = (25, 50, 100)


def main() -> None:
    """Print all figures."""
    cv2.setNumThreads(1)
    keep_freed_memory()
    with tempfile.TemporaryDirectory() as folder:
        speed(Path(folder))
        memory(Path(folder))
        recapture_reading.boxes(Path(folder))
        recapture_reading.reading(Path(folder))
        recapture_reading.extraction(Path(folder))


def speed(folder: Path) -> None:
    """Pages a second of one core."""
    (folder / "list.pdf").write_bytes(dense_list(pages=PAGES, rows=45)[0])
    print(f"Pages a processor second, {PAGES} pages of a dense list, A4, {DPI} dpi (asked: geometry alone 0.8 of the "
          "floor, office-scan 0.6 of it and 15 times augraphy)")  # fmt: skip
    with open_document(folder / "list.pdf") as source, pymupdf.open(folder / "list.pdf") as document:
        looks = {"image-only, medium": ("image-only", Strength.MEDIUM)}
        looks |= {f"office-scan, {strength}": ("office-scan", strength) for strength in Strength}
        rates = _rates(source, document, looks, PAGES, folder)
        others = {f"{name}, medium": (name, Strength.MEDIUM) for name in recipe_names() if name != "office-scan"}
        few = _rates(source, document, {name: look for name, look in others.items() if name not in looks}, FEW_PAGES,
                     folder)  # fmt: skip
        augraphy = _augraphy(source)
        for name, rate in rates.items():
            print(f"  {name:30} {rate:7.2f}   {rate / rates['floor']:5.2f} of the floor")
        print(f"  {FEW_PAGES} pages of the others:")
        for name, rate in few.items():
            print(f"  {name:30} {rate:7.2f}   {rate / few['floor']:5.2f} of the floor")
        print(f"  {'augraphy, default pipeline':30} {augraphy:7.2f}   on {AUGRAPHY_PAGES - 1} pages")
        for strength in Strength:
            print(f"  office-scan, {strength}: {rates[f'office-scan, {strength}'] / augraphy:.0f} times augraphy")
        _guard_and_hashes(source)


def _rates(
    source: PageSource, document: pymupdf.Document, looks: dict[str, tuple[str, Strength]], pages: int, folder: Path
) -> dict[str, float]:
    """Pages a second of the floor and of each look."""
    recipes = {name: load_recipe(name, VERSIONS) for name, _ in looks.values()}
    bare = load_recipe("image-only", VERSIONS)
    spent = dict.fromkeys(("floor", *looks), 0.0)
    streams = {name: (folder / f"out-{number}.pdf").open("wb") for number, name in enumerate(spent)}
    writers = {name: PdfWriter(stream) for name, stream in streams.items()}
    # The first time loads what is loaded once, and is not counted.
    for round_, number in enumerate((1, *range(1, pages + 1))):
        page = source.page(number)
        work: dict[str, Callable[[], Picture]] = {
            "floor": partial(_floor, document[number - 1], _drawn(bare, Strength.MEDIUM, number))
        }
        for name, (recipe, strength) in looks.items():
            work[name] = partial(_made, page, _drawn(recipes[recipe], strength, number))
        for name, make in work.items():
            start = time.process_time()
            writers[name].add(make())
            spent[name] += (time.process_time() - start) * (round_ > 0)
    for name, writer in writers.items():
        writer.close()
        streams[name].close()
    return {name: pages / seconds for name, seconds in spent.items()}


def _drawn(recipe: Recipe, strength: Strength, number: int) -> DrawnPage:
    drawn = draw_page(recipe, strength, seed=1, document=SHA, page=number)
    return drawn.model_copy(update={"dpi": DPI})


def _floor(page: pymupdf.Page, look: DrawnPage) -> Picture:
    """Rasterise, warp and encode, and nothing else; what is slow in it is done as we do it."""
    width, height = float(page.rect.width), float(page.rect.height)
    scale = look.dpi / 72
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False)
    pixels = np.frombuffer(pixmap.samples_mv, np.uint8).reshape(pixmap.height, pixmap.width)
    size = (round(width * scale), round(height * scale))
    moved = warp(pixels, look.placement.homography(width, height), (width * scale, height * scale), size, 255)
    return Picture(encode(moved, look.codec, look.quality), look.codec, 1, size, (width, height))


def _made(page: Page, drawn: DrawnPage) -> Picture:
    return capture(read_clean(page, drawn), drawn).picture


def _augraphy(source: PageSource) -> float:
    import os

    from augraphy import default_augraphy_pipeline  # type: ignore[import-untyped]

    pages = [cv2.cvtColor(page.raster(200), cv2.COLOR_RGB2BGR) for page in source.pages()][:AUGRAPHY_PAGES]
    here = Path.cwd()
    spent, made = 0.0, 0
    with tempfile.TemporaryDirectory() as scratch:
        # It keeps pages in the folder it runs in.
        os.chdir(scratch)
        try:
            for seed, pixels in enumerate(pages):
                np.random.seed(seed)
                start = time.process_time()
                try:
                    default_augraphy_pipeline()(pixels)
                except Exception as error:  # noqa: BLE001 - some of its operations fail on some draws
                    print(f"  (augraphy failed on a page: {type(error).__name__})")
                    continue
                # The first call of most operations compiles them, which is not counted.
                if seed:
                    spent, made = spent + time.process_time() - start, made + 1
        finally:
            os.chdir(here)
    return made / spent if spent else float("nan")


def _guard_and_hashes(source: PageSource) -> None:
    page = source.page(1)
    words = [word.box for word in page.words]
    drawn = draw_page(load_recipe("office-scan", VERSIONS), Strength.MEDIUM, seed=1, document=SHA, page=1)
    clean = read_clean(page, drawn)
    captured = capture(clean, drawn)
    start = time.process_time()
    seen = decode(captured.picture)
    for box in words:
        score_value(clean, captured.homography, seen, [box])
    guard = time.process_time() - start
    start = time.process_time()
    sha256_of_pixels(clean.pixels)
    sha256_of_pixels(captured.pixels)
    hashes = time.process_time() - start
    print(f"  apart from these: guard {guard * 1000:.0f} ms for {len(words)} values, ", end="")
    print(f"hashes {hashes * 1000:.0f} ms a page")


# Not ru_maxrss: a process inherits that of the one that started it, which has read hundreds of pages by then.
_COMMAND: Final = """
import re, sys
from pathlib import Path
from flows.cli import main
try:
    main()
finally:
    most = re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())
    print(int(most[1]) // 1024, file=sys.stderr)
"""


def memory(folder: Path) -> None:
    """The most that one process holds, by the length of the document."""
    print("\nMemory at its most, MiB, of one process that makes, makes again and verifies (asked: bounded by the pages "
          "in work)")  # fmt: skip
    for pages in MEMORY_PAGES:
        home = folder / f"memory-{pages}"
        home.mkdir()
        list_dataset(home, pages=pages, rows=6)
        twins = home / "twins"
        made = _peak("make", home / "clean", "--recipe", "office-scan", "--out", twins)
        next(twins.glob("documents/*/*.pdf")).unlink()
        print(
            f"  {pages:4} pages: make {made}, regenerate {_peak('regenerate', twins)}, verify {_peak('verify', twins)}"
        )


def _peak(command: str, *arguments: str | Path) -> int:
    call = [sys.executable, "-c", _COMMAND, "recapture", command, *map(str, arguments), "--workers", "1", "--json"]
    ended = subprocess.run(call, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    return int(ended.stderr.split()[-1])
