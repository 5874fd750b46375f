"""Text-like files as pages: decoded, split at the format's own delimiters, folded and set in a fixed-width font.

A text file has no pages of its own, so these are ours: 60 lines each, as wide as the longest line up to a limit. The
text is shown as it stands in the file, tags and delimiters included.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from groundtruth.errors import BrokenDocument, DocumentTooLarge, UnsupportedDocument
from groundtruth.page_files import CSV, HTML, JSON, TSV, XML, FileFormat, Limits
from groundtruth.page_words import TextLayer
from groundtruth.page_xlsx import spreadsheet_lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from groundtruth.page_mupdf import MuPdfPages

_LINES_PER_PAGE = 60
_LEAST_COLUMNS, _MOST_COLUMNS = 80, 180
# A row of a table is worth more on one line than a page that fits the screen.
_MOST_COLUMNS_OF_A_SHEET = 400
_TAB_COLUMNS = 8
_FONT_SIZE = 9.0
# Of the font that MuPDF takes for "monospace".
_COLUMN_WIDTH = 0.6 * _FONT_SIZE
_LINE_HEIGHT = 1.3 * _FONT_SIZE
_MARGIN = 27.0
# Some scripts are set in fonts that are wider than the columns reckoned for them: then the page is made wider.
_WIDENINGS = (1.0, 1.5, 2.5, 5.0)

WORD_BREAK = "\u2063"
"""Put between characters that belong to different words without white space between them; shows as nothing."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_DECLARED_ENCODING = re.compile(
    rb"""(?:<\?xml[^>]*?encoding\s*=\s*|<meta[^>]*?charset\s*=\s*)["']?([\w.:-]+)""", re.IGNORECASE
)
_DELIMITERS = ",;\t|"
# An unclosed comment is one token to the end; were it none, each opening would be searched through to the end.
_MARKUP_TOKEN = re.compile(r"<!--.*?(?:-->|\Z)|<!\[CDATA\[|\]\]>|<[^<>]*>", re.DOTALL)
_ATTRIBUTE_VALUE = re.compile(r"""(=\s*)("[^"]*"|'[^']*')""")
_JSON_TOKEN = re.compile(r'"((?:[^"\\\n]|\\.)*+)"|[\[\]{},:]')
# Control characters that stand for nothing visible get the picture that Unicode has for them.
_CONTROL_PICTURES = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n\r\v\f"} | {0x7F: 0x2421}


class TextPages:
    """Lines of text as pages of ``_LINES_PER_PAGE`` lines. Pages are laid out when asked for and not kept.

    Raises:
        BrokenDocument: there is nothing but white space.
        DocumentTooLarge: more pages than ``limits.max_pages``.
    """

    repaired = False

    def __init__(self, lines: Iterable[str], name: str, limits: Limits, most_columns: int = _MOST_COLUMNS) -> None:
        self._name = name
        self._limits = limits
        most_lines = limits.max_pages * _LINES_PER_PAGE
        self._lines: list[str] = []
        for line in lines:
            self._lines.extend(folded(line, most_columns))
            if len(self._lines) > most_lines:
                raise DocumentTooLarge(
                    f"{name}: more than {most_lines:,} lines ({limits.max_pages:,} pages), the limit; "
                    "split the document"
                )
        if not any(line.strip() for line in self._lines):
            raise BrokenDocument(f"{name}: there is no text in it; get the file again from its source")
        self._columns = max(_LEAST_COLUMNS, *map(_width, self._lines))
        self.page_count = -(-len(self._lines) // _LINES_PER_PAGE)
        # Layout decides the width, so it is kept from the first time.
        self._sizes: dict[int, tuple[float, float]] = {}

    def size(self, number: int) -> tuple[float, float]:
        """Width and height in points; ``number`` counts from 1."""
        if number not in self._sizes:
            with self._laid_out(number):
                pass
        return self._sizes[number]

    def text_layer(self, number: int) -> TextLayer:
        """The words of a page; ``line`` is the line of text on the page, and there is one block."""
        with self._laid_out(number) as (_, text):
            return text

    def raster(self, number: int, dpi: float, *, grey: bool = False) -> NDArray[np.uint8]:
        """The page, black on white, (height, width, 3) RGB, or (height, width) when ``grey``."""
        with self._laid_out(number) as (page, _):
            return page.raster(1, dpi, grey=grey)

    def check_intact(self) -> None:
        """Nothing to look for: the text was decoded whole."""

    def close(self) -> None:
        """Nothing is held open."""

    @contextmanager
    def _laid_out(self, number: int) -> Iterator[tuple[MuPdfPages, TextLayer]]:
        from groundtruth.page_mupdf import open_laid_out

        first = (number - 1) * _LINES_PER_PAGE
        lines = self._lines[first : first + _LINES_PER_PAGE]
        markup = _as_xhtml(lines)
        height = 2 * _MARGIN + (_LINES_PER_PAGE + 1) * _LINE_HEIGHT
        for widening in _WIDENINGS:
            width = 2 * _MARGIN + (self._columns + 1) * _COLUMN_WIDTH * widening
            page = open_laid_out(markup, self._name, self._limits, width, height)
            try:
                text = page.text_layer(1, WORD_BREAK)
                if widening == _WIDENINGS[-1] or not (text.clipped_words or text.dropped_words):
                    self._sizes[number] = page.size(1)
                    yield page, _with_lines_of_text(text, height)
                    return
            finally:
                page.close()


def text_pages(data: bytes, file_format: FileFormat, name: str, limits: Limits) -> TextPages:
    """The pages of a text-like file other than HTML.

    Raises:
        BrokenDocument: there is nothing but white space.
        DocumentTooLarge: past ``limits.max_text_bytes`` or ``limits.max_pages``.
        UnsupportedDocument: not UTF-8, nor UTF-16 with a byte order mark, nor the encoding an XML file declares.
    """
    text = decoded(data, name, limits)
    return TextPages(with_word_breaks(text, file_format).splitlines(), name, limits)


def spreadsheet_pages(data: bytes, name: str, limits: Limits) -> TextPages:
    """The sheets of an XLSX file, one after the other.

    Raises:
        BrokenDocument: damaged, or there is nothing in any cell.
        DocumentTooLarge: past ``limits.max_text_bytes`` or ``limits.max_pages``.
    """
    return TextPages(spreadsheet_lines(data, name, limits), name, limits, _MOST_COLUMNS_OF_A_SHEET)


def decoded(data: bytes, name: str, limits: Limits) -> str:
    """The text of a file: by its byte order mark, else by what XML or HTML declares, else UTF-8; never guessed.

    Raises:
        DocumentTooLarge: more than ``limits.max_text_bytes``.
        UnsupportedDocument: another encoding.
    """
    if len(data) > limits.max_text_bytes:
        raise DocumentTooLarge(
            f"{name}: a text of {len(data):,} bytes, the limit is {limits.max_text_bytes:,}; split the document"
        )
    encoding = next((encoding for bom, encoding in _BOMS if data.startswith(bom)), None)
    declared = _DECLARED_ENCODING.search(data[:1_024]) if data.lstrip().startswith(b"<") else None
    if encoding is None:
        encoding = declared[1].decode("ascii", "replace") if declared else "utf-8"
    try:
        return data.decode(encoding)
    except LookupError:
        reason = f"declares the unknown encoding {encoding!r}"
    except UnicodeDecodeError as error:
        reason = f"is not text in {encoding} (byte {error.start:,})"
    except UnicodeError:
        reason = f"is not text in {encoding}"
    raise UnsupportedDocument(f"{name}: {reason}; convert it to UTF-8")


def with_word_breaks(text: str, file_format: FileFormat) -> str:
    """The text with ``WORD_BREAK`` where a value ends and a delimiter of the format begins, or the reverse.

    XML and HTML: around tags and attribute values; CSV and TSV: around delimiters and the quotes of a field; JSON:
    around brackets, commas, colons and quotes; X12 and EDIFACT messages: around their separators. Other text is left
    alone. No character is removed.
    """
    if file_format in (XML, HTML):
        return _MARKUP_TOKEN.sub(_broken_tag, text)
    if file_format is JSON:
        return _JSON_TOKEN.sub(_broken_quotes_or_delimiter, text)
    if file_format is TSV:
        return _broken_at_delimiter(text, "\t")
    if file_format is CSV:
        return _broken_at_delimiter(text, _csv_delimiter(text))
    separators = _edi_separators(text)
    if separators:
        return re.sub(f"[{re.escape(separators)}]", rf"{WORD_BREAK}\g<0>{WORD_BREAK}", text)
    return text


def _broken_tag(match: re.Match[str]) -> str:
    tag = match[0]
    if not tag.startswith("<!"):
        tag = _ATTRIBUTE_VALUE.sub(
            lambda value: f"{value[1]}{value[2][0]}{WORD_BREAK}{value[2][1:-1]}{WORD_BREAK}{value[2][-1]}",
            tag,
        )
    return f"{WORD_BREAK}{tag}{WORD_BREAK}"


def _broken_quotes_or_delimiter(match: re.Match[str]) -> str:
    if match[1] is None:
        return f"{WORD_BREAK}{match[0]}{WORD_BREAK}"
    return f'{WORD_BREAK}"{WORD_BREAK}{match[1]}{WORD_BREAK}"{WORD_BREAK}'


def _broken_at_delimiter(text: str, delimiter: str) -> str:
    # A quote opens a field only where a field begins; elsewhere, as in 5" pipe, it is a character.
    quoted_or_delimiter = rf'(?<![^{re.escape(delimiter)}\r\n])"((?:[^"]|"")*+)"|{re.escape(delimiter)}'
    return re.sub(quoted_or_delimiter, _broken_quotes_or_delimiter, text)


def _csv_delimiter(text: str) -> str:
    """The delimiter that the first line has most of, outside quotes; on a tie the first of ``, ; tab |``."""
    first_line = re.sub(r'"[^"\n]*"', "", text.lstrip().partition("\n")[0])
    return max(_DELIMITERS, key=first_line.count)


def _edi_separators(text: str) -> str:
    """The separators that the header of an X12 or EDIFACT message states; empty for any other text."""
    if text.startswith("ISA") and len(text) > 105 and text[3] == text[103]:
        return "".join({text[3]: None, text[104]: None, text[105]: None}).strip()
    if text.startswith("UNA") and len(text) > 8:
        return "".join({text[3]: None, text[4]: None, text[8]: None}).strip()
    return "+:'" if text.startswith("UNB+") else ""


def folded(line: str, columns: int) -> Iterator[str]:
    """The line in pieces of at most ``columns`` columns, tabs made spaces, control characters made visible.

    Cut before a word (or at a ``WORD_BREAK``) if there is one to cut at, else within the word. No character but tabs
    is lost or replaced by another that one could mistake for text.
    """
    line = line.expandtabs(_TAB_COLUMNS).translate(_CONTROL_PICTURES).rstrip()
    if _width(line) <= columns:
        yield line
        return
    start = width = cut = 0
    for position, character in enumerate(line):
        if position > start and (line[position - 1].isspace() or line[position - 1] == WORD_BREAK):
            cut = position
        width += _columns(character)
        if width > columns:
            end = cut if cut > start else position
            yield line[start:end]
            width = _width(line[end : position + 1])
            start = end
    yield line[start:]


def _width(line: str) -> int:
    """How many columns a line takes."""
    shown = line.replace(WORD_BREAK, "")
    return len(shown) if shown.isascii() else sum(map(_columns, shown))


def _columns(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _as_xhtml(lines: list[str]) -> str:
    style = (
        f"@page{{margin:{_MARGIN}pt}}body{{margin:0}}"
        f"pre{{margin:0;font-family:monospace;font-size:{_FONT_SIZE}pt;line-height:{_LINE_HEIGHT}pt}}"
    )
    body = html.escape("\n".join(lines), quote=False)
    return (
        '<html xmlns="http://www.w3.org/1999/xhtml">'
        f"<head><style>{style}</style></head><body><pre>{body}</pre></body></html>"
    )


def _with_lines_of_text(text: TextLayer, height: float) -> TextLayer:
    """Each word with the number of the line of text that it stands on: MuPDF's own lines end at wide gaps."""
    words = tuple(
        replace(word, line=int((word.box.center[1] * height - _MARGIN) / _LINE_HEIGHT), block=0) for word in text.words
    )
    return replace(text, words=words)
