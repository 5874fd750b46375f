"""A PDF of one picture a page, written byte for byte the same each time.

Written by hand because a library's bytes change with its release: no date, no identifier, no producer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from degrade.recipe import Codec

_HEADER: Final = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"
_OBJECTS_A_PAGE: Final = 3
_FIRST_PAGE_OBJECT: Final = 3


class Picture(NamedTuple):
    """The picture of a page.

    Attributes:
        data: as the codec wrote it.
        codec: which.
        channels: 1 for grey and for black and white, 3 for colour.
        size: width and height in pixels.
        points: width and height of the page in points.
    """

    data: bytes
    codec: Codec
    channels: int
    size: tuple[int, int]
    points: tuple[float, float]


class PdfWriter:
    """Writes a PDF page by page to a binary stream; of a page nothing is kept but where its parts are.

    Attributes:
        sha256: of all that was written, hexadecimal; after ``close``.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self._at = 0
        self._starts: dict[int, int] = {}
        self._pages = 0
        self.sha256 = ""
        self._write(_HEADER)

    def add(self, picture: Picture) -> None:
        """Add a page that the picture fills."""
        first = _FIRST_PAGE_OBJECT + _OBJECTS_A_PAGE * self._pages
        self._pages += 1
        width, height = (_number(side) for side in picture.points)
        self._object(
            first,
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} {height}]/Contents {first + 1} 0 R"
            f"/Resources<</XObject<</P {first + 2} 0 R>>>>>>".encode(),
        )
        self._stream_object(first + 1, "", f"q {width} 0 0 {height} 0 0 cm /P Do Q".encode())
        self._stream_object(first + 2, "".join(_picture_entries(picture)), picture.data)

    def close(self) -> None:
        """Write what stands at the end of a PDF."""
        pages = " ".join(f"{_FIRST_PAGE_OBJECT + _OBJECTS_A_PAGE * number} 0 R" for number in range(self._pages))
        self._object(1, b"<</Type/Catalog/Pages 2 0 R>>")
        self._object(2, f"<</Type/Pages/Count {self._pages}/Kids[{pages}]>>".encode())
        start, count = self._at, len(self._starts) + 1
        rows = "".join(f"{self._starts[number]:010} 00000 n \n" for number in range(1, count))
        self._write(f"xref\n0 {count}\n0000000000 65535 f \n{rows}".encode())
        self._write(f"trailer\n<</Size {count}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n".encode())
        self.sha256 = self._digest.hexdigest()

    def _object(self, number: int, body: bytes) -> None:
        self._starts[number] = self._at
        self._write(b"%d 0 obj\n%b\nendobj\n" % (number, body))

    def _stream_object(self, number: int, entries: str, data: bytes) -> None:
        self._object(number, b"<<%b/Length %d>>\nstream\n%b\nendstream" % (entries.encode(), len(data), data))

    def _write(self, data: bytes) -> None:
        self._stream.write(data)
        self._digest.update(data)
        self._at += len(data)


def _picture_entries(picture: Picture) -> Iterator[str]:
    width, height = picture.size
    yield f"/Type/XObject/Subtype/Image/Width {width}/Height {height}"
    if picture.codec is Codec.FAX:
        yield "/ColorSpace/DeviceGray/BitsPerComponent 1/Filter/CCITTFaxDecode"
        yield f"/DecodeParms<</K -1/Columns {width}/Rows {height}>>"
    else:
        yield f"/ColorSpace/{'DeviceGray' if picture.channels == 1 else 'DeviceRGB'}/BitsPerComponent 8"
        yield "/Filter/DCTDecode"


def _number(value: float) -> str:
    """With at most four decimals, which is finer than any device, and without an exponent."""
    return f"{value:.4f}".rstrip("0").rstrip(".")
