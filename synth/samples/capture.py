"""Pictures of a document's pages, as a scanner hands them on: no text layer is left."""

from __future__ import annotations

import io
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Strength = Literal["none", "mild"]

_POINTS_PER_INCH: Final = 72
_JPEG_QUALITY: Final = 70
_LARGEST_SKEW: Final = 0.4
"""In degrees, either way."""


def capture(pdf: bytes, *, seed: int, dpi: int = 200, strength: Strength = "none") -> bytes:
    """A PDF with one picture per page, of the same page sizes.

    ``none`` is a clean rendering, kept without loss. ``mild`` is a scan by a good machine: turned by up to 0.4
    degrees, blurred by 0.5 to 0.8 pixels, grainy (a standard deviation of 6 to 10 of 255), JPEG of quality 70; which
    of it follows from the seed and the page.
    """
    import pypdfium2  # type: ignore[import-untyped]
    from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1)
    document = pypdfium2.PdfDocument(pdf)
    try:
        document.init_forms()
        for number, page in enumerate(document):
            width, height = page.get_size()
            grey = page.render(scale=dpi / _POINTS_PER_INCH, grayscale=True, may_draw_forms=True).to_numpy()
            picture: NDArray[np.uint8] = np.array(grey, dtype=np.uint8).squeeze()
            if strength == "mild":
                picture = _scanned(picture, np.random.default_rng([seed, number]))
            canvas.setPageSize((width, height))
            canvas.drawImage(_image(picture, lossless=strength == "none"), 0, 0, width, height)
            canvas.showPage()
    finally:
        document.close()
    canvas.save()
    return buffer.getvalue()


def _scanned(picture: NDArray[np.uint8], random: np.random.Generator) -> NDArray[np.uint8]:
    import cv2

    height, width = picture.shape
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), random.uniform(-_LARGEST_SKEW, _LARGEST_SKEW), 1.0)
    turned = cv2.warpAffine(picture, turn, (width, height), flags=cv2.INTER_CUBIC, borderValue=(255.0,))
    blurred = cv2.GaussianBlur(turned, (0, 0), random.uniform(0.5, 0.8))
    grain = random.normal(0.0, random.uniform(6.0, 10.0), picture.shape)
    return np.clip(np.rint(blurred * 0.96 + grain), 0, 255).astype(np.uint8)


def _image(picture: NDArray[np.uint8], *, lossless: bool) -> object:
    from PIL import Image
    from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]

    image = Image.fromarray(picture)
    buffer = io.BytesIO()
    if lossless:
        image.save(buffer, "PNG")
    else:
        image.save(buffer, "JPEG", quality=_JPEG_QUALITY)
    buffer.seek(0)
    return ImageReader(buffer)
