"""A page with the boxes of its truth drawn on it, so that a person sees whether they sit."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from groundtruth.evidence import Kind
from groundtruth.truth import GroundTruth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COLOURS: Final = {
    Kind.LINE: (30, 100, 220),
    Kind.HULL: (20, 150, 60),
    Kind.INK: (215, 40, 40),
    Kind.WORD: (150, 90, 200),
}
"""Blue lines, green hulls, red ink."""


def boxes_on(picture: NDArray[np.uint8], truth: GroundTruth, page: int) -> bytes:
    """A PNG of a page, given as (height, width, 3) RGB, with every box that its truth has there."""
    from PIL import Image, ImageDraw

    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    for entries in truth.evidence.values():
        for entry in entries:
            if entry.page == page and entry.bbox is not None:
                x, y, width, height = map(float, entry.bbox)
                corners = (x * image.width, y * image.height, (x + width) * image.width, (y + height) * image.height)
                draw.rectangle(corners, outline=_COLOURS[entry.kind], width=1)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()
