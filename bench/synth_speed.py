"""How long a synthetic list of 26,725 rows takes, beside the bare ``drawString`` floor and ReportLab's LongTable.

Each run is a process of its own, whose CPU seconds and peak memory the operating system accounts for. The floor prints
the same cells without measuring, wrapping or boxes; LongTable prints them as plain strings, without boxes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

ROWS: Final = 26_725
STEPS: Final = (2_500, 6_680, 13_360, ROWS)
PATTERN: Final = "unclaimed-property"

_DRAWN_AIM: Final = 10.0
_WHOLE_AIM: Final = 25.0
_MEMORY_AIM: Final = 600
_LINEAR: Final = 1.25
"""A row of the longest list may take so many times as long as one of the shortest; of what grows with the square of the
rows it would be eleven times."""

_FLOOR: Final = "floor: drawString"
_OURS: Final = "layout, PDF, boxes"
_WHOLE: Final = "the whole command"
_LONG_TABLE: Final = "LongTable, plain strings"


class Used(NamedTuple):
    """What a process used: CPU seconds, peak MB; the pages that it made, and the CPU seconds of its main step."""

    cpu: float
    memory: float
    pages: int
    step: float | None


def main() -> None:
    """Print the figures."""
    print(f"{PATTERN}, 8 columns; CPU seconds and peak memory of a process of its own, imports and content included")
    taken: dict[str, list[float]] = {}
    for rows in STEPS:
        for name in (_FLOOR, _OURS, _WHOLE, _LONG_TABLE):
            used = _whole(rows) if name == _WHOLE else _measured(name, rows)
            taken.setdefault(name, []).append(used.cpu if used.step is None else used.step)
            step = "" if used.step is None else f"; this step alone {used.step:.1f} s"
            figures = f"{used.cpu:6.1f} s {used.memory:6.0f} MB  {used.pages:>4} pages"
            print(f"  {rows:>6,} rows  {name:<26}{figures}{step}{_verdict(name, rows, used)}", flush=True)
    for name, seconds in taken.items():
        growth = (seconds[-1] / STEPS[-1]) / (seconds[0] / STEPS[0])
        aim = _aim("linear", growth <= _LINEAR) if name == _OURS else ""
        print(f"  a row of {STEPS[-1]:,} takes {growth:4.2f} times as long as one of {STEPS[0]:,}: {name}{aim}")
    ours, other = taken[_OURS][-1], taken[_LONG_TABLE][-1]
    print(f"  at {ROWS:,} rows LongTable takes {other / ours:.1f} times as long as ours, and gives no box")


def _verdict(name: str, rows: int, used: Used) -> str:
    if rows == ROWS and name == _OURS:
        return _aim(f"{_DRAWN_AIM:g} s", (used.step or used.cpu) <= _DRAWN_AIM)
    if rows == ROWS and name == _WHOLE:
        return _aim(f"{_WHOLE_AIM:g} s", used.cpu <= _WHOLE_AIM) + _aim(f"{_MEMORY_AIM} MB", used.memory <= _MEMORY_AIM)
    return ""


def _aim(aim: str, is_met: bool) -> str:
    return f"; {aim}: {'met' if is_met else 'MISSED'}"


def _measured(name: str, rows: int) -> Used:
    """Run a job in a process of its own."""
    return _accounted([sys.executable, "-m", "bench.synth_speed", name, str(rows)], lambda said: said)


def _whole(rows: int) -> Used:
    """``goldleaf synth make`` with invented content, into a new dataset."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["synth", "make", PATTERN, "--rows", str(rows), "--out", f"{folder}/data", "--json"]
        return _accounted([sys.executable, "-m", "flows.cli", *command], lambda said: said["documents"][0])


def _accounted(command: Sequence[str], made: Callable[[Any], Mapping[str, Any]]) -> Used:
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent) as process:
        said = process.stdout.read() if process.stdout else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
    document = made(json.loads(said))
    cpu, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    return Used(cpu, memory, document["pages"], document.get("step"))


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
    style = [
        ("FONT", (0, 0), (-1, -1), "Helvetica", 7, 8.4),
        ("TOPPADDING", (0, 0), (-1, -1), 1),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1),
    ]
    table = LongTable(cells, colWidths=[90] * 8, repeatRows=1, style=style)
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


_JOBS: Final[Mapping[str, Callable[[int], dict[str, Any]]]] = {_FLOOR: floor, _OURS: drawn, _LONG_TABLE: long_table}


if __name__ == "__main__":
    print(json.dumps(_JOBS[sys.argv[1]](int(sys.argv[2]))))
