"""Spreadsheets as lines of text, cells in columns.

MuPDF opens XLSX too, but leaves out every text that is stored in its cell, and shows dates as day counts. So the
sheets are read here: stored values, all sheets and rows and columns, hidden ones included; formulas as the result that
the file holds.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from xml.etree import ElementTree

from groundtruth.errors import BrokenDocument, DocumentTooLarge
from groundtruth.page_files import Limits

_SHEET_NAMESPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_STRICT_SHEET_NAMESPACE = "{http://purl.oclc.org/ooxml/spreadsheetml/main}"
_FAILURES = (
    zipfile.BadZipFile, zlib.error, ElementTree.ParseError, LookupError, ValueError, RuntimeError, EOFError,
    NotImplementedError,
)  # fmt: skip
_MOST_COLUMNS_OF_A_CELL = 40
_GAP = "  "
# Formats 14 to 22 and their like in other locales show a date or a time; the rest are declared by the file.
_BUILT_IN_DATE_FORMATS = {
    **dict.fromkeys((*range(14, 18), *range(27, 37), *range(50, 59)), "y"),
    22: "yh",
} | dict.fromkeys((18, 19, 20, 21, 45, 47), "h")
_NOT_A_DATE_CODE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|General', re.IGNORECASE)


class _Workbook(NamedTuple):
    """What the cells of every sheet refer to. ``date_codes`` has the letters of a style's date format, or nothing."""

    shared_strings: list[str]
    date_codes: list[str]
    starts_in_1904: bool


def spreadsheet_lines(data: bytes, name: str, limits: Limits) -> Iterator[str]:
    """For each sheet in order its name, its rows with cells set in columns, and an empty line.

    A date is written as YYYY-MM-DD, a number as it is stored. A line feed within a cell becomes a space.

    Raises:
        BrokenDocument: not a workbook, or damaged.
        DocumentTooLarge: more text than ``limits.max_text_bytes`` characters.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            workbook = _workbook(archive)
            budget = limits.max_text_bytes
            for sheet_name, part in _sheets(archive):
                rows = list(_rows(archive.read(part), workbook))
                budget -= sum(len(text) + len(_GAP) for row in rows for text in row.values())
                if budget < 0:
                    raise DocumentTooLarge(
                        f"{name}: more than {limits.max_text_bytes:,} characters, the limit; split the document"
                    )
                yield sheet_name
                yield from _set_in_columns(rows)
                yield ""
    except _FAILURES as error:
        raise BrokenDocument(
            f"{name}: damaged workbook ({error}); open it in a spreadsheet program and save it again"
        ) from error


def _workbook(archive: zipfile.ZipFile) -> _Workbook:
    properties = _parsed(archive.read("xl/workbook.xml")).find("workbookPr")
    starts_in_1904 = properties is not None and properties.get("date1904") in ("1", "true")
    return _Workbook(_shared_strings(archive), _date_codes(archive), starts_in_1904)


def _parsed(data: bytes) -> ElementTree.Element:
    """The root of a part, its elements named without the namespace of spreadsheets."""
    root = ElementTree.fromstring(data)
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SHEET_NAMESPACE).removeprefix(_STRICT_SHEET_NAMESPACE)
    return root


def _sheets(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """Name and part of every sheet that has cells, in the order of the tabs."""
    relations = {
        relation.get("Id"): (relation.get("Type", ""), relation.get("Target", ""))
        for relation in ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    }
    for sheet in _parsed(archive.read("xl/workbook.xml")).iter("sheet"):
        relation_id = next((value for key, value in sheet.items() if key.endswith("}id")), None)
        relation_type, target = relations[relation_id]
        if relation_type.endswith("/worksheet"):
            yield sheet.get("name", ""), target[1:] if target.startswith("/") else f"xl/{target}"


def _shared_strings(archive: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in archive.namelist():
        return []
    return [_text_of(item) for item in _parsed(archive.read("xl/sharedStrings.xml")).iter("si")]


def _text_of(item: ElementTree.Element) -> str:
    """The text of a string in one or several runs, without its phonetic reading."""
    runs = [item, *item.findall("r")]
    return "".join(text.text or "" for run in runs for text in run.findall("t"))


def _date_codes(archive: zipfile.ZipFile) -> list[str]:
    if "xl/styles.xml" not in archive.namelist():
        return []
    styles = _parsed(archive.read("xl/styles.xml"))
    codes = dict(_BUILT_IN_DATE_FORMATS)
    for declared in styles.iterfind("numFmts/numFmt"):
        first_section = _NOT_A_DATE_CODE.sub("", declared.get("formatCode", "")).partition(";")[0].lower()
        codes[int(declared.get("numFmtId", "0"))] = "".join(sorted(set(first_section) & set("ymdhs")))
    return [codes.get(int(style.get("numFmtId", "0")), "") for style in styles.iterfind("cellXfs/xf")]


def _rows(part: bytes, workbook: _Workbook) -> Iterator[dict[int, str]]:
    """The rows of a sheet, empty ones between others included; column number from 0 → text."""
    expected = 1
    for row in _parsed(part).iterfind("sheetData/row"):
        number = int(row.get("r", expected))
        # A few empty rows part one table from the next; thousands only place something far down.
        yield from ({} for _ in range(min(number - expected, 2)))
        expected = number + 1
        cells: dict[int, str] = {}
        column = -1
        for cell in row.iterfind("c"):
            reference = cell.get("r")
            column = column + 1 if reference is None else _column_number(reference)
            text = " ".join(_cell_text(cell, workbook).split())
            if text:
                cells[column] = text
        yield cells


def _column_number(reference: str) -> int:
    """0 for ``A1``, 26 for ``AA7``."""
    number = 0
    for letter in reference.rstrip("0123456789"):
        number = number * 26 + ord(letter.upper()) - ord("A") + 1
    return number - 1


def _cell_text(cell: ElementTree.Element, workbook: _Workbook) -> str:
    kind, value = cell.get("t", "n"), cell.findtext("v", "")
    if kind == "inlineStr":
        inline = cell.find("is")
        return "" if inline is None else _text_of(inline)
    if kind == "s":
        return workbook.shared_strings[int(value)] if value else ""
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(value, value)
    style = int(cell.get("s", "0"))
    if kind == "n" and value and style < len(workbook.date_codes) and workbook.date_codes[style]:
        return _date_text(value, workbook.date_codes[style], starts_in_1904=workbook.starts_in_1904)
    return value


def _date_text(serial: str, code: str, *, starts_in_1904: bool) -> str:
    """A count of days as the date or time that its format shows; as it stands where there is no such date."""
    days = float(serial)
    is_time = not set(code) & set("yd") and bool(set(code) & set("hs"))
    if days < 0 or (is_time and days >= 1):
        return serial
    if starts_in_1904:
        epoch = datetime(1904, 1, 1, tzinfo=UTC)
    else:
        # The 1900 system counts a 29 February 1900 that was not: day 60.
        epoch = datetime(1899, 12, 31 if days < 60 else 30, tzinfo=UTC)
    try:
        moment = epoch + timedelta(seconds=round(days * 86_400))
    except OverflowError:
        return serial
    if is_time:
        return f"{moment:%H:%M:%S}"
    return f"{moment:%Y-%m-%d}" if days.is_integer() else f"{moment:%Y-%m-%d %H:%M:%S}"


def _set_in_columns(rows: list[dict[int, str]]) -> Iterator[str]:
    widths: dict[int, int] = {}
    for row in rows:
        for column, text in row.items():
            widths[column] = min(max(widths.get(column, 0), len(text)), _MOST_COLUMNS_OF_A_CELL)
    order = sorted(widths)
    for row in rows:
        yield _GAP.join(row.get(column, "").ljust(widths[column]) for column in order).rstrip()
