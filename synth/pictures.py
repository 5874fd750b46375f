"""A small picture of each pattern, a clean page beside a hard one: ``python -m synth.pictures docs/pictures``."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from groundtruth.pages import open_document
from groundtruth.store_files import atomic_write
from synth.making import Asked, invented, make
from synth.pattern import CLEAN, HARD, load_pattern, pattern_names

if TYPE_CHECKING:
    from PIL import Image

_RECORDS: Final = 160
"""Enough for a first page, and for a later one that shows how the list goes on."""

_DPI: Final = 62
_GAP: Final = 12
_SHADES: Final = 12
"""Of grey: the files are half as large as with all, and no worse to look at."""


def contact_picture(name: str) -> bytes:
    """A PNG: the first page of a clean document, and beside it the second page of a hard one."""
    from PIL import Image

    pages = [_page(name, CLEAN, 1), _page(name, HARD, 2)]
    height = max(page.height for page in pages)
    sheet = Image.new("L", (sum(page.width for page in pages) + 3 * _GAP, height + 2 * _GAP), 205)
    x = _GAP
    for page in pages:
        sheet.paste(page, (x, _GAP))
        x += page.width + _GAP
    buffer = io.BytesIO()
    step = 255 / (_SHADES - 1)
    sheet.point([round(round(shade / step) * step) for shade in range(256)]).quantize(_SHADES).save(
        buffer, "PNG", optimize=True
    )
    return buffer.getvalue()


def _page(name: str, difficulty: str, number: int) -> Image.Image:
    from PIL import Image

    pattern = load_pattern(name)
    made = make(invented(Asked(pattern, pattern.difficulty(difficulty)), min(_RECORDS, pattern.rows)))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "document.pdf"
        file.write_bytes(made.pdf)
        with open_document(file) as document:
            page = document.page(min(number, document.page_count))
            # Drawn larger and made smaller, thin strokes stay grey and do not break up.
            large = Image.fromarray(page.raster(4 * _DPI)).convert("L")
    return large.resize((large.width // 4, large.height // 4), Image.Resampling.LANCZOS)


def main(folder: Path) -> None:
    """Write ``synth-NAME.png`` of each pattern into a folder."""
    for name in pattern_names():
        atomic_write(folder / f"synth-{name}.png", contact_picture(name))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
