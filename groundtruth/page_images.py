"""Pages of image files: PNG, JPEG, and TIFF with a page for each frame.

The header is read, and the size refused, before anything is decoded. Images have no text layer.
"""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from PIL import Image
from PIL.ImageFile import ImageFile
from PIL.JpegImagePlugin import JpegImageFile
from PIL.PngImagePlugin import PngImageFile
from PIL.TiffImagePlugin import TiffImageFile

from groundtruth.errors import BrokenDocument, DocumentTooLarge, UnsupportedDocument
from groundtruth.page_files import JPEG, PNG, TIFF, FileFormat, Limits
from groundtruth.page_words import TextLayer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Named classes instead of Image.open: no other decoder ever sees the bytes, and the size is ours to judge.
_READERS: dict[FileFormat, type[ImageFile]] = {PNG: PngImageFile, JPEG: JpegImageFile, TIFF: TiffImageFile}
_FAILURES = (
    OSError, SyntaxError, ValueError, TypeError, LookupError, EOFError, ArithmeticError, struct.error, zlib.error,
    RuntimeError,
)  # fmt: skip
_POINTS_PER_INCH = 72.0
_ORIENTATION_TAG = 0x0112
_PNG_EXIF_MARKS = (b"eXIf", b"Raw profile type exif")
_QUARTER_TURNED = range(5, 9)
_TRANSPOSITIONS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_ASSUMED_DPI = 96.0
_CREDIBLE_DPI = (36.0, 4_800.0)
_DIRECT_MODES = frozenset({"1", "L", "P", "RGB", "CMYK", "YCbCr", "LAB", "HSV"})
_TRANSPARENT_MODES = frozenset({"LA", "PA", "La", "RGBA", "RGBa"})
_SIXTEEN_BIT_MODES = frozenset({"I;16", "I;16L", "I;16B", "I;16N"})


class _Frame(NamedTuple):
    """What the header says of one page: pixels as displayed, and how many there are to the inch."""

    width: int
    height: int
    dpi_x: float
    dpi_y: float


class ImagePages:
    """The frames of an image file as pages. Frames are decoded when asked for and not kept.

    Raises:
        BrokenDocument: the header cannot be read.
        DocumentTooLarge: a frame past ``limits.max_image_pixels``, or more frames than ``limits.max_pages``.
    """

    repaired = False

    def __init__(self, data: bytes, file_format: FileFormat, name: str, limits: Limits) -> None:
        self._data = data
        self._reader = _READERS[file_format]
        self._name = name
        self._frames = self._read_headers(limits)
        self.page_count = len(self._frames)

    def size(self, number: int) -> tuple[float, float]:
        """Width and height in points as displayed, by the resolution that the file states; ``number`` from 1.

        A file that states none, or one beyond belief, is taken to have 96 dots to the inch.
        """
        frame = self._frames[number - 1]
        return frame.width * _POINTS_PER_INCH / frame.dpi_x, frame.height * _POINTS_PER_INCH / frame.dpi_y

    def text_layer(self, number: int) -> TextLayer:  # noqa: ARG002 - one signature for every kind of page
        """No words: an image has no text layer."""
        return TextLayer(())

    def raster(self, number: int, dpi: float, *, grey: bool = False) -> NDArray[np.uint8]:
        """The frame as displayed, resampled to ``dpi``, transparent parts on white.

        (height, width, 3) RGB, or (height, width) when ``grey``.
        """
        import numpy as np

        width, height = (max(1, round(points * dpi / _POINTS_PER_INCH)) for points in self.size(number))
        image = self._decode(number)
        if grey:
            image = image.convert("L")
        if image.size != (width, height):
            image = image.resize((width, height), Image.Resampling.BICUBIC)
        return np.array(image, dtype=np.uint8)

    def check_intact(self) -> None:
        """Decode every frame once.

        Raises:
            BrokenDocument: truncated or damaged.
            UnsupportedDocument: pixels of a kind that cannot be shown as RGB.
        """
        for number in range(1, self.page_count + 1):
            self._decode(number)

    def close(self) -> None:
        """Nothing is held open."""

    def _read_headers(self, limits: Limits) -> tuple[_Frame, ...]:
        frames: list[_Frame] = []
        with self._reading(), self._reader(io.BytesIO(self._data)) as image:
            while True:
                self._require_few_pixels(image, limits)
                frames.append(_frame(image, self._orientation(image)))
                if not isinstance(image, TiffImageFile):
                    return tuple(frames)
                try:
                    image.seek(len(frames))
                except EOFError:
                    return tuple(frames)
                if len(frames) >= limits.max_pages:
                    raise DocumentTooLarge(
                        f"{self._name}: more than {limits.max_pages:,} frames, the limit; split the document"
                    )

    def _require_few_pixels(self, image: ImageFile, limits: Limits) -> None:
        width, height = image.size
        if width * height > limits.max_image_pixels:
            raise DocumentTooLarge(
                f"{self._name}: an image of {width:,} x {height:,} pixels; the limit is "
                f"{limits.max_image_pixels:,} pixels; scale it down"
            )

    def _orientation(self, image: ImageFile) -> int:
        """How the stored pixels are to be turned, 1 to 8; 1 (as they are) where that is not stated or not legible."""
        if isinstance(image, PngImageFile) and not any(mark in self._data for mark in _PNG_EXIF_MARKS):
            # Asked for EXIF that is not there, the PNG reader decodes the whole image to look behind it.
            return 1
        try:
            orientation = image.getexif().get(_ORIENTATION_TAG, 1)
        except _FAILURES:
            return 1
        return orientation if isinstance(orientation, int) and 1 <= orientation <= 8 else 1

    def _decode(self, number: int) -> Image.Image:
        with self._reading(), self._reader(io.BytesIO(self._data)) as image:
            if number > 1:
                image.seek(number - 1)
            orientation = self._orientation(image)
            image.load()
            # The TIFF reader turns the pixels itself while it loads them.
            turned = image if isinstance(image, TiffImageFile) else _displayed(image, orientation)
            return self._rgb(turned)

    def _rgb(self, image: Image.Image) -> Image.Image:
        if image.mode in _SIXTEEN_BIT_MODES:
            return _eight_bit(image).convert("RGB")
        if image.mode in _TRANSPARENT_MODES or "transparency" in image.info:
            rgba = image.convert("RGBA")
            return Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba).convert("RGB")
        if image.mode in _DIRECT_MODES:
            return image.convert("RGB")
        raise UnsupportedDocument(
            f"{self._name}: an image with pixels of the kind {image.mode}, which is not read; "
            "convert it to 8-bit grey or RGB"
        )

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            with warnings.catch_warnings():
                # Pillow warns of faulty metadata, which is of no use to us or is judged here.
                warnings.simplefilter("ignore")
                yield
        except _FAILURES as error:
            raise BrokenDocument(
                f"{self._name}: truncated or damaged image ({error}); get the file again from its source"
            ) from error


def _frame(image: ImageFile, orientation: int) -> _Frame:
    dpi_x, dpi_y = _resolution(image)
    width, height = image.size
    if orientation not in _QUARTER_TURNED:
        return _Frame(width, height, dpi_x, dpi_y)
    if isinstance(image, TiffImageFile):
        # This reader states the size as displayed, but the resolution as stored.
        return _Frame(width, height, dpi_y, dpi_x)
    return _Frame(height, width, dpi_y, dpi_x)


def _displayed(image: Image.Image, orientation: int) -> Image.Image:
    method = _TRANSPOSITIONS.get(orientation)
    return image if method is None else image.transpose(method)


def _resolution(image: ImageFile) -> tuple[float, float]:
    """Dots to the inch in x and y of the stored pixels; where only their ratio is stated, that is kept."""
    stated = _pair(image.info.get("dpi"))
    if stated is not None and all(_CREDIBLE_DPI[0] <= value <= _CREDIBLE_DPI[1] for value in stated):
        return stated
    ratio = _pair(image.info.get("aspect") or image.info.get("jfif_density") or image.info.get("resolution"))
    if ratio is not None and 0.1 <= ratio[0] / ratio[1] <= 10:
        return _ASSUMED_DPI, _ASSUMED_DPI * ratio[1] / ratio[0]
    return _ASSUMED_DPI, _ASSUMED_DPI


def _pair(value: object) -> tuple[float, float] | None:
    if not isinstance(value, tuple) or len(value) != 2:
        return None
    try:
        x, y = float(value[0]), float(value[1])
    except _FAILURES:
        return None
    return (x, y) if 0 < x < float("inf") and 0 < y < float("inf") else None


def _eight_bit(image: Image.Image) -> Image.Image:
    """The upper byte of 16-bit grey; Pillow's own conversion would cut all above 255 to white."""
    import numpy as np

    return Image.fromarray((np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8))
