"""What a document file is, told by its bytes and not by its name, and how much of it is too much.

Nothing here decodes a page: files are read whole and once, up to a limit, and their format is told from signatures.
"""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from groundtruth.errors import (
    BrokenDocument,
    DocumentError,
    DocumentTooLarge,
    EncryptedDocument,
    UnsupportedDocument,
)

Kind = Literal["pdf", "image", "text", "office"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a document may be. Documents come from strangers, so every size is bounded before memory is spent.

    Args:
        max_bytes: Size of the file. It is read into memory whole.
        max_pages: Pages of a PDF or a text, frames of a TIFF.
        max_image_pixels: Width times height of an image: a file's, a frame's, or one that a PDF page draws.
        max_raster_pixels: Width times height of a rendered page; three bytes each.
        max_text_bytes: Size of a text-like file, whose lines are all held in memory.
        max_unpacked_bytes: Size of what an office file (a ZIP archive) unpacks to.
    """

    max_bytes: int = 512 * 1024**2
    max_pages: int = 5_000
    max_image_pixels: int = 200_000_000
    max_raster_pixels: int = 100_000_000
    max_text_bytes: int = 32 * 1024**2
    max_unpacked_bytes: int = 256 * 1024**2


class FileFormat(NamedTuple):
    """A format that is read: ``noun`` is its name in messages, ``suffixes`` the names its files may have."""

    noun: str
    kind: Kind
    media_type: str
    suffixes: tuple[str, ...]


_OOXML = "application/vnd.openxmlformats-officedocument."
PDF = FileFormat("PDF", "pdf", "application/pdf", (".pdf",))
PNG = FileFormat("PNG", "image", "image/png", (".png",))
JPEG = FileFormat("JPEG", "image", "image/jpeg", (".jpg", ".jpeg", ".jpe", ".jfif"))
TIFF = FileFormat("TIFF", "image", "image/tiff", (".tif", ".tiff"))
DOCX = FileFormat("DOCX", "office", _OOXML + "wordprocessingml.document", (".docx", ".docm"))
XLSX = FileFormat("XLSX", "office", _OOXML + "spreadsheetml.sheet", (".xlsx", ".xlsm"))
PPTX = FileFormat("PPTX", "office", _OOXML + "presentationml.presentation", (".pptx", ".pptm"))
HTML = FileFormat("HTML", "text", "text/html", (".html", ".htm", ".xhtml"))
XML = FileFormat("XML", "text", "application/xml", (".xml",))
CSV = FileFormat("CSV", "text", "text/csv", (".csv",))
TSV = FileFormat("TSV", "text", "text/tab-separated-values", (".tsv", ".tab"))
JSON = FileFormat("JSON", "text", "application/json", (".json", ".jsonl", ".ndjson"))
MARKDOWN = FileFormat("Markdown", "text", "text/markdown", (".md", ".markdown"))
PLAIN_TEXT = FileFormat("plain text", "text", "text/plain", (".txt", ".text"))

FORMATS = (PDF, PNG, JPEG, TIFF, DOCX, XLSX, PPTX, HTML, XML, CSV, TSV, JSON, MARKDOWN, PLAIN_TEXT)
SUPPORTED = "PDF, PNG, JPEG, TIFF, DOCX, XLSX, PPTX, HTML and text in UTF-8 (TXT, CSV, TSV, XML, JSON, Markdown)"

_FORMAT_OF_SUFFIX = {suffix: file_format for file_format in FORMATS for suffix in file_format.suffixes}
_OFFICE_PARTS = {"word/document.xml": DOCX, "xl/workbook.xml": XLSX, "ppt/presentation.xml": PPTX}
_UNREAD_PARTS = {
    DOCX: re.compile(r"word/(?:header|footer|footnotes|endnotes)\d*\.xml"),
    PPTX: re.compile(r"ppt/notesSlides/notesSlide\d+\.xml"),
}
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"II*\0", TIFF),
    (b"MM\0*", TIFF),
    (b"II+\0", TIFF),
    (b"MM\0+", TIFF),
)
# Named only so that the refusal can say what the file is.
_FOREIGN_SIGNATURES = (
    (0, b"GIF8", "a GIF image"),
    (0, b"BM", "a BMP image"),
    (0, b"8BPS", "a Photoshop image"),
    (8, b"WEBP", "a WebP image"),
    (4, b"ftyphei", "a HEIC image"),
    (4, b"ftypmif1", "a HEIF image"),
    (4, b"ftypavif", "an AVIF image"),
    (4, b"jP  \r\n", "a JPEG 2000 image"),
    (0, b"%!PS", "a PostScript file"),
    (0, b"{\\rtf", "an RTF file"),
    (0, b"\x1f\x8b", "a gzip archive"),
    (0, b"7z\xbc\xaf", "a 7-Zip archive"),
    (0, b"Rar!", "a RAR archive"),
)
_OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_FOREIGN_SUFFIXES = frozenset(
    {
        ".gif",
        ".bmp",
        ".webp",
        ".heic",
        ".svg",
        ".ps",
        ".eps",
        ".rtf",
        ".doc",
        ".xls",
        ".ppt",
        ".odt",
        ".ods",
        ".odp",
    }
    | {".epub", ".zip", ".gz", ".7z", ".rar", ".eml", ".msg"}
)
# A PDF may have up to 1,024 bytes of other matter before its header.
_PDF_HEADER_WITHIN = 1_024
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def shown(path: Path | str) -> str:
    """A file name fit for a message: whatever is not printable in it is escaped."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in os.fspath(path))


def read_file(path: Path, limits: Limits) -> bytes:
    """The bytes of a regular file. Never blocks: pipes, sockets and devices are refused unread.

    Raises:
        DocumentError: absent, a folder, not a regular file, or not readable.
        BrokenDocument: empty.
        DocumentTooLarge: more than ``limits.max_bytes``.
    """
    name = shown(path)
    try:
        # Opening some devices has effects of its own, so the kind is asked before and again after opening.
        _require_regular_file(name, path.stat().st_mode)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            _require_regular_file(name, status.st_mode)
            _require_size(name, status.st_size, limits)
            data = file.read(limits.max_bytes + 1)
    except FileNotFoundError:
        raise DocumentError(f"{name}: no such file; check the path") from None
    except PermissionError:
        raise DocumentError(f"{name}: no permission to read it; change its mode or its owner") from None
    except (OSError, ValueError) as error:
        raise DocumentError(f"{name}: cannot be read ({error}); check the path") from None
    _require_size(name, len(data), limits)
    if not data:
        raise BrokenDocument(f"{name}: the file is empty; get it again from its source")
    return data


def _require_regular_file(name: str, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise DocumentError(f"{name}: is a folder, not a document; name the files in it")
    if not stat.S_ISREG(mode):
        raise DocumentError(f"{name}: is a pipe, socket or device, not a file; save its content to a file first")


def _require_size(name: str, size: int, limits: Limits) -> None:
    if size > limits.max_bytes:
        raise DocumentTooLarge(
            f"{name}: the file has more than {limits.max_bytes:,} bytes, the limit; split the document"
        )


def detect_format(data: bytes, path: Path, limits: Limits) -> FileFormat:
    """The format of a document, by its content; among text formats the suffix decides.

    Raises:
        BrokenDocument: the content belies the suffix, or is a damaged archive.
        EncryptedDocument: an office file behind a password.
        DocumentTooLarge: an archive that unpacks to more than ``limits.max_unpacked_bytes``.
        UnsupportedDocument: a format that is not read.
    """
    name, suffix = shown(path), path.suffix.lower()
    found = _binary_format(data, name, limits)
    if found is None:
        return _text_format(data, name, suffix)
    if suffix not in found.suffixes and (suffix in _FORMAT_OF_SUFFIX or suffix in _FOREIGN_SUFFIXES):
        raise BrokenDocument(
            f"{name}: named {suffix}, but its content is {found.noun}; "
            f"rename it to {found.suffixes[0]} if that is right"
        )
    return found


def _binary_format(data: bytes, name: str, limits: Limits) -> FileFormat | None:
    for signature, file_format in _SIGNATURES:
        if data.startswith(signature):
            return file_format
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _office_format(data, name, limits)
    if data.startswith(_OLE_SIGNATURE):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise EncryptedDocument(f"{name}: an office file behind a password; save a copy without the password")
        raise _unsupported(name, "an office file in the old binary format", "save it as DOCX, XLSX, PPTX or PDF")
    for offset, signature, noun in _FOREIGN_SIGNATURES:
        if data.startswith(signature, offset):
            raise _unsupported(name, noun, "convert it to PNG or PDF")
    if b"%PDF-" in data[: _PDF_HEADER_WITHIN + 5]:
        return PDF
    return None


def _office_format(data: bytes, name: str, limits: Limits) -> FileFormat:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise BrokenDocument(
            f"{name}: a damaged or truncated archive ({error}); get the file again from its source"
        ) from None
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > limits.max_unpacked_bytes:
        raise DocumentTooLarge(
            f"{name}: unpacks to {unpacked:,} bytes, the limit is {limits.max_unpacked_bytes:,}; "
            "save it as PDF, or split it"
        )
    parts = {entry.filename for entry in entries}
    for part, file_format in _OFFICE_PARTS.items():
        if part in parts:
            return file_format
    raise _unsupported(name, "a ZIP archive that is no DOCX, XLSX or PPTX", "unpack it, or save the document as PDF")


def has_unread_parts(data: bytes, file_format: FileFormat) -> bool:
    """Whether an office file holds text in parts that are not laid out as pages: headers, footers, notes."""
    pattern = _UNREAD_PARTS.get(file_format)
    if pattern is None:
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(
                re.search(rb"<[wa]:t(?:\s[^>]*)?>[^<]*[^<\s]", archive.read(part))
                for part in archive.namelist()
                if pattern.fullmatch(part)
            )
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError):
        # Not legible, so surely unread.
        return True


def _text_format(data: bytes, name: str, suffix: str) -> FileFormat:
    by_suffix = _FORMAT_OF_SUFFIX.get(suffix)
    if by_suffix is not None and by_suffix.kind != "text":
        raise BrokenDocument(
            f"{name}: named {suffix}, but its content is not {by_suffix.noun}; the file is damaged or misnamed: "
            "get it again, or rename it"
        )
    if b"\0" in data and not data.startswith(_BOMS):
        raise _unsupported(name, "a binary file of unknown format", "convert it to PDF or PNG")
    markup = _markup_format(data, name)
    if suffix in _FOREIGN_SUFFIXES:
        raise _unsupported(name, f"a {suffix[1:].upper()} file", "convert it to PDF")
    if by_suffix in (CSV, TSV, JSON, XML, HTML) and markup is not by_suffix and (markup or by_suffix in (XML, HTML)):
        # XHTML may begin as XML does, and a fragment of HTML with any element.
        if by_suffix is HTML and _starts_with_a_tag(data):
            return HTML
        raise BrokenDocument(
            f"{name}: named {suffix}, but its content is {markup.noun if markup else 'no ' + str(by_suffix.noun)}; "
            "rename it to what it holds"
        )
    return by_suffix or markup or PLAIN_TEXT


def _markup_format(data: bytes, name: str) -> FileFormat | None:
    head = _head_as_text(data)
    if re.match(r"<!doctype html|<html[\s>]", head, re.IGNORECASE):
        return HTML
    if not re.match(r"<\?xml\s|<!--|<!DOCTYPE\s|<[A-Za-z_][\w:.-]*[\s/>]", head):
        return None
    root = re.search(r"<([A-Za-z_][\w:.-]*)[\s/>]", head)
    if root is not None and root[1].split(":")[-1] == "svg":
        raise _unsupported(name, "an SVG drawing", "convert it to PDF or PNG")
    return HTML if root is not None and root[1].lower() == "html" else XML


def _starts_with_a_tag(data: bytes) -> bool:
    return _head_as_text(data).startswith("<")


def _head_as_text(data: bytes) -> str:
    """The first characters, good enough to look for ASCII in them."""
    encoding = "utf-16" if data.startswith(_BOMS[1:]) else "utf-8-sig"
    return data[:4_096].decode(encoding, errors="replace").lstrip()


def _unsupported(name: str, noun: str, cure: str) -> UnsupportedDocument:
    return UnsupportedDocument(f"{name}: {noun}, which is not read; {cure} (read are {SUPPORTED})")
