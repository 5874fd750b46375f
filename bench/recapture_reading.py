"""Re-captures: how true their boxes are, and how well they can still be read, by an engine and by an extractor."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import cv2
import numpy as np

from bench.reading import Task, embedded, read_all
from degrade.document import PdfWriter
from degrade.effects import VERSIONS
from degrade.legibility import Score, score_value
from degrade.page import Captured, Clean, capture, decode, read_clean
from degrade.recapture import places_on_pages
from degrade.recipe import DrawnEffect, DrawnPage, Strength, draw_page, load_recipe, recipe_names
from degrade.warp import warp
from groundtruth.box import Box
from groundtruth.pages import open_document
from groundtruth.rules import Rules
from groundtruth.schema_compile import compile_schema
from recapture_builders import A4, fiducials, list_dataset
from scoring.value_f1 import score
from synth.making import Asked, Made, invented, make
from synth.pattern import CLEAN, Pattern, load_pattern
from test_degrade_pages import distances

SHA: Final = "5" * 64
EXTRACTOR: Final = "ocr-tess"
READ_PATTERNS: Final = ("unclaimed-property", "bank-statement")
READ_RECIPES: Final = ("office-scan", "photocopy", "fax", "phone-photo")
READ_ROWS: Final = 10
READ_SEEDS: Final = (1, 2, 3, 4)


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


def extraction(folder: Path) -> None:
    """What an extractor makes of clean documents and of their twins, as `goldleaf run` would call it."""
    print(
        f"\nValue F1 of {EXTRACTOR} on documents of {READ_ROWS} records ({', '.join(READ_PATTERNS)}), and on "
        f"{len(READ_SEEDS)} twins of each"
    )
    extractors = embedded([EXTRACTOR])
    if not extractors:
        return
    documents = {name: _document(name) for name in READ_PATTERNS}
    tasks = []
    for name, (pattern, made) in documents.items():
        clean = folder / f"{name}.pdf"
        clean.write_bytes(made.pdf)
        schema = compile_schema(pattern.schema, Rules.from_json(pattern.rules), name=name)
        files = {"clean": clean}
        for recipe, strength, seed in product(READ_RECIPES, Strength, READ_SEEDS):
            twin = folder / f"{name}-{recipe}-{strength}-{seed}.pdf"
            files[f"{recipe} {strength}|{seed}"] = _twin(clean, twin, recipe, strength, seed)
        pages = len(made.drawn.sheets)
        tasks += [Task(EXTRACTOR, f"{name}|{look}", file, schema, pages) for look, file in files.items()]
    found: dict[str, list[float]] = {}
    for answer in read_all(tasks, extractors):
        name, look, *_ = answer.task.name.split("|")
        pattern, made = documents[name]
        usable = answer.ballot.usable
        found.setdefault(look, []).append(
            score(made.content.value, answer.ballot.data, pattern.schema).value.f1 if usable else 0.0
        )
    means = {look: float(np.mean(scores)) for look, scores in found.items()}
    print(f"  clean {means['clean']:.3f}")
    for recipe in READ_RECIPES:
        cells = "  ".join(f"{strength} {means[f'{recipe} {strength}']:.3f}" for strength in Strength)
        print(f"  {recipe:15} {cells}")


def _document(name: str) -> tuple[Pattern, Made]:
    pattern = load_pattern(name)
    return pattern, make(invented(Asked(pattern, pattern.difficulty(CLEAN), 1), READ_ROWS))


def _twin(clean: Path, file: Path, recipe: str, strength: Strength, seed: int) -> Path:
    with open_document(clean) as source, file.open("wb") as stream:
        writer = PdfWriter(stream)
        for page in source.pages():
            drawn = draw_page(load_recipe(recipe, VERSIONS), strength, seed=seed, document=SHA, page=page.number)
            writer.add(capture(read_clean(page, drawn), drawn).picture)
        writer.close()
    return file
