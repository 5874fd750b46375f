"""Documents that must be refused, or read with care: each refusal is an error of ours that names the file."""

# PyMuPDF says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

import io
import os
import random
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from builders import REPOSITORY
from document_builders import (
    archive,
    docx,
    image_file,
    long_pdf,
    marked_image,
    pdf,
    pdf_showing_image,
    xlsx,
)
from groundtruth.errors import (
    BrokenDocument,
    DocumentError,
    DocumentTooLarge,
    EncryptedDocument,
    UnsupportedDocument,
)
from groundtruth.pages import DEFAULT_LIMITS, DocumentNote, Limits, document_info, open_document

# As PyMuPDF numbers them; its own names are not in its types.
ENCRYPT_RC4_128, ENCRYPT_AES_256 = 3, 5


def write(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def refusal(path: Path, error: type[DocumentError], limits: Limits = DEFAULT_LIMITS) -> str:
    """The message with which the file is refused; it begins with the file's name."""
    with pytest.raises(error) as caught:
        document_info(path, limits=limits)
    assert type(caught.value) is error
    message = str(caught.value)
    assert message.startswith(str(path))
    assert len(message.splitlines()) == 1
    return message


class TestFiles:
    def test_an_empty_file_is_refused(self, tmp_path: Path) -> None:
        assert "empty" in refusal(write(tmp_path, "a.pdf", b""), BrokenDocument)

    def test_a_missing_file_is_refused(self, tmp_path: Path) -> None:
        assert "no such file" in refusal(tmp_path / "absent.pdf", DocumentError)

    def test_a_folder_is_refused(self, tmp_path: Path) -> None:
        assert "is a folder" in refusal(tmp_path, DocumentError)

    def test_a_pipe_is_refused_without_waiting_for_it(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "a.pdf")
        assert "pipe" in refusal(tmp_path / "a.pdf", DocumentError)

    def test_a_device_is_refused_unread(self) -> None:
        assert "device" in refusal(Path("/dev/zero"), DocumentError)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
    def test_a_file_without_permission_is_refused(self, tmp_path: Path) -> None:
        path = write(tmp_path, "a.pdf", pdf())
        path.chmod(0)
        assert "no permission" in refusal(path, DocumentError)

    def test_a_name_with_a_null_byte_is_refused(self) -> None:
        with pytest.raises(DocumentError, match="cannot be read"):
            document_info(Path("a\0.pdf"))

    def test_a_hostile_name_cannot_write_its_own_lines(self, tmp_path: Path) -> None:
        path = write(tmp_path, 'a\n"b\x1b[31m\udcff.pdf', b"")
        with pytest.raises(BrokenDocument) as caught:
            document_info(path)
        assert r'a\n"b\x1b[31m\udcff.pdf: the file is empty' in str(caught.value)

    def test_a_file_past_the_limit_is_refused(self, tmp_path: Path) -> None:
        path = write(tmp_path, "a.pdf", pdf())
        assert "more than 100 bytes" in refusal(path, DocumentTooLarge, Limits(max_bytes=100))


class TestContentAndName:
    @pytest.mark.parametrize(
        ("name", "data", "said"),
        [
            pytest.param("a.png", pdf(), "named .png, but its content is PDF; rename it to .pdf", id="PDF as PNG"),
            pytest.param("a.pdf", image_file(marked_image(), "PNG"), "content is PNG", id="PNG as PDF"),
            pytest.param("a.jpg", image_file(marked_image(), "PNG"), "content is PNG", id="PNG as JPEG"),
            pytest.param("a.gif", image_file(marked_image(), "PNG"), "content is PNG", id="PNG as GIF"),
            pytest.param("a.docx", xlsx({"S": "<row/>"}), "content is XLSX", id="XLSX as DOCX"),
            pytest.param("a.txt", docx(["x"]), "content is DOCX", id="DOCX as text"),
            pytest.param("a.pdf", b"only text", "content is not PDF", id="text as PDF"),
            pytest.param("a.pdf", b"\x00\x01\x02", "content is not PDF", id="bytes as PDF"),
            pytest.param("a.docx", b"text", "content is not DOCX", id="text as DOCX"),
            pytest.param("a.csv", b"<!DOCTYPE html><html></html>", "content is HTML", id="HTML as CSV"),
            pytest.param("a.json", b"<?xml version='1.0'?><a/>", "content is XML", id="XML as JSON"),
            pytest.param("a.xml", b"a,b\n1,2", "content is no XML", id="CSV as XML"),
            pytest.param("a.html", b"a,b\n1,2", "content is no HTML", id="CSV as HTML"),
        ],
    )
    def test_content_that_belies_the_name_is_refused(self, tmp_path: Path, name: str, data: bytes, said: str) -> None:
        assert said in refusal(write(tmp_path, name, data), BrokenDocument)

    @pytest.mark.parametrize(
        ("name", "data", "said"),
        [
            pytest.param("a.gif", image_file(marked_image(), "GIF"), "a GIF image", id="GIF"),
            pytest.param("a.webp", image_file(marked_image(), "WEBP"), "a WebP image", id="WebP"),
            pytest.param("a.bmp", image_file(marked_image(), "BMP"), "a BMP image", id="BMP"),
            pytest.param("a.svg", b'<svg xmlns="http://www.w3.org/2000/svg"/>', "an SVG drawing", id="SVG"),
            pytest.param("a.xml", b'<?xml version="1.0"?><s:svg xmlns:s="x"/>', "an SVG drawing", id="SVG as XML"),
            pytest.param("a.rtf", b"{\\rtf1 x}", "an RTF file", id="RTF"),
            pytest.param("a.ps", b"%!PS-Adobe", "a PostScript file", id="PostScript"),
            pytest.param("a.gz", b"\x1f\x8b\x08", "a gzip archive", id="gzip"),
            pytest.param("a.zip", archive({"x": "y"}), "no DOCX, XLSX or PPTX", id="other archive"),
            pytest.param("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old binary format", id="old Word"),
            pytest.param("a.doc", b"some text", "a DOC file", id="text as old Word"),
            pytest.param("a.bin", b"\x7fELF\0\0", "binary file of unknown format", id="program"),
            pytest.param("a.txt", b"nul \0 byte", "binary file of unknown format", id="text with a null byte"),
        ],
    )
    def test_other_formats_are_refused_by_name(self, tmp_path: Path, name: str, data: bytes, said: str) -> None:
        message = refusal(write(tmp_path, name, data), UnsupportedDocument)
        assert said in message
        assert "read are PDF, PNG, JPEG, TIFF" in message

    @pytest.mark.parametrize(
        ("name", "data", "said"),
        [
            pytest.param("a.txt", "é".encode("latin-1"), "is not text in utf-8 (byte 0)", id="Latin-1"),
            pytest.param("a.csv", b"\xff\xfea", "is not text in utf-16", id="half of UTF-16"),
            pytest.param("a.xml", b'<?xml encoding="klingon"?><a/>', "unknown encoding 'klingon'", id="unknown"),
            pytest.param("a.xml", b'<?xml encoding="hex"?><a/>', "unknown encoding 'hex'", id="no text encoding"),
        ],
    )
    def test_text_that_cannot_be_decoded_is_not_guessed(
        self, tmp_path: Path, name: str, data: bytes, said: str
    ) -> None:
        message = refusal(write(tmp_path, name, data), UnsupportedDocument)
        assert said in message
        assert "convert it to UTF-8" in message

    @pytest.mark.parametrize("data", [b" \n\t\n", b"\xef\xbb\xbf"], ids=["white space", "only a byte order mark"])
    def test_a_text_without_text_is_refused(self, tmp_path: Path, data: bytes) -> None:
        assert "no text" in refusal(write(tmp_path, "a.txt", data), BrokenDocument)

    def test_endless_markup_is_read_in_one_pass(self, tmp_path: Path) -> None:
        data = b"<a>" + b"<!--" * 100_000 + b'<b c="' * 100_000
        assert document_info(write(tmp_path, "a.xml", data)).page_count > 1


def reportlab_pdf() -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, invariant=True)
    for page in range(3):
        for line in range(20):
            canvas.drawString(60, 800 - 20 * line, f"page {page} line {line}")
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def illustrated_pdf() -> bytes:
    noise = image_file(Image.effect_noise((60, 60), 80), "PNG")
    with pymupdf.open() as document:
        for number in range(3):
            page = document.new_page()
            page.insert_text((60, 60), f"page {number}")
            page.insert_image(pymupdf.Rect(60, 100, 300, 340), stream=noise)
        return bytes(document.tobytes(deflate=True))


TEXTS = [f"page{number} " + "word " * 30 for number in range(3)]
PDF_MAKERS: dict[str, Callable[[], bytes]] = {
    "plain streams": lambda: pdf(TEXTS),
    "deflated streams": lambda: pdf(TEXTS, deflate=True),
    "object streams": lambda: pdf(TEXTS, use_objstms=1, garbage=3, deflate=True),
    "reportlab": reportlab_pdf,
    "illustrated": illustrated_pdf,
}


class TestPdf:
    @pytest.mark.parametrize("maker", PDF_MAKERS)
    def test_a_cut_pdf_is_refused_or_whole(self, tmp_path: Path, maker: str) -> None:
        whole = PDF_MAKERS[maker]()
        path = write(tmp_path, "a.pdf", whole)
        with open_document(path) as source:
            pages = [(page.words, page.raster(20).tobytes()) for page in source.pages()]
        accepted = 0
        # Finely near the end, where what is lost may be no more than the table of objects.
        lengths = [len(whole) * step // 20 for step in range(1, 20)] + [len(whole) - 17 * step for step in range(1, 20)]
        for length in lengths:
            path.write_bytes(whole[: max(length, 9)])
            try:
                with open_document(path) as source:
                    notes = source.notes
                    read = [(page.words, page.raster(20).tobytes()) for page in source.pages()]
            except BrokenDocument:
                continue
            accepted += 1
            assert notes in ((), (DocumentNote.REPAIRED,))
            assert read == pages, f"cut to {length} of {len(whole)} bytes"
        assert 0 < accepted < len(lengths) or maker == "object streams"

    def test_a_pdf_without_its_table_of_objects_is_repaired_and_says_so(self, tmp_path: Path) -> None:
        whole = pdf(["one", "two"])
        info = document_info(write(tmp_path, "a.pdf", whole[: whole.rindex(b"xref\n0 ")]))
        assert (info.page_count, info.notes) == (2, (DocumentNote.REPAIRED,))

    def test_a_wrong_table_of_objects_with_wrong_lengths_is_repaired(self, tmp_path: Path) -> None:
        # As after an editor that changed the line ends of the whole file.
        damaged = pdf(["one"], deflate=False).replace(b"\n", b"\r\n")
        with open_document(write(tmp_path, "a.pdf", damaged)) as source:
            assert [word.text for word in source.page(1).words] == ["one"]
            assert source.notes == (DocumentNote.REPAIRED,)

    def test_a_pdf_without_pages_is_refused(self, tmp_path: Path) -> None:
        assert "no pages" in refusal(write(tmp_path, "a.pdf", long_pdf(0, 0)), BrokenDocument)

    def test_a_header_alone_is_refused(self, tmp_path: Path) -> None:
        assert "damaged" in refusal(write(tmp_path, "a.pdf", b"%PDF-1.7\n" + b"x" * 100), BrokenDocument)

    def test_too_many_pages_are_refused(self, tmp_path: Path) -> None:
        path = write(tmp_path, "a.pdf", long_pdf(12, 1))
        assert "12 pages, the limit is 10" in refusal(path, DocumentTooLarge, Limits(max_pages=10))

    @pytest.mark.parametrize("method", [ENCRYPT_RC4_128, ENCRYPT_AES_256], ids=["RC4", "AES"])
    def test_a_password_is_asked_for_only_where_one_is_needed(self, tmp_path: Path, method: int) -> None:
        locked = pdf(["secret"], encryption=method, owner_pw="owner", user_pw="user")
        assert "password" in refusal(write(tmp_path, "locked.pdf", locked), EncryptedDocument)
        open_to_read = pdf(["secret"], encryption=method, owner_pw="owner", user_pw="")
        with open_document(write(tmp_path, "open.pdf", open_to_read)) as source:
            assert [word.text for word in source.page(1).words] == ["secret"]

    def test_an_encryption_that_is_not_known_is_refused(self, tmp_path: Path) -> None:
        data = long_pdf(1, 1).replace(b"/Root 1 0 R", b"/Root 1 0 R/Encrypt<</Filter/Adobe.PubSec/V 4>>")
        refusal(write(tmp_path, "a.pdf", data), EncryptedDocument)

    def test_a_picture_that_would_fill_the_memory_is_refused_before_it_is_decoded(self, tmp_path: Path) -> None:
        path = write(tmp_path, "a.pdf", pdf_showing_image(3_000, 2_000))
        with open_document(path, limits=Limits(max_image_pixels=5_999_999)) as source:
            assert source.page(1).words == ()
            with pytest.raises(DocumentTooLarge, match=r"page 1 shows an image of 3,000 x 2,000 pixels"):
                source.page(1).raster(72)
        with open_document(path, limits=Limits(max_image_pixels=6_000_000)) as source:
            assert source.page(1).raster(72).shape == (400, 300, 3)

    def test_a_page_too_large_to_render_says_what_would_fit(self, tmp_path: Path) -> None:
        with open_document(write(tmp_path, "a.pdf", pdf()), limits=Limits(max_raster_pixels=120_000)) as source:
            page = source.page(1)
            assert page.raster(72).shape == (400, 300, 3)
            with pytest.raises(DocumentTooLarge, match=r"page 1 at 150 dpi .* ask for at most 72 dpi"):
                page.raster(150)
            assert page.max_dpi == pytest.approx(72)

    def test_damaged_bytes_never_escape_as_another_error(self, tmp_path: Path) -> None:
        generator = random.Random(7)
        whole = pdf(TEXTS)
        refusals: list[str] = []
        for _ in range(40):
            data = bytearray(whole)
            for _ in range(generator.randint(1, 40)):
                data[generator.randrange(20, len(data))] = generator.randrange(256)
            try:
                with open_document(write(tmp_path, "a.pdf", bytes(data))) as source:
                    for page in source.pages():
                        assert all(word.text for word in page.words)
                        page.raster(20)
            except DocumentError as error:
                refusals.append(str(error))
        assert refusals
        assert all(message.startswith(str(tmp_path / "a.pdf")) for message in refusals)

    def test_what_the_library_complains_of_is_kept_and_not_printed(
        self, tmp_path: Path, capfd: pytest.CaptureFixture[str]
    ) -> None:
        data = long_pdf(1, 1).replace(b"20 150 Td", b"20 150 Xx")
        with open_document(write(tmp_path, "a.pdf", data)) as source:
            assert any("Xx" in warning for warning in source.page(1).warnings)
        assert capfd.readouterr() == ("", "")


def black_png(width: int, height: int) -> bytes:
    """A PNG of one bit a pixel, made without ever holding its pixels."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    compressor = zlib.compressobj(1)
    row = bytes(1 + (width + 7) // 8)
    rows = b"".join(compressor.compress(row) for _ in range(height)) + compressor.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


MEMORY_OF_A_REFUSAL = """
import resource, sys
from pathlib import Path
from groundtruth.errors import DocumentTooLarge
from groundtruth.pages import document_info
from groundtruth import page_images
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    document_info(Path(sys.argv[1]))
except DocumentTooLarge as error:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, error)
"""


class TestImages:
    def test_a_huge_image_is_refused_by_its_header(self, tmp_path: Path) -> None:
        path = write(tmp_path, "a.png", black_png(30_000, 30_000))
        done = subprocess.run(
            [sys.executable, "-c", MEMORY_OF_A_REFUSAL, str(path)],
            cwd=REPOSITORY, capture_output=True, text=True, check=True,
        )  # fmt: skip
        grown, message = done.stdout.split(" ", maxsplit=1)
        assert int(grown) < 20_000, "kilobytes; the decoded image has 112,500"
        assert "an image of 30,000 x 30,000 pixels; the limit is 200,000,000 pixels" in message

    @pytest.mark.parametrize(("image_format", "suffix"), [("PNG", "png"), ("JPEG", "jpg"), ("TIFF", "tif")])
    def test_a_cut_image_is_refused(self, tmp_path: Path, image_format: str, suffix: str) -> None:
        noise = Image.effect_noise((80, 60), 60).convert("RGB")
        whole = image_file(noise, image_format)
        for share in (1, 5, 10, 50, 90, 97):
            path = write(tmp_path, f"a.{suffix}", whole[: max(12, len(whole) * share // 100)])
            assert "truncated or damaged image" in refusal(path, BrokenDocument)

    def test_too_many_frames_are_refused(self, tmp_path: Path) -> None:
        file = io.BytesIO()
        frame = Image.new("L", (5, 5))
        frame.save(file, "TIFF", save_all=True, append_images=[frame] * 4)
        path = write(tmp_path, "a.tif", file.getvalue())
        assert document_info(path, limits=Limits(max_pages=5)).page_count == 5
        assert "more than 4 frames" in refusal(path, DocumentTooLarge, Limits(max_pages=4))

    def test_a_huge_frame_behind_a_small_one_is_refused(self, tmp_path: Path) -> None:
        file = io.BytesIO()
        Image.new("L", (5, 5)).save(file, "TIFF", save_all=True, append_images=[Image.new("L", (100, 100))])
        path = write(tmp_path, "a.tif", file.getvalue())
        assert "100 x 100 pixels" in refusal(path, DocumentTooLarge, Limits(max_image_pixels=9_999))

    def test_frames_in_a_circle_come_to_an_end(self, tmp_path: Path) -> None:
        file = io.BytesIO()
        Image.new("L", (5, 5)).save(file, "TIFF")
        data = bytearray(file.getvalue())
        (first,) = struct.unpack_from("<I", data, 4)
        (entries,) = struct.unpack_from("<H", data, first)
        struct.pack_into("<I", data, first + 2 + 12 * entries, first)
        assert document_info(write(tmp_path, "a.tif", bytes(data))).page_count == 1

    def test_pixels_of_an_unknown_kind_are_refused(self, tmp_path: Path) -> None:
        path = write(tmp_path, "a.tif", image_file(Image.new("F", (5, 5)), "TIFF"))
        assert "8-bit" in refusal(path, UnsupportedDocument)


class TestOfficeFiles:
    def test_an_archive_that_unpacks_to_too_much_is_refused(self, tmp_path: Path) -> None:
        data = docx(["x" * 100_000])
        assert len(data) < 10_000
        path = write(tmp_path, "a.docx", data)
        assert "unpacks to" in refusal(path, DocumentTooLarge, Limits(max_unpacked_bytes=50_000))

    @pytest.mark.parametrize(
        ("name", "data"),
        [
            pytest.param("a.docx", docx(["text"]), id="DOCX"),
            pytest.param("a.xlsx", xlsx({"S": "<row/>"}), id="XLSX"),
        ],
    )
    def test_a_cut_archive_is_refused(self, tmp_path: Path, name: str, data: bytes) -> None:
        for share in (10, 50, 90, 99):
            path = write(tmp_path, name, data[: len(data) * share // 100])
            assert "damaged or truncated archive" in refusal(path, BrokenDocument)

    def test_a_file_behind_a_password_is_refused(self, tmp_path: Path) -> None:
        data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
        assert "password" in refusal(write(tmp_path, "a.docx", data), EncryptedDocument)

    @pytest.mark.parametrize(
        "rows",
        [
            pytest.param('<row><c t="s"><v>99</v></c></row>', id="a string that is not there"),
            pytest.param('<row><c t="s"><v>many</v></c></row>', id="no number"),
            pytest.param("<row><c>", id="broken XML"),
            pytest.param('<row r="x"/>', id="a row without a number"),
        ],
    )
    def test_a_damaged_sheet_is_refused(self, tmp_path: Path, rows: str) -> None:
        assert "damaged workbook" in refusal(write(tmp_path, "a.xlsx", xlsx({"S": rows})), BrokenDocument)

    def test_a_row_far_down_does_not_make_empty_pages(self, tmp_path: Path) -> None:
        rows = '<row r="1"><c><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
        with open_document(write(tmp_path, "a.xlsx", xlsx({"S": rows}))) as source:
            assert source.page_count == 1
            assert [word.text for word in source.page(1).words] == ["S", "1", "2"]

    def test_too_much_text_in_a_sheet_is_refused(self, tmp_path: Path) -> None:
        rows = '<row><c t="s"><v>0</v></c></row>' * 100
        path = write(tmp_path, "a.xlsx", xlsx({"S": rows}, shared=["x" * 100]))
        assert "the limit" in refusal(path, DocumentTooLarge, Limits(max_text_bytes=5_000))

    def test_entities_that_multiply_are_refused(self, tmp_path: Path) -> None:
        bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
            f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
        )
        parts = {
            "xl/workbook.xml": f"{bomb}]><workbook>&i;</workbook>",
            "xl/_rels/workbook.xml.rels": "<Relationships/>",
        }
        assert "damaged workbook" in refusal(write(tmp_path, "a.xlsx", archive(parts)), BrokenDocument)


class TestTexts:
    def test_too_long_a_text_is_refused(self, tmp_path: Path) -> None:
        path = write(tmp_path, "a.txt", b"line\n" * 1_000)
        assert "5,000 bytes" in refusal(path, DocumentTooLarge, Limits(max_text_bytes=4_999))
        assert "more than 960 lines" in refusal(path, DocumentTooLarge, Limits(max_pages=16))
        assert document_info(path, limits=Limits(max_pages=17)).page_count == 17
