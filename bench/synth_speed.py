"""How long a synthetic list of 26,725 rows takes, beside the bare ``drawString`` floor and ReportLab's LongTable.

Each run is a process of its own, whose CPU seconds and peak memory the operating system accounts for. The floor prints
the same cells without measuring, wrapping or boxes; LongTable prints them as plain strings, without boxes.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

ROWS: Final = 26_725
STEPS: Final = (2_500, 6_680, 13_360, ROWS)
_LONG_TABLE: Final = (2_500, 6_680, 13_360)
"""LongTable takes four times as long for twice the rows."""

_DRAWN_AIM: Final = 10.0
_WHOLE_AIM: Final = 25.0
_MEMORY_AIM: Final = 600
_LINEAR: Final = 1.5
PATTERN: Final = "unclaimed-property"
_OURS: Final = "layout, PDF, boxes"
_WHOLE: Final = "the whole command"


class Used(NamedTuple):
    """What a process used: CPU seconds, peak MB, and what it said."""

    cpu: float
    memory: float
    said: dict[str, Any]


def main() -> None:
    """Print the figures."""
    print(f"{PATTERN}, 8 columns; CPU seconds and peak memory of a process of its own, imports and content included")
    for rows in STEPS:
        for name, job in (("floor: drawString", floor), (_OURS, drawn), (_WHOLE, whole)):
            _print(name, rows, _measured(job, rows))
        if rows in _LONG_TABLE:
            _print("LongTable, plain strings", rows, _measured(long_table, rows))


def _print(name: str, rows: int, used: Used) -> None:
    step = float(used.said.get("step", used.cpu))
    _FIRST.setdefault(name, step)
    verdict = f"; this step alone {step:.1f} s" if "step" in used.said else ""
    if rows == ROWS and name == _OURS:
        verdict += _aim(f"{_DRAWN_AIM:g} s", step <= _DRAWN_AIM)
        verdict += _aim("linear", step / ROWS <= _LINEAR * _FIRST[name] / STEPS[0])
    if rows == ROWS and name == _WHOLE:
        verdict += _aim(f"{_WHOLE_AIM:g} s", used.cpu <= _WHOLE_AIM)
        verdict += _aim(f"{_MEMORY_AIM} MB", used.memory <= _MEMORY_AIM)
    figures = f"{used.cpu:6.1f} s {used.memory:6.0f} MB  {used.said['pages']:>4} pages"
    print(f"  {rows:>6,} rows  {name:<26}{figures}{verdict}", flush=True)


_FIRST: dict[str, float] = {}


def _aim(aim: str, is_met: bool) -> str:
    return f"; {aim}: {'met' if is_met else 'MISSED'}"


def _measured(job: Callable[[int], dict[str, Any]], rows: int) -> Used:
    """Run a job in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        code = 1
        try:
            os.write(writer, json.dumps(job(rows)).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as said:
        text = said.read()
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{job.__name__} of {rows:,} rows ended with status {status}")
    return Used(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, json.loads(text))


def _cells(rows: int) -> list[list[str]]:
    from synth.invention import Invention
    from synth.pattern import load_pattern

    records = load_pattern(PATTERN).invent(Invention(0), rows, frozenset())
    return [["" if cell is None else str(cell) for cell in record.values()] for record in records]


def floor(rows: int) -> dict[str, Any]:
    """Every cell by ``drawString`` in an embedded font, at a place that nobody measured."""
    import io
    import time

    from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
    from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]
    from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

    from synth.fonts import family, load_face

    cells = _cells(rows)
    began = time.process_time()
    pdfmetrics.registerFont(TTFont("floor", io.BytesIO(load_face(family("narrow").regular).data)))
    canvas = Canvas(io.BytesIO(), pagesize=(792, 612), invariant=1)
    pages = 0
    for start in range(0, rows, 50):
        canvas.setFont("floor", 7)
        for line, row in enumerate(cells[start : start + 50]):
            for column, cell in enumerate(row):
                canvas.drawString(36 + 90 * column, 570 - 10.5 * line, cell)
        canvas.showPage()
        pages += 1
    canvas.save()
    return {"pages": pages, "step": time.process_time() - began}


def long_table(rows: int) -> dict[str, Any]:
    """The same cells as plain strings in ReportLab's LongTable."""
    import io
    import time

    from reportlab.platypus import LongTable, SimpleDocTemplate  # type: ignore[import-untyped]

    cells = _cells(rows)
    began = time.process_time()
    document = SimpleDocTemplate(io.BytesIO(), pagesize=(792, 612), leftMargin=36, rightMargin=36)
    table = LongTable(cells, colWidths=[90] * 8, repeatRows=1, style=[("FONTSIZE", (0, 0), (-1, -1), 7)])
    document.build([table])
    return {"pages": document.page, "step": time.process_time() - began}


def drawn(rows: int) -> dict[str, Any]:
    """Our layout, PDF and boxes; the step is these alone, without inventing the content."""
    import gc
    import time

    from synth.evidence import entries_of
    from synth.making import Asked, invented
    from synth.pattern import draw, load_pattern
    from synth.pdf import write_pdf

    content = invented(Asked(load_pattern(PATTERN)), rows)
    gc.disable()
    began = time.process_time()
    pages = draw(content)
    write_pdf(pages)
    entries_of(pages)
    return {"pages": len(pages.sheets), "step": time.process_time() - began}


def whole(rows: int) -> dict[str, Any]:
    """``goldleaf synth make`` with invented content, into a new dataset."""
    from flows.long_lists import open_or_create, register
    from synth.making import Asked, invented, make
    from synth.pattern import load_pattern

    with tempfile.TemporaryDirectory() as folder:
        made = make(invented(Asked(load_pattern(PATTERN)), rows))
        register(open_or_create(Path(folder) / "data", "en_US"), made)
    return {"pages": len(made.drawn.sheets)}
