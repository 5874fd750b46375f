"""The fonts of synthetic documents: embedded, pinned by their hash, with the outlines that tell where ink falls.

The files come with the packages that ``pyproject.toml`` pins. The hash is held against the file at every use, because
another file of the same name has other widths and outlines, and documents would no longer come out the same.
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final, NamedTuple

from groundtruth.errors import SynthesisError
from synth.nearest import did_you_mean

EM_BAND: Final = (-0.2, 0.8)
"""The band around the baseline that a line's box spans, in em: it is near what every reader of PDFs calls a line."""

_FAR: Final = 1 << 30
_NOTHING: Final = (_FAR, _FAR, -_FAR, -_FAR)
"""The edges of a glyph without ink: any other is nearer."""

_OFL: Final = "OFL-1.1"
_VERA: Final = "Bitstream Vera"
_APACHE: Final = "Apache-2.0"
_IPA: Final = "IPA Font License 1.0"


class FontFile(NamedTuple):
    """One face: the package that brings it, its path in the package, its hash, and its name and licence."""

    package: str
    path: str
    sha256: str
    name: str
    licence: str


class Family(NamedTuple):
    """The faces of a family; one without a bold face prints everything in the regular one.

    Attributes:
        regular: of values.
        bold: of headings and totals.
        scripts: what its characters cover, for people.
    """

    regular: FontFile
    bold: FontFile
    scripts: str


def _plex(package: str, stem: str, name: str, regular: str, bold: str) -> tuple[FontFile, FontFile]:
    return (
        FontFile(package, f"files/{stem}-Regular.ttf", regular, name, _OFL),
        FontFile(package, f"files/{stem}-Bold.ttf", bold, f"{name} Bold", _OFL),
    )


def _dejavu(stem: str, name: str, regular: str, bold: str) -> tuple[FontFile, FontFile]:
    home = "mpl-data/fonts/ttf"
    return (
        FontFile("matplotlib", f"{home}/{stem}.ttf", regular, name, _VERA),
        FontFile("matplotlib", f"{home}/{stem}-Bold.ttf", bold, f"{name} Bold", _VERA),
    )


_GOTHIC: Final = FontFile(
    "matplotlib_fontja",
    "fonts/ipaexg.ttf",
    "3b9955a5e437ffb24c41548e79296fa724822da21ee75dc1b94f6ccdb8f400dd",
    "IPAex Gothic",
    _IPA,
)

_MICRO_HEI: Final = FontFile(
    "paperang_p2_fonts_cjk",
    "fonts/wqy-microhei.ttc",
    "2420e8078af796b19a3f6ef13de527a1a91c1e7171eea115926c614ced1009b3",
    "WenQuanYi Micro Hei",
    _APACHE,
)

FAMILIES: Final[Mapping[str, Family]] = {
    "dejavu": Family(
        *_dejavu(
            "DejaVuSans",
            "DejaVu Sans",
            "3fdf69cabf06049ea70a00b5919340e2ce1e6d02b0cc3c4b44fb6801bd1e0d22",
            "b184b89e3c1075f22f6b71575b6fc20d4972b3cfd3b23322ca6fd596dcaef167",
        ),
        "Latin, Greek, Cyrillic, symbols",
    ),
    "dejavu-mono": Family(
        *_dejavu(
            "DejaVuSansMono",
            "DejaVu Sans Mono",
            "602ec86b8948cfcd956482fe64f94c36c867770149ef2f791d4613f443bcecb3",
            "baada9a5172fe20886251aff0433fc38461912d5daf07287e7bee56620a8da96",
        ),
        "Latin, Greek, Cyrillic, symbols",
    ),
    "dejavu-serif": Family(
        *_dejavu(
            "DejaVuSerif",
            "DejaVu Serif",
            "107244956e9962b9e96faccdc551825e0ae0898ae13737133e1b921a2fd35ffa",
            "c3753f2ed6bc673f15846dc45addbeb3b9c872f32fb18fd53a21f1bef1ed7676",
        ),
        "Latin, Greek, Cyrillic",
    ),
    "gothic": Family(_GOTHIC, _GOTHIC, "Japanese (kana, Han), Latin, Greek, Cyrillic"),
    "hand": Family(
        *_plex(
            "fontpkg_kalam",
            "Kalam",
            "Kalam",
            "57cecb63d4608019371954274ae1d8c397764debd5b19d4a33c1efa4dc923c0b",
            "2f6576601db015d4f6c08678120277fc8510b98c06e932ce7a6a9cbff4cbdded",
        ),
        "Latin, as if written by hand",
    ),
    "micro-hei": Family(_MICRO_HEI, _MICRO_HEI, "Chinese, Korean, Japanese, Latin, Greek, Cyrillic"),
    "mono": Family(
        *_plex(
            "fontpkg_ibm_plex_mono",
            "IBMPlexMono",
            "IBM Plex Mono",
            "6a3412f058c7d8dfd9170c41e85ade48e5156ecb89356110ca57a0a27734af46",
            "ac27abd6450a64dd94467580a02fe6235156d5b92f2926ebbc8e7489df64e0be",
        ),
        "Latin, Cyrillic",
    ),
    "narrow": Family(
        *_plex(
            "fontpkg_ibm_plex_sans_condensed",
            "IBMPlexSansCondensed",
            "IBM Plex Sans Condensed",
            "e7437c072eef2ef592ae6f2beb0000446287385907abb57ac1cf07bcbaa2aa33",
            "b65492d86cdd5cd9d43d2671b55d5d36fec36859fc8b08bc6aba78e441d6c849",
        ),
        "Latin",
    ),
    "sans": Family(
        *_plex(
            "fontpkg_pt_sans",
            "PT_Sans-Web",
            "PT Sans",
            "9cc831490532009bae2b3ce0d39c62adfc889060beb421593bfd9d2396d0f10a",
            "3128bd5ecf01816e59a23d54c57a7a6b14615b07db53ff277c77376010265b05",
        ),
        "Latin, Cyrillic",
    ),
    "serif": Family(
        *_plex(
            "fontpkg_ibm_plex_serif",
            "IBMPlexSerif",
            "IBM Plex Serif",
            "e882efa9c41949a528ac2369079ec5ef050c1c996bbd0bacce3c3326d44cf80d",
            "534c02c295999dd86e770457ece1d43db0de9256dd98bf741426f63ae904209e",
        ),
        "Latin, Cyrillic",
    ),
}


class Ink(NamedTuple):
    """Where the outlines of a text lie, in em from the pen's start on the baseline, y up."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A face that was read: what it takes to measure text without drawing it.

    Attributes:
        file: which one it is.
        data: the bytes of the file.
        em: how many units an em has. All other numbers are whole units, so that sums are exact in any order.
        advance: how far each character moves the pen.
        left: by character, the left edge of its ink from its pen; of one without ink, far to the right.
        right: the right edge.
        low: the lower edge, under the baseline negative.
        high: the upper edge.
    """

    file: FontFile
    data: bytes = field(repr=False)
    em: int
    advance: Mapping[str, int] = field(repr=False)
    left: Mapping[str, int] = field(repr=False)
    right: Mapping[str, int] = field(repr=False)
    low: Mapping[str, int] = field(repr=False)
    high: Mapping[str, int] = field(repr=False)

    def width(self, text: str) -> float:
        """How far the text moves the pen, in em; there is no kerning.

        Raises:
            SynthesisError: the face has no glyph for a character; the message names it.
        """
        try:
            return sum(map(self.advance.__getitem__, text)) / self.em
        except KeyError:
            raise SynthesisError(self._missing(text)) from None

    def ink(self, text: str) -> Ink | None:
        """Where the ink of a text without spaces around it lies; None when it has none.

        The second character from either end may stand out farther than the last; no other can.
        """
        advance, left, right = self.advance, self.left, self.right
        first, last = text[0], text[-1]
        width = sum(map(advance.__getitem__, text))
        x0, x1 = left[first], width - advance[last] + right[last]
        if len(text) > 1:
            x0 = min(x0, advance[first] + left[text[1]])
            x1 = max(x1, width - advance[last] - advance[text[-2]] + right[text[-2]])
        high = max(map(self.high.__getitem__, text))
        if high == -_FAR:
            return None
        em = self.em
        return Ink(x0 / em, min(map(self.low.__getitem__, text)) / em, x1 / em, high / em)

    def _missing(self, text: str) -> str:
        lacking = next(character for character in text if character not in self.advance)
        able = [name for name, family in FAMILIES.items() if lacking in load_face(family.regular).advance]
        cure = f"--font {able[0]} has it" if able else "no font that comes with Goldleaf has it; leave it out"
        return f"{text!r}: the font {self.file.name} has no character {lacking!r} (U+{ord(lacking):04X}); {cure}"


def family(name: str) -> Family:
    """A family by its name.

    Raises:
        SynthesisError: there is none; the message names the nearest.
    """
    if name not in FAMILIES:
        raise SynthesisError(f"no font {name!r}; {did_you_mean(name, FAMILIES)}")
    return FAMILIES[name]


@cache
def load_face(file: FontFile) -> Face:
    """Read a face.

    Raises:
        SynthesisError: it is not installed, or is another file than the pinned one.
    """
    from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

    data = _read(file)
    # Of a collection, the first.
    font = TTFont(BytesIO(data), lazy=True, fontNumber=0)
    em = font["head"].unitsPerEm
    metrics, offsets, outlines = font["hmtx"].metrics, font["loca"], font.reader["glyf"]
    advance: dict[str, int] = {}
    edges: tuple[dict[str, int], ...] = ({}, {}, {}, {})
    for code, glyph in font.getBestCmap().items():
        character, number = chr(code), font.getGlyphID(glyph)
        advance[character] = metrics[glyph][0]
        x0, y0, x1, y1 = _NOTHING
        if offsets[number + 1] > offsets[number]:
            x0, y0, x1, y1 = struct.unpack_from(">4h", outlines, offsets[number] + 2)
        for edge, value in zip(edges, (x0, x1, y0, y1), strict=True):
            edge[character] = value
    return Face(file, data, em, advance, *edges)


def _read(file: FontFile) -> bytes:
    cure = "install what the project pins: make setup"
    found = importlib.util.find_spec(file.package)
    if found is None or not found.submodule_search_locations:
        raise SynthesisError(f"font {file.name}: the package {file.package} is not installed; {cure}")
    path = Path(found.submodule_search_locations[0]) / file.path
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SynthesisError(f"{path}: the font {file.name} cannot be read: {error.strerror}; {cure}") from error
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise SynthesisError(f"{path}: is not the pinned file of the font {file.name}; {cure}")
    return data
