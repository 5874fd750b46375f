"""The fonts of synthetic documents: pinned, measured exactly, and honest about what they lack."""

from __future__ import annotations

import pytest

from groundtruth.errors import SynthesisError
from synth.book import wrapped
from synth.fonts import FAMILIES, family, load_face

SCRIPTS = {
    "Latin": "Łukasz Żółć, Ñandú & Søren",
    "Greek": "Αλφα Ωμέγα",
    "Cyrillic": "Жанна Щукина",
    "Japanese": "東京都 カナ ひらがな",
    "Korean": "김영희 서울특별시 강남구 힣",
    "Chinese": "国家税务总局 张伟 臺灣 龙",
}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_font_is_the_pinned_one_and_says_its_licence(name: str) -> None:
    for file in FAMILIES[name][:2]:
        assert load_face(file).em in (1000, 2048)
        assert file.licence


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ("Latin", "narrow"),
        ("Latin", "sans"),
        ("Latin", "serif"),
        ("Latin", "mono"),
        ("Greek", "dejavu"),
        ("Cyrillic", "sans"),
        ("Japanese", "gothic"),
        ("Japanese", "micro-hei"),
        ("Korean", "micro-hei"),
        ("Chinese", "micro-hei"),
    ],
)
def test_a_script_is_covered(script: str, name: str) -> None:
    assert load_face(family(name).regular).width(SCRIPTS[script]) > 0


def test_a_missing_character_is_named_with_a_font_that_has_it() -> None:
    with pytest.raises(SynthesisError, match=r"PT Sans has no character '東' \(U\+6771\); --font gothic has it"):
        load_face(family("sans").regular).width("Café 東京")


def test_a_character_that_no_font_has_is_named() -> None:
    with pytest.raises(SynthesisError, match=r"no font that comes with Goldleaf has it"):
        load_face(family("sans").regular).width("\u0c05")


def test_an_unknown_font_is_refused_with_the_nearest() -> None:
    with pytest.raises(SynthesisError, match="did you mean 'serif'"):
        family("serief")


def test_widths_add_up_without_rounding() -> None:
    face = load_face(family("narrow").regular)
    assert face.width("AV" * 50) == pytest.approx(50 * (face.width("A") + face.width("V")), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        pytest.param("x", (0.0, 0.0, 0.6, 0.6), id="sits on the baseline"),
        pytest.param("g", (0.0, -0.3, 0.7, 0.6), id="descends"),
        pytest.param("É", (0.0, 0.0, 0.7, 1.0), id="bears an accent"),
    ],
)
def test_ink_lies_where_the_letter_does(text: str, inside: tuple[float, float, float, float]) -> None:
    ink = load_face(family("sans").regular).ink(text)
    assert ink is not None
    assert inside[0] <= ink.x0 < ink.x1 <= inside[2]
    assert inside[1] - 0.02 <= ink.y0 < ink.y1 <= inside[3]


def test_ink_may_stand_out_of_the_advance() -> None:
    ink = load_face(family("dejavu").regular).ink("jA")
    assert ink is not None
    assert ink.x0 < 0


def test_a_space_has_no_ink() -> None:
    assert load_face(family("sans").regular).ink(" ") is None


@pytest.mark.parametrize(
    ("text", "room", "lines"),
    [
        pytest.param("ab cd", 100.0, ["ab cd"], id="fits"),
        pytest.param("ab cd", 1.8, ["ab", "cd"], id="breaks at the space"),
        pytest.param("abcdef", 1.8, ["abc", "def"], id="a word that is too wide is broken"),
        pytest.param("a bcdefg h", 1.8, ["a", "bcd", "efg", "h"], id="and loses nothing"),
    ],
)
def test_text_is_wrapped(text: str, room: float, lines: list[str]) -> None:
    assert wrapped(text, load_face(family("mono").regular), room) == lines
