"""Re-captures: how quick they are, how true their boxes, and how well they can still be read.

``python -m bench recapture``. Times are processor times of this process, one thread, after a first page.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import cv2
import numpy as np
import pymupdf

REPOSITORY: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "tests")]

from degrade.document import PdfWriter, Picture  # noqa: E402
from degrade.effects import VERSIONS  # noqa: E402
from degrade.legibility import Score, score_value  # noqa: E402
from degrade.page import Captured, Clean, capture, decode, encode, read_clean, sha256_of_pixels  # noqa: E402
from degrade.recapture import places_on_pages  # noqa: E402
from degrade.recipe import DrawnEffect, DrawnPage, Strength, draw_page, load_recipe, recipe_names  # noqa: E402
from degrade.warp import warp  # noqa: E402
from groundtruth.box import Box  # noqa: E402
from groundtruth.pages import PageSource, open_document  # noqa: E402
from recapture_builders import A4, dense_list, fiducials, list_dataset  # noqa: E402
from test_degrade_pages import distances  # noqa: E402

SHA: Final = "5" * 64
PAGES: Final = 10
AUGRAPHY_PAGES: Final = 5


def main() -> None:
    """Print all figures."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        speed(Path(folder))
        boxes(Path(folder))
        reading(Path(folder))


def speed(folder: Path) -> None:
    """Pages a second of one core."""
    (folder / "list.pdf").write_bytes(dense_list(pages=PAGES, rows=45)[0])
    print(f"Pages a processor second, {PAGES} pages of a dense list, A4 (asked: geometry 0.8 of the floor, "
          "office-scan 0.6 of it and 15 times augraphy)")  # fmt: skip
    with open_document(folder / "list.pdf") as source:
        look = load_recipe("office-scan", VERSIONS)
        rates = {"floor": _rate(lambda: _floor(folder / "list.pdf", look_of(source, "image-only")), PAGES)}
        for name in recipe_names():
            for strength in (Strength.MEDIUM,) if name != "office-scan" else tuple(Strength):
                rates[f"{name}, {strength}"] = _rate(lambda: _make(source, name, strength), PAGES)  # noqa: B023
        rates["augraphy's default pipeline"] = augraphy = _augraphy(source)
        for name, rate in rates.items():
            print(f"  {name:30} {rate:7.2f}   {rate / rates['floor']:5.2f} of the floor")
        scan = rates["office-scan, medium"]
        print(f"  office-scan is {scan / augraphy:.0f} times augraphy")
        _guard_and_hashes(source, look.name)


def look_of(source: PageSource, name: str) -> list[DrawnPage]:
    """What is drawn for each page at 200 dpi."""
    recipe = load_recipe(name, VERSIONS)
    return [
        draw_page(recipe, Strength.MEDIUM, seed=1, document=SHA, page=number)
        for number in range(1, source.page_count + 1)
    ]


def _floor(file: Path, drawn: Sequence[DrawnPage]) -> None:
    """Rasterise, warp, encode and assemble, and nothing else."""
    writer = PdfWriter(BytesIO())
    with pymupdf.open(file) as document:
        for page, look in zip(document, drawn, strict=True):
            width, height = float(page.rect.width), float(page.rect.height)
            scale = look.dpi / 72
            pixmap = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False)
            pixels = np.frombuffer(pixmap.samples, np.uint8).reshape(pixmap.height, pixmap.width)
            size = (round(width * scale), round(height * scale))
            moved = warp(pixels, look.placement.homography(width, height), (width * scale, height * scale), size, 255)
            writer.add(Picture(encode(moved, look.codec, look.quality), look.codec, 1, size, (width, height)))
    writer.close()


def _make(source: PageSource, name: str, strength: Strength) -> None:
    recipe = load_recipe(name, VERSIONS)
    writer = PdfWriter(BytesIO())
    for page in source.pages():
        drawn = draw_page(recipe, strength, seed=1, document=SHA, page=page.number)
        if strength is not Strength.STRONG:
            drawn = drawn.model_copy(update={"dpi": max(200, drawn.dpi)})
        writer.add(capture(read_clean(page, drawn), drawn).picture)
    writer.close()


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


def _guard_and_hashes(source: PageSource, name: str) -> None:
    page = source.page(1)
    words = [word.box for word in page.words]
    drawn = draw_page(load_recipe(name, VERSIONS), Strength.MEDIUM, seed=1, document=SHA, page=1)
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


def _rate(work: Callable[[], None], pages: int) -> float:
    work()
    start = time.process_time()
    work()
    return pages / (time.process_time() - start)


def boxes(folder: Path) -> None:
    """How far discs lie from where the record says, found by their ink in the picture."""
    data, centers = fiducials(A4, 10, 14)
    (folder / "discs.pdf").write_bytes(data)
    print("\nDiscs at known places found again, over all recipes and strengths (asked: 99.9 % within 1 px)")
    with open_document(folder / "discs.pdf") as source:
        page = source.page(1)
        for dpi in (150, 200, 300):
            found = {}
            for name in recipe_names():
                for strength in Strength:
                    drawn = draw_page(load_recipe(name, VERSIONS), strength, seed=2, document=SHA, page=1)
                    drawn = drawn.model_copy(update={"dpi": dpi})
                    captured = capture(read_clean(page, drawn), drawn)
                    found[f"{name}, {strength}"] = distances(decode(captured.picture), captured, centers)
            every = np.concatenate(list(found.values()))
            worst = max(found, key=lambda name: float(found[name].max()))
            print(f"  {dpi} dpi: mean {every.mean():.3f}, 99.9 % {np.quantile(every, 0.999):.2f}, within 1 px "
                  f"{(every <= 1).mean():.2%}, worst {every.max():.2f} px ({worst})")  # fmt: skip


class _Read(NamedTuple):
    score: Score
    is_right: bool


def reading(folder: Path) -> None:
    """What an OCR engine reads of the values of a dense list, and what the guard says of the same values."""
    dataset = list_dataset(folder, rows=40)
    truth = dataset.truth("list-1")
    if truth is None:
        raise AssertionError("the list has a truth")
    places = places_on_pages(truth)[1]
    texts = {path: truth.evidence[path][0].quote or "" for path in places}
    judged: list[_Read] = []
    print("\nF1 of the values that Tesseract reads on a dense list of 160 (in brackets: values the guard refuses)")
    with open_document(dataset.document_file("list-1")) as source, _tesseract() as engine:
        page = source.page(1)
        for name in recipe_names():
            cells = []
            for strength in (*Strength, None):
                drawn = draw_page(
                    load_recipe(name, VERSIONS), strength or Strength.STRONG, seed=4, document=SHA, page=1
                )
                clean = read_clean(page, drawn)
                captured = capture(clean, drawn if strength else _ruined(drawn))
                seen = decode(captured.picture)
                words = _words(engine, seen, captured, clean, [lines[0] for lines in places.values()])
                scores = {path: score_value(clean, captured.homography, seen, lines) for path, lines in places.items()}
                judged += [_Read(score, texts[path] in words) for path, score in scores.items() if score is not None]
                right = sum(text in words for text in texts.values())
                f1 = 2 * right / (len(texts) + max(right, len(words)))
                refused = sum(score is not None and not score.is_legible() for score in scores.values())
                cells.append(f"{f1:.2f} ({refused})")
            print(f"  {name:15} mild {cells[0]:12} medium {cells[1]:12} strong {cells[2]:12} ruined {cells[3]}")
    _limits(judged)


def _ruined(drawn: DrawnPage) -> DrawnPage:
    """Far stronger than any recipe: ink that fades away and a lens that is not in focus."""
    fade = DrawnEffect(effect="ink_fade", version=VERSIONS["ink_fade"], seed=11, parameters={"depth": 0.85, "cells": 5})
    soft = DrawnEffect(effect="soften", version=VERSIONS["soften"], seed=12, parameters={"points": 0.45})
    return drawn.model_copy(update={"before": (*drawn.before, fade), "after": (soft, *drawn.after)})


def _limits(judged: Sequence[_Read]) -> None:
    print("\nShare of values that the engine reads, by what the guard measures (in brackets: values)")
    for name, edges in (
        ("contrast", (0.1, 0.15, 0.2, 0.3, 0.5)),
        ("likeness", (0.5, 0.65, 0.75, 0.85, 0.95)),
        ("part", (0.15, 0.3, 0.45, 0.6, 0.8)),
    ):
        print(f"  {name:9}", "  ".join(_bins(judged, name, edges)))
    for what, among in (
        ("passed", [one for one in judged if one.score.is_legible()]),
        ("refused", [one for one in judged if not one.score.is_legible()]),
    ):
        if among:
            print(f"  {what}: {sum(one.is_right for one in among) / len(among):.2f} of {len(among)} are read")


def _bins(judged: Sequence[_Read], name: str, edges: Sequence[float]) -> Iterator[str]:
    for low, high in zip((0.0, *edges), (*edges, 1.01), strict=True):
        among = [one.is_right for one in judged if low <= getattr(one.score, name) < high]
        yield f"{low:.2f}-{min(high, 1.0):.2f}: " + (f"{sum(among) / len(among):.2f} ({len(among)})" if among else "-")


def _words(engine: Any, seen: Any, captured: Captured, clean: Clean, boxes: Sequence[Box]) -> set[str]:
    """What the engine reads on a sheet of the values alone, level again and twice as large, one below the other.

    On the whole page its layout analysis is lost among the rules of the list even when every value is clear.
    """
    from PIL import Image

    height, width = seen.shape
    size = (round(clean.scale[0]), round(clean.scale[1]))
    level: Any = cv2.GaussianBlur(warp(seen, captured.homography.inverse(), (width, height), size, 255), (3, 3), 0)
    crops = []
    for x0, y0, x1, y1 in boxes:
        rows, columns = (
            slice(int(y0 * size[1]) - 1, int(y1 * size[1]) + 2),
            slice(int(x0 * size[0]) - 4, int(x1 * size[0]) + 5),
        )
        crops.append(cv2.resize(level[rows, columns], None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC))
    wide = max(crop.shape[1] for crop in crops) + 60
    paper = int(np.median(level))
    sheet = [
        cv2.copyMakeBorder(crop, 13, 13, 30, wide - 30 - crop.shape[1], cv2.BORDER_CONSTANT, value=paper)
        for crop in crops
    ]
    engine.SetImage(Image.fromarray(np.concatenate(sheet)))
    engine.SetSourceResolution(300)
    return set(engine.GetUTF8Text().split())


def _tesseract() -> Any:
    from tesserocr import PSM, PyTessBaseAPI  # type: ignore[import-untyped]

    return PyTessBaseAPI(path=str(Path(sys.prefix) / "share" / "tessdata"), lang="eng", psm=PSM.SINGLE_BLOCK)
