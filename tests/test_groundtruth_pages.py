"""Pages: the size, the words and the raster of a document agree with each other, whatever turns or crops the page."""

# PyMuPDF says that it is typed, but its functions mostly are not.
# mypy: allow-untyped-calls

from __future__ import annotations

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from builders import shared_dir
from document_builders import (
    EDI,
    Rectangle,
    dark_box,
    image_file,
    long_pdf,
    marked_image,
    pdf,
    turned_pdf,
)
from groundtruth.pages import Page, PageSource, document_info, open_document
from opened_pages import OpenBytes, texts


def assert_around(box: Rectangle, ink: Rectangle, page: Page) -> None:
    """The box holds the ink to a pixel at 150 dpi, and is not much larger than a line of text around it."""
    slack_x, slack_y = 0.5 / page.width, 0.5 / page.height
    assert box[0] <= ink[0] + slack_x
    assert box[1] <= ink[1] + slack_y
    assert box[2] >= ink[2] - slack_x
    assert box[3] >= ink[3] - slack_y
    assert (box[2] - box[0]) * (box[3] - box[1]) < 3 * (ink[2] - ink[0]) * (ink[3] - ink[1])


CROP_OVER_THE_EDGE = (30, 200, 400, 500)
SHIFTED_MEDIA = (-50, -30, 250, 370)


class TestFrameOfThePageAsDisplayed:
    @pytest.mark.parametrize("rotation", [0, 90, 180, 270, -90, 450])
    @pytest.mark.parametrize(
        ("media", "crop", "unit", "unturned_size"),
        [
            pytest.param(None, None, None, (300, 400), id="plain"),
            pytest.param(None, (40, 150, 290, 390), None, (250, 240), id="crop box"),
            pytest.param(None, CROP_OVER_THE_EDGE, None, (270, 200), id="crop box over the media box's edge"),
            pytest.param(None, (1000, 1000, 1100, 1100), None, (300, 400), id="crop box off the media box"),
            pytest.param(SHIFTED_MEDIA, None, None, (300, 400), id="media box not at the origin"),
            pytest.param(SHIFTED_MEDIA, (0, 250, 200, 350), None, (200, 100), id="shifted and cropped"),
            pytest.param((300, 400, 0, 0), None, None, (300, 400), id="media box written backwards"),
            pytest.param(None, CROP_OVER_THE_EDGE, 2, (540, 400), id="user unit of 2 points"),
        ],
    )
    def test_the_word_stands_on_its_ink(
        self,
        open_bytes: OpenBytes,
        rotation: int,
        media: Rectangle | None,
        crop: Rectangle | None,
        unit: float | None,
        unturned_size: tuple[float, float],
    ) -> None:
        page = open_bytes("a.pdf", turned_pdf(rotation, media=media, crop=crop, unit=unit)).page(1)
        turned = rotation % 180 != 0
        assert (page.width, page.height) == pytest.approx(unturned_size[::-1] if turned else unturned_size)
        assert texts(page) == ["HELLO"]
        assert_around(page.words[0].box, dark_box(page.raster(150)), page)

    def test_the_raster_has_the_shape_of_the_page(self, open_bytes: OpenBytes) -> None:
        page = open_bytes("a.pdf", turned_pdf(90)).page(1)
        assert page.raster(144).shape == (600, 800, 3)
        assert page.raster(36).dtype == np.uint8

    def test_y_grows_downward(self, open_bytes: OpenBytes) -> None:
        (word,) = open_bytes("a.pdf", pdf()).page(1).words
        assert word.box.y0 < 0.2 < 0.25 < word.box.y1 < 0.3

    @pytest.mark.parametrize("rotation", [0, 90, 180, 270])
    def test_a_word_over_the_edge_is_clipped_and_one_beyond_dropped(self, open_bytes: OpenBytes, rotation: int) -> None:
        with pymupdf.open() as document:
            page = document.new_page(width=300, height=400)
            for x, y in ((100, 100), (280, 200), (-30, 300), (400, 100), (100, -50)):
                page.insert_text((x, y), f"WORD{x}", fontsize=20)
            page.set_rotation(rotation)
            data = document.tobytes()
        read = open_bytes("a.pdf", data).page(1)
        assert texts(read) == ["WORD100", "WORD280", "WORD-30"]
        assert (read.clipped_words, read.dropped_words) == (2, 2)
        edges = {0: ("x1", "x0"), 90: ("y1", "y0"), 180: ("x0", "x1"), 270: ("y0", "y1")}[rotation]
        outer = (1.0, 0.0) if rotation < 180 else (0.0, 1.0)
        assert tuple(getattr(read.words[i].box, edges[i - 1]) for i in (1, 2)) == pytest.approx(outer, abs=1e-9)


class TestPdf:
    def test_pages_count_from_one_and_keep_their_words_apart(self, open_bytes: OpenBytes) -> None:
        source = open_bytes("a.pdf", pdf(["first", "second", "third"]))
        assert source.page_count == 3
        assert [texts(page) for page in source.pages()] == [["first"], ["second"], ["third"]]
        assert texts(source.page(3)) == ["third"]
        assert source.page(3).number == 3

    @pytest.mark.parametrize("number", [0, -1, 4])
    def test_a_page_that_is_not_there_is_refused(self, open_bytes: OpenBytes, number: int) -> None:
        with pytest.raises(ValueError, match=rf"no page {number}; its pages are 1 to 3"):
            open_bytes("a.pdf", pdf(["a", "b", "c"])).page(number)

    def test_two_thousand_pages_are_read_one_at_a_time(self, open_bytes: OpenBytes) -> None:
        source = open_bytes("a.pdf", long_pdf(2_000, text_on_page=1_999))
        assert (source.page_count, source.notes) == (2_000, ())
        assert texts(source.page(1_999)) == ["late"]
        assert (source.page(2_000).width, source.page(2_000).words) == (200, ())

    def test_what_is_filled_into_a_form_is_a_word_and_what_is_hidden_is_not(self, open_bytes: OpenBytes) -> None:
        with pymupdf.open() as document:
            page = document.new_page(width=300, height=400)
            for name, hidden in (("seen", False), ("unseen", True)):
                widget = pymupdf.Widget()
                widget.field_name = name
                widget.field_type = pymupdf.PDF_WIDGET_TYPE_TEXT  # type: ignore[attr-defined]
                widget.field_value = name
                widget.rect = pymupdf.Rect(50, 100 + 100 * hidden, 200, 130 + 100 * hidden)
                page.add_widget(widget)
            hidden_widget = list(page.widgets())[1]
            document.xref_set_key(hidden_widget.xref, "F", "2")
            data = document.tobytes()
        read = open_bytes("a.pdf", data).page(1)
        assert texts(read) == ["seen"]
        assert_around(read.words[0].box, dark_box(read.raster(150)), read)

    def test_text_turned_within_the_page_has_its_hull(self, open_bytes: OpenBytes) -> None:
        with pymupdf.open() as document:
            page = document.new_page(width=300, height=400)
            page.insert_text((150, 300), "UPWARD", fontsize=20, rotate=90)
            data = document.tobytes()
        read = open_bytes("a.pdf", data).page(1)
        (word,) = read.words
        assert word.box.y1 - word.box.y0 > word.box.x1 - word.box.x0
        assert_around(word.box, dark_box(read.raster(150)), read)

    def test_text_over_a_picture_scaled_unequally_stands_on_its_ink(self, open_bytes: OpenBytes) -> None:
        white = image_file(Image.new("RGB", (400, 100), "white"), "PNG")
        with pymupdf.open() as document:
            page = document.new_page(width=144, height=72)
            page.insert_image(page.rect, stream=white, keep_proportion=False)
            page.insert_text((30, 40), "SCALED", fontsize=16)
            data = document.tobytes()
        read = open_bytes("a.pdf", data).page(1)
        assert_around(read.words[0].box, dark_box(read.raster(150)), read)

    def test_pages_read_by_several_threads_are_the_same(self, open_bytes: OpenBytes) -> None:
        source = open_bytes("a.pdf", pdf([f"page{number}" for number in range(20)]))
        alone = [(page.words, page.raster(40).tobytes()) for page in source.pages()]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda page: (page.words, page.raster(40).tobytes()), list(source.pages()) * 3))
        assert together == alone * 3

    def test_a_closed_document_says_so(self, open_bytes: OpenBytes) -> None:
        with open_bytes("a.pdf", pdf()) as source:
            page = source.page(1)
            words = page.words
        assert page.words == words
        with pytest.raises(ValueError, match=r"a\.pdf: the document is closed"):
            page.raster()

    @pytest.mark.parametrize(
        ("name", "data"),
        [
            pytest.param("a.pdf", pdf(), id="pdf"),
            pytest.param("a.png", image_file(marked_image(), "PNG"), id="image"),
            pytest.param("a.txt", b"One line\n", id="text"),
        ],
    )
    def test_a_grey_raster_is_the_brightness_of_the_coloured_one(
        self, open_bytes: OpenBytes, name: str, data: bytes
    ) -> None:
        page = open_bytes(name, data).page(1)
        grey, colours = page.raster(60, grey=True), page.raster(60).astype(int)
        assert grey.shape == colours.shape[:2]
        brightness = colours @ [299, 587, 114] // 1000
        assert np.abs(grey - brightness).max() <= 3

    def test_the_png_holds_the_raster(self, open_bytes: OpenBytes) -> None:
        page = open_bytes("a.pdf", pdf()).page(1)
        with Image.open(io.BytesIO(page.png(72))) as image:
            assert np.array_equal(np.asarray(image), page.raster(72))
            assert image.info["dpi"] == pytest.approx((72, 72), abs=0.1)

    @pytest.mark.parametrize("dpi", [0, -1, float("nan")])
    def test_a_resolution_must_be_positive(self, open_bytes: OpenBytes, dpi: float) -> None:
        with pytest.raises(ValueError, match="dpi must be positive"):
            open_bytes("a.pdf", pdf()).page(1).raster(dpi)


# Where the mark of `marked_image` is seen once the image is turned as each EXIF orientation says.
SEEN_MARK = {
    1: (0.05, 0.1, 0.2, 0.2),
    2: (0.8, 0.1, 0.95, 0.2),
    3: (0.8, 0.8, 0.95, 0.9),
    4: (0.05, 0.8, 0.2, 0.9),
    5: (0.1, 0.05, 0.2, 0.2),
    6: (0.8, 0.05, 0.9, 0.2),
    7: (0.8, 0.8, 0.9, 0.95),
    8: (0.1, 0.8, 0.2, 0.95),
}
SUFFIX = {"PNG": ".png", "JPEG": ".jpg", "TIFF": ".tif"}


class TestImages:
    @pytest.mark.parametrize("image_format", SUFFIX)
    @pytest.mark.parametrize("orientation", SEEN_MARK)
    def test_exif_orientation_turns_size_resolution_and_raster(
        self, open_bytes: OpenBytes, image_format: str, orientation: int
    ) -> None:
        # Four inches by half an inch as stored.
        data = image_file(marked_image((400, 100)), image_format, dpi=(100, 200), orientation=orientation)
        page = open_bytes("a" + SUFFIX[image_format], data).page(1)
        assert (page.width, page.height) == pytest.approx((36, 288) if orientation > 4 else (288, 36), rel=1e-3)
        raster = page.raster(200)
        assert raster.shape == ((800, 100, 3) if orientation > 4 else (100, 800, 3))
        assert dark_box(raster) == pytest.approx(SEEN_MARK[orientation], abs=0.011)

    @pytest.mark.parametrize("image_format", SUFFIX)
    def test_unequal_resolution_leaves_the_ink_in_its_place(self, open_bytes: OpenBytes, image_format: str) -> None:
        data = image_file(marked_image((200, 100)), image_format, dpi=(200, 100))
        page = open_bytes("a" + SUFFIX[image_format], data).page(1)
        assert (page.width, page.height) == pytest.approx((72, 72), rel=1e-3)
        assert dark_box(page.raster(150)) == pytest.approx(SEEN_MARK[1], abs=0.01)

    @pytest.mark.parametrize("dpi", [None, (1, 1), (100_000, 100_000)], ids=["none", "tiny", "huge"])
    def test_without_a_credible_resolution_there_are_96_dots_to_the_inch(
        self, open_bytes: OpenBytes, dpi: tuple[float, float] | None
    ) -> None:
        page = open_bytes("a.tif", image_file(marked_image((192, 96)), "TIFF", dpi=dpi)).page(1)
        assert (page.width, page.height) == (144, 72)

    def test_a_ratio_of_pixels_without_a_unit_is_kept(self, open_bytes: OpenBytes) -> None:
        data = bytearray(image_file(marked_image((192, 96)), "JPEG", dpi=(2, 1)))
        unit_of_density = data.index(b"JFIF\0") + 7
        assert data[unit_of_density] == 1
        data[unit_of_density] = 0
        page = open_bytes("a.jpg", bytes(data)).page(1)
        assert (page.width, page.height) == (144, 144)

    def test_each_frame_of_a_tiff_is_a_page(self, open_bytes: OpenBytes) -> None:
        frames = [marked_image((100, 50)), marked_image((200, 300)), marked_image((80, 80))]
        file = io.BytesIO()
        frames[0].save(file, "TIFF", save_all=True, append_images=frames[1:], dpi=(72, 72), compression="tiff_lzw")
        source = open_bytes("a.tiff", file.getvalue())
        assert source.page_count == 3
        assert [(page.width, page.height) for page in source.pages()] == [(100, 50), (200, 300), (80, 80)]
        for page in source.pages():
            assert dark_box(page.raster(144)) == pytest.approx(SEEN_MARK[1], abs=0.02)

    def test_frames_may_be_turned_differently(self, open_bytes: OpenBytes) -> None:
        from PIL.TiffImagePlugin import AppendingTiffWriter

        file = io.BytesIO()
        with AppendingTiffWriter(file) as writer:
            for orientation in (1, 6, 3):
                marked_image((200, 100)).save(writer, "TIFF", dpi=(100, 100), tiffinfo={0x0112: orientation})
                writer.newFrame()
        source = open_bytes("a.tif", file.getvalue())
        for page, orientation in zip(source.pages(), (1, 6, 3), strict=True):
            assert dark_box(page.raster(100)) == pytest.approx(SEEN_MARK[orientation], abs=0.01)

    @pytest.mark.parametrize(
        ("mode", "colour", "seen"),
        [
            pytest.param("1", 0, (0, 0, 0), id="bilevel"),
            pytest.param("P", 0, (0, 0, 0), id="palette"),
            pytest.param("LA", (0, 0), (255, 255, 255), id="transparent grey"),
            pytest.param("RGBA", (200, 0, 0, 255), (200, 0, 0), id="opaque colour"),
            pytest.param("RGBA", (200, 0, 0, 0), (255, 255, 255), id="transparent colour"),
            pytest.param("I;16", 0x80FF, (128, 128, 128), id="16-bit grey"),
        ],
    )
    def test_every_kind_of_pixel_becomes_rgb_on_white(
        self, open_bytes: OpenBytes, mode: str, colour: int | tuple[int, ...], seen: tuple[int, int, int]
    ) -> None:
        page = open_bytes("a.png", image_file(Image.new(mode, (20, 10), colour), "PNG")).page(1)
        assert tuple(page.raster(96)[5, 5]) == seen

    def test_an_image_has_no_words(self, open_bytes: OpenBytes) -> None:
        page = open_bytes("a.png", image_file(marked_image(), "PNG")).page(1)
        assert (page.words, page.clipped_words, page.dropped_words, page.warnings) == ((), 0, 0, ())


class TestDocumentInfo:
    @pytest.mark.parametrize(
        ("name", "data", "media_type", "kind"),
        [
            pytest.param("a.pdf", pdf(), "application/pdf", "pdf", id="PDF"),
            pytest.param("a", pdf(), "application/pdf", "pdf", id="PDF without a suffix"),
            pytest.param("A.PDF", b"junk\n" + pdf(), "application/pdf", "pdf", id="PDF after other matter"),
            pytest.param("a.png", image_file(marked_image(), "PNG"), "image/png", "image", id="PNG"),
            pytest.param("a.jpeg", image_file(marked_image(), "JPEG"), "image/jpeg", "image", id="JPEG"),
            pytest.param("a.tif", image_file(marked_image(), "TIFF"), "image/tiff", "image", id="TIFF"),
            pytest.param("a.csv", b"a,b", "text/csv", "text", id="CSV"),
            pytest.param("a.xml", b"<a>1</a>", "application/xml", "text", id="XML"),
            pytest.param("a.txt", b"<a>1</a>", "text/plain", "text", id="XML as text"),
            pytest.param("a.htm", b"<p>1</p>", "text/html", "text", id="part of HTML"),
            pytest.param("a.edi", EDI.encode(), "text/plain", "text", id="text with a suffix of its own"),
        ],
    )
    def test_the_content_tells_the_type(
        self, tmp_path: Path, name: str, data: bytes, media_type: str, kind: str
    ) -> None:
        path = tmp_path / name
        path.write_bytes(data)
        info = document_info(path)
        assert (info.media_type, info.kind, info.page_count) == (media_type, kind, 1)
        assert info.byte_size == len(data)

    def test_the_hash_is_of_the_bytes(self, tmp_path: Path) -> None:
        path = tmp_path / "a.txt"
        path.write_bytes(b"abc")
        assert document_info(path).sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@contextmanager
def real_document(name: str) -> Iterator[PageSource]:
    with open_document(shared_dir() / "real" / "docubench" / "documents" / name) as source:
        yield source


class TestRealDocuments:
    def test_every_one_opens_and_its_words_stand_in_order(self) -> None:
        folder = shared_dir() / "real" / "docubench" / "documents"
        paths = sorted(folder.iterdir())
        assert len(paths) == 23
        for path in paths:
            info = document_info(path)
            with open_document(path) as source:
                page = source.page(info.page_count)
                assert [word.id for word in page.words] == list(range(len(page.words)))
                assert not any(character.isspace() for word in page.words for character in word.text)
                assert page.raster(30).shape[2] == 3

    def test_hebrew_titles_are_read_from_the_right(self) -> None:
        with real_document("qoSTXgNE.pdf") as source:
            words = " ".join(texts(source.page(3)))
        assert "דוח על השינויים בנכסים" in words

    def test_cells_with_text_are_read(self) -> None:
        with real_document("5ukZftw0.xlsx") as source:
            words = texts(source.page(1))
        assert words[words.index("Canada") + 1] == "Carretera"
