"""Makers of document files, so that no test needs a file that others made."""

# PyMuPDF says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pymupdf
from numpy.typing import NDArray
from PIL import Image, ImageDraw

PAGE_SIZE = (300, 400)
Rectangle = tuple[float, float, float, float]
EDI = "ISA*00*          *00*          *12*SENDER         *12*RECEIVER       *080501*1700*U*00401*000000010*0*P*>~"


def pdf(texts: Sequence[str] = ("HELLO",), **save_options: Any) -> bytes:
    """A PDF of 300 x 400 points a page, with one text on each at (60, 100) from the top left, 20 points high."""
    with pymupdf.open() as document:
        for text in texts:
            page = document.new_page(width=PAGE_SIZE[0], height=PAGE_SIZE[1])
            page.insert_text((60, 100), text, fontsize=20)
        return bytes(document.tobytes(**save_options))


def turned_pdf(
    rotation: int = 0,
    *,
    media: Rectangle | None = None,
    crop: Rectangle | None = None,
    unit: float | None = None,
) -> bytes:
    """``pdf()`` with page entries written as given: boxes in PDF's own frame, origin at the bottom left."""
    with pymupdf.open(stream=pdf(), filetype="pdf") as document:
        page = document[0].xref
        document.xref_set_key(page, "Rotate", str(rotation))
        for key, box in (("MediaBox", media), ("CropBox", crop)):
            if box is not None:
                document.xref_set_key(page, key, f"[{' '.join(map(str, box))}]")
        if unit is not None:
            document.xref_set_key(page, "UserUnit", str(unit))
        return bytes(document.tobytes())


def long_pdf(page_count: int, text_on_page: int) -> bytes:
    """A PDF of so many pages of 200 x 200 points, all empty but one that says "late"."""
    kids = " ".join(f"{number + 4} 0 R" for number in range(1, page_count + 1))
    content = "BT /F 12 Tf 20 150 Td (late) Tj ET"
    bodies = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {page_count}/MediaBox[0 0 200 200]/Kids[{kids}]/Resources<</Font<</F 3 0 R>>>>>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
    ]
    for number in range(1, page_count + 1):
        contents = "/Contents 4 0 R" if number == text_on_page else ""
        bodies.append(f"<</Type/Page/Parent 2 0 R{contents}>>")
    file = bytearray(b"%PDF-1.7\n")
    table = f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n"
    for number, body in enumerate(bodies, start=1):
        table += f"{len(file):010} 00000 n \n"
        file += f"{number} 0 obj\n{body}\nendobj\n".encode()
    trailer = f"trailer<</Size {len(bodies) + 1}/Root 1 0 R>>\nstartxref\n{len(file)}\n%%EOF\n"
    return bytes(file) + table.encode() + trailer.encode()


def pdf_showing_image(width: int, height: int) -> bytes:
    """A PDF whose page shows a black-and-white image of that many pixels; small, as the image is all black."""
    with pymupdf.open() as document:
        page = document.new_page(width=PAGE_SIZE[0], height=PAGE_SIZE[1])
        image, content = document.get_new_xref(), document.get_new_xref()
        document.update_object(
            image,
            f"<</Type/XObject/Subtype/Image/Width {width}/Height {height}/BitsPerComponent 1/ColorSpace/DeviceGray>>",
        )
        document.update_stream(image, bytes((width + 7) // 8 * height))
        document.update_object(content, "<<>>")
        document.update_stream(content, b"q 300 0 0 200 0 0 cm /Im0 Do Q")
        document.xref_set_key(page.xref, "Resources", f"<</XObject<</Im0 {image} 0 R>>>>")
        document.xref_set_key(page.xref, "Contents", f"{content} 0 R")
        return bytes(document.tobytes())


def marked_image(size: tuple[int, int] = (200, 100)) -> Image.Image:
    """White, with one black rectangle in its upper left part: x in [5 %, 20 %], y in [10 %, 20 %]."""
    image = Image.new("RGB", size, "white")
    width, height = size
    corners = (0.05 * width, 0.1 * height, 0.2 * width - 1, 0.2 * height - 1)
    ImageDraw.Draw(image).rectangle(corners, fill="black")
    return image


def image_file(
    image: Image.Image,
    image_format: str,
    *,
    dpi: tuple[float, float] | None = None,
    orientation: int | None = None,
) -> bytes:
    """The image as a file, with the resolution and the EXIF orientation stated if given."""
    options: dict[str, Any] = {}
    if dpi is not None:
        options["dpi"] = dpi
    if orientation is not None:
        exif = Image.Exif()
        exif[0x0112] = orientation
        options |= {"tiffinfo": {0x0112: orientation}} if image_format == "TIFF" else {"exif": exif}
    file = io.BytesIO()
    image.save(file, image_format, **options)
    return file.getvalue()


def dark_box(raster: NDArray[np.uint8]) -> Rectangle:
    """x0, y0, x1, y1 of the dark pixels, as shares of the raster's width and height."""
    rows, columns = np.nonzero(raster.min(axis=2) < 128)
    height, width = raster.shape[:2]
    return (
        float(columns.min()) / width,
        float(rows.min()) / height,
        float(columns.max() + 1) / width,
        float(rows.max() + 1) / height,
    )


def archive(parts: Mapping[str, str]) -> bytes:
    """A ZIP archive of these files."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as target:
        for name, text in parts.items():
            target.writestr(name, text)
    return file.getvalue()


_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def _relations(targets: Mapping[str, str]) -> str:
    """A part that names others: target → the last word of the relation's type."""
    entries = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for number, (target, kind) in enumerate(targets.items(), start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE_RELATIONS}">{entries}</Relationships>'


def docx(paragraphs: Sequence[str], *, header: str | None = None) -> bytes:
    """A Word file of these paragraphs, with the text of a page header if given."""
    namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    body = "".join(f"<w:p><w:r><w:t>{escape(text)}</w:t></w:r></w:p>" for text in paragraphs)
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": _relations({"word/document.xml": "officeDocument"}),
        "word/document.xml": f"<w:document {namespace}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": _relations({}),
    }
    if header is not None:
        parts["word/header1.xml"] = f"<w:hdr {namespace}><w:p><w:r><w:t>{header}</w:t></w:r></w:p></w:hdr>"
    return archive(parts)


def pptx(slides: Sequence[str]) -> bytes:
    """A PowerPoint file with one text on each slide."""
    namespaces = (
        f'xmlns:r="{_RELATIONS}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
    )
    names = [f"slide{number}.xml" for number in range(1, len(slides) + 1)]
    entries = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in range(1, len(slides) + 1))
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": _relations({"ppt/presentation.xml": "officeDocument"}),
        "ppt/presentation.xml": (f"<p:presentation {namespaces}><p:sldIdLst>{entries}</p:sldIdLst></p:presentation>"),
        "ppt/_rels/presentation.xml.rels": _relations({f"slides/{name}": "slide" for name in names}),
    }
    for name, text in zip(names, slides, strict=True):
        parts[f"ppt/slides/{name}"] = (
            f"<p:sld {namespaces}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>{escape(text)}</a:t></a:r></a:p>"
            "</p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
        )
        parts[f"ppt/slides/_rels/{name}.rels"] = _relations({})
    return archive(parts)


def xlsx(sheets: Mapping[str, str], *, shared: Sequence[str] = (), styles: str = "", properties: str = "") -> bytes:
    """An Excel file: sheet name → the XML of its rows; ``styles`` is the content of the style sheet."""
    namespace = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    tabs = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>' for number, name in enumerate(sheets, start=1)
    )
    targets = {f"worksheets/sheet{number}.xml": "worksheet" for number in range(1, len(sheets) + 1)}
    parts = {
        "xl/workbook.xml": (
            f'<workbook {namespace} xmlns:r="{_RELATIONS}">{properties}<sheets>{tabs}</sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": _relations(targets),
        "xl/styles.xml": f"<styleSheet {namespace}>{styles}</styleSheet>",
    }
    if shared:
        items = "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
        parts["xl/sharedStrings.xml"] = f"<sst {namespace}>{items}</sst>"
    for target, rows in zip(targets, sheets.values(), strict=True):
        parts[f"xl/{target}"] = f"<worksheet {namespace}><sheetData>{rows}</sheetData></worksheet>"
    return archive(parts)
