"""Pages of text and office files: words row by row, laid out, and each on its ink."""

# PyMuPDF says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from document_builders import (
    EDI,
    dark_box,
    docx,
    image_file,
    pptx,
    xlsx,
)
from groundtruth.page_text import WORD_BREAK, folded
from groundtruth.pages import DocumentNote, open_document
from opened_pages import OpenBytes, texts


class TestTextFiles:
    @pytest.mark.parametrize(
        ("name", "text", "expected"),
        [
            pytest.param("a.txt", "Total: 1,234.50 €\n x² naïve", "Total:|1,234.50|€|x²|naïve", id="plain"),
            pytest.param("a.txt", "café", "café", id="one accent"),
            pytest.param(
                "a.txt",
                "a &amp; &#65; b<b>\n\n\nc",
                "a|&amp;|&#65;|b<b>|c",
                id="entities and tags as they stand",
            ),
            pytest.param("a.txt", 'שלום עולם בע"מ 123,45', 'שלום|עולם|בע"מ|123,45', id="Hebrew"),
            pytest.param("a.txt", "日本語 テスト\n한국어", "日本語|テスト|한국어", id="CJK"),
            pytest.param("a.csv", 'id,name\n7,"ACME, Inc."\n', 'id|,|name|7|,|"|ACME,|Inc.|"', id="CSV"),
            pytest.param("a.csv", 'x;5" pipe;"a""b"', 'x|;|5"|pipe|;|"|a""b|"', id="CSV with semicolons"),
            pytest.param("a.csv", "שם,סכום\nאבי,12.50", "שם|,|סכום|אבי|,|12.50", id="CSV in Hebrew"),
            pytest.param("a.tsv", "one\ttwo, three", "one|two,|three", id="TSV"),
            pytest.param(
                "a.xml",
                '<r><id scheme="AB">Snippet1</id>two words</r>',
                '<r>|<id|scheme="|AB|">|Snippet1|</id>|two|words|</r>',
                id="XML",
            ),
            pytest.param("a.json", '{"a b": [1.50, "x"]}', '{|"|a|b|"|:|[|1.50|,|"|x|"|]|}', id="JSON"),
            pytest.param("a.md", "# Head\n* 3*4", "#|Head|*|3*4", id="Markdown"),
            pytest.param("a.txt", "BEG*00*SA", "BEG*00*SA", id="asterisks without a header"),
            pytest.param("notes", "no suffix", "no|suffix", id="no suffix"),
        ],
    )
    def test_words_are_the_values_of_the_format(
        self, open_bytes: OpenBytes, name: str, text: str, expected: str
    ) -> None:
        source = open_bytes(name, text.encode())
        assert source.kind == "text"
        assert "|".join(texts(source.page(1))) == expected

    def test_an_edi_message_is_split_at_the_separators_of_its_header(self, open_bytes: OpenBytes) -> None:
        page = open_bytes("a.txt", f"{EDI}\nPO1*1*120*EA~".encode()).page(1)
        assert "|".join(word.text for word in page.words if word.line == 1) == "PO1|*|1|*|120|*|EA|~"

    @pytest.mark.parametrize(
        "data",
        [
            pytest.param("é 1".encode("utf-8-sig"), id="UTF-8 with a mark"),
            pytest.param("é 1".encode("utf-16"), id="UTF-16 with a mark"),
        ],
    )
    def test_a_byte_order_mark_decides(self, open_bytes: OpenBytes, data: bytes) -> None:
        assert texts(open_bytes("a.txt", data).page(1)) == ["é", "1"]

    @pytest.mark.parametrize("name", ["a.xml", "a.html"])
    def test_a_declared_encoding_is_obeyed(self, open_bytes: OpenBytes, name: str) -> None:
        text = {
            "a.xml": '<?xml version="1.0" encoding="ISO-8859-1"?><r>café</r>',
            "a.html": '<html><head><meta charset="iso-8859-1"></head><body>café</body></html>',
        }[name]
        assert "café" in texts(open_bytes(name, text.encode("iso-8859-1")).page(1))

    def test_a_line_of_the_file_is_a_line_of_words(self, open_bytes: OpenBytes) -> None:
        page = open_bytes("a.csv", b"\na,b\n\nc" + b" " * 60 + b"d\n").page(1)
        assert [(word.text, word.line) for word in page.words] == [
            ("a", 1), (",", 1), ("b", 1), ("c", 3), ("d", 3),
        ]  # fmt: skip

    def test_long_texts_are_paged_and_every_word_is_on_its_ink(self, open_bytes: OpenBytes) -> None:
        source = open_bytes("a.txt", "\n".join(f"line{number}" for number in range(130)).encode())
        assert [len(page.words) for page in source.pages()] == [60, 60, 10]
        page = source.page(3)
        raster = page.raster(150)
        for word in page.words:
            top, bottom = (round(y * raster.shape[0]) for y in (word.box.y0, word.box.y1))
            ink = dark_box(raster[top:bottom])
            assert word.box.x0 <= ink[0] + 0.002
            assert ink[2] <= word.box.x1 + 0.002

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param("A" * 1_000, id="one endless word"),
            pytest.param("很长" * 300, id="CJK without spaces"),
            pytest.param("हिन्दी में " * 60, id="a script wider than its columns"),
            pytest.param("<a>" * 300, id="tags without spaces"),
            pytest.param("word " * 300, id="many words"),
        ],
    )
    def test_nothing_is_lost_at_the_edge(self, open_bytes: OpenBytes, text: str) -> None:
        page = open_bytes("a.txt", text.encode()).page(1)
        assert "".join(texts(page)) == "".join(text.split())
        assert (page.clipped_words, page.dropped_words) == (0, 0)

    @given(st.text("ab ,\t\u2063日\u0301é\x00", max_size=60), st.integers(2, 20))
    def test_folding_keeps_every_character(self, line: str, columns: int) -> None:
        pieces = list(folded(line, columns))
        kept = line.expandtabs(8).replace("\x00", "␀").rstrip()
        assert "".join(pieces) == kept
        assert all(len(piece.replace(WORD_BREAK, "").replace("\u0301", "")) <= columns for piece in pieces)


CELLS = (
    '<row r="2"><c r="A2" t="inlineStr"><is><r><t>In</t></r><r><t>line</t></r></is></c>'
    '<c r="C2" t="s"><v>0</v></c><c r="D2" s="1"><v>41640</v></c><c r="E2"><v>1618.5</v></c>'
    '<c r="F2" t="b"><v>1</v></c><c r="G2" t="e"><v>#REF!</v></c><c r="H2" t="str"><f>A1</f><v>made</v></c></row>'
)
STYLES = (
    '<numFmts><numFmt numFmtId="170" formatCode="[$-409]d\\-mmm\\-yy;@"/>'
    '<numFmt numFmtId="171" formatCode="&quot;days&quot; 0.0"/></numFmts><cellXfs><xf numFmtId="0"/>'
    '<xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="22"/><xf numFmtId="20"/></cellXfs>'
)


class TestOfficeFiles:
    def test_a_sheet_is_read_row_by_row_with_the_text_in_its_cells(self, open_bytes: OpenBytes) -> None:
        source = open_bytes("a.xlsx", xlsx({"One": CELLS, "Two": "<row><c><v>7</v></c></row>"}, shared=["of two"],
                                           styles=STYLES))  # fmt: skip
        assert texts(source.page(1)) == [
            "One", "Inline", "of", "two", "2014-01-01", "1618.5", "TRUE", "#REF!", "made", "Two", "7",
        ]  # fmt: skip
        row = [word for word in source.page(1).words if word.text in ("Inline", "made")]
        assert row[0].line == row[1].line
        assert source.notes == (DocumentNote.REFLOWED,)

    @pytest.mark.parametrize(
        ("stored", "style", "properties", "shown"),
        [
            pytest.param("41640", 1, "", "2014-01-01", id="built-in date"),
            pytest.param("41640", 2, "", "2014-01-01", id="own date format"),
            pytest.param("41640", 3, "", "41640", id="letters in quotes are no date"),
            pytest.param("41640", 0, "", "41640", id="number"),
            pytest.param("41640.75", 4, "", "2014-01-01 18:00:00", id="date with time"),
            pytest.param("0.75", 5, "", "18:00:00", id="time"),
            pytest.param("1.75", 5, "", "1.75", id="more hours than a day has"),
            pytest.param("1", 1, "", "1900-01-01", id="first day of 1900"),
            pytest.param("61", 1, "", "1900-03-01", id="after the day that was not"),
            pytest.param("40178", 1, '<workbookPr date1904="1"/>', "2014-01-01", id="days from 1904"),
            pytest.param("-5", 1, "", "-5", id="before the first day"),
            pytest.param("1e12", 1, "", "1e12", id="beyond the calendar"),
        ],
    )
    def test_dates_are_written_as_dates(
        self, open_bytes: OpenBytes, stored: str, style: int, properties: str, shown: str
    ) -> None:
        rows = f'<row r="1"><c r="A1" s="{style}"><v>{stored}</v></c></row>'
        source = open_bytes("a.xlsx", xlsx({"S": rows}, styles=STYLES, properties=properties))
        assert " ".join(texts(source.page(1))[1:]) == shown

    def test_a_word_file_is_laid_out(self, open_bytes: OpenBytes) -> None:
        source = open_bytes("a.docx", docx(["Hello & world", 'אורן בע"מ']))
        page = source.page(1)
        assert (source.kind, source.notes) == ("office", (DocumentNote.REFLOWED,))
        assert texts(page) == ["Hello", "&", "world", "אורן", 'בע"מ']
        assert (page.width, page.height) == (595, 842)

    def test_a_header_that_is_not_laid_out_is_said(self, open_bytes: OpenBytes) -> None:
        source = open_bytes("a.docx", docx(["body"], header="HEAD"))
        assert texts(source.page(1)) == ["body"]
        assert source.notes == (DocumentNote.REFLOWED, DocumentNote.UNREAD_PARTS)

    def test_slides_are_laid_out(self, open_bytes: OpenBytes) -> None:
        source = open_bytes("a.pptx", pptx(["First slide", "Zweite"]))
        assert [text for page in source.pages() for text in texts(page)] == ["First", "slide", "Zweite"]

    def test_html_is_shown_without_its_tags(self, open_bytes: OpenBytes) -> None:
        source = open_bytes("a.html", "<html><body><p>naïve <b>12.50</b></p></body></html>".encode())
        assert (source.kind, texts(source.page(1))) == ("text", ["naïve", "12.50"])

    def test_html_reads_no_other_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "black.png").write_bytes(image_file(Image.new("L", (200, 200), 0), "PNG"))
        path = tmp_path / "a.html"
        path.write_text(f'<p>x</p><img src="black.png"><img src="{tmp_path}/black.png">', "utf-8")
        monkeypatch.chdir(tmp_path)
        with open_document(path) as source:
            dark_pixels = np.count_nonzero(source.page(1).raster(72) < 128) / 3
        assert 0 < dark_pixels < 200 * 200 / 10
