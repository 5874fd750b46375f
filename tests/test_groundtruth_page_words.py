"""Words of the characters of a line: where one ends, whichever way they go."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundtruth.box import Box
from groundtruth.page_words import CharacterLine, Corners, words_of_lines


def line_of(
    *pieces: tuple[str, float], width: float = 10, height: float = 12, placed_by_eye: bool = True
) -> CharacterLine:
    """Texts at an x each, their characters going right, or left if Hebrew, all on one line at y 100."""
    characters: list[tuple[str, Corners]] = []
    for text, x in pieces:
        step = -width if any("\u0590" <= character <= "\u05ff" for character in text) else width
        for index, character in enumerate(text):
            left = x + index * step
            characters.append((character, (left, 100, left + width, 100 + height)))
    return CharacterLine(0, tuple(characters), placed_by_eye)


def words_in(*pieces: tuple[str, float], placed_by_eye: bool = True) -> list[str]:
    layer = words_of_lines([line_of(*pieces, placed_by_eye=placed_by_eye)], 1_000, 1_000)
    return [word.text for word in layer.words]


class TestWordsOfLines:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            pytest.param("a\u00a0b\u2009c\u3000d", ["a", "b", "c", "d"], id="every Unicode space"),
            pytest.param("ﬁbrils x² e\u0301", ["ﬁbrils", "x²", "e\u0301"], id="text as it stands"),
            pytest.param("a\u200bb\u00adc", ["a\u200bb\u00adc"], id="no space that is no space"),
            pytest.param("   ", [], id="only spaces"),
        ],
    )
    def test_words_end_at_white_space(self, text: str, words: list[str]) -> None:
        assert words_in((text, 10)) == words

    def test_an_abbreviation_with_quotes_stays_whole(self) -> None:
        assert words_in(("בע", 500), ('"', 480), ("מ", 470)) == ['בע"מ']

    def test_a_number_apart_from_its_hebrew_neighbour_is_a_word(self) -> None:
        assert words_in(("נס ציונה", 500), ("33", 520)) == ["33", "נס", "ציונה"]

    @pytest.mark.parametrize(
        ("pieces", "words"),
        [
            pytest.param([("נטו ", 200), ("שינוי ", 300)], ["שינוי", "נטו"], id="Hebrew from the right"),
            pytest.param(
                [("שנתי ", 200), ("Big Plan ", 300), ("מנוי ", 500)],
                ["מנוי", "Big", "Plan", "שנתי"],
                id="English within Hebrew",
            ),
            pytest.param(
                [("Company named ", 10), ("כרמל ", 200), ("ארז ", 300), ("Ltd", 320)],
                ["Company", "named", "ארז", "כרמל", "Ltd"],
                id="Hebrew within English",
            ),
            pytest.param([("later ", 300), ("sooner ", 10)], ["later", "sooner"], id="no Hebrew: as it comes"),
        ],
    )
    def test_words_of_a_mixed_line_are_read_as_the_eye_reads(
        self, pieces: list[tuple[str, float]], words: list[str]
    ) -> None:
        assert words_in(*pieces) == words

    def test_a_line_whose_order_is_known_keeps_it(self) -> None:
        pieces = [("נטו ", 200), ("שינוי ", 300)]
        assert words_in(*pieces, placed_by_eye=False) == ["נטו", "שינוי"]

    def test_a_box_without_width_is_widened_around_its_middle(self) -> None:
        layer = words_of_lines([line_of(("x", 50), width=0)], 100, 200)
        (word,) = layer.words
        assert word.box == pytest.approx(Box(0.49995, 0.5, 0.50005, 0.56))

    def test_a_word_nowhere_is_dropped_and_counted(self) -> None:
        layer = words_of_lines([line_of(("x", float("nan"))), line_of(("y", float("inf")))], 100, 200)
        assert (layer.words, layer.dropped_words) == ((), 2)

    @settings(max_examples=60)
    @given(
        st.lists(
            st.lists(
                st.tuples(
                    st.sampled_from('aB1 \u05d0\u05d1".,'),
                    st.tuples(*[st.floats(-150, 350, width=32)] * 2, *[st.floats(0, 60, width=32)] * 2),
                ),
                max_size=8,
            ),
            max_size=3,
        )
    )
    def test_no_character_is_lost_and_every_box_is_on_the_page(
        self, lines: list[list[tuple[str, tuple[float, ...]]]]
    ) -> None:
        placed = [
            CharacterLine(
                number,
                tuple((text, (x, y, x + width, y + height)) for text, (x, y, width, height) in line),
                placed_by_eye=number % 2 == 0,
            )
            for number, line in enumerate(lines)
        ]
        wide = words_of_lines(placed, 1e9, 1e9)
        near = words_of_lines(placed, 200, 200)
        assert [word.id for word in near.words] == list(range(len(near.words)))
        assert len(near.words) + near.dropped_words == len(wide.words) + wide.dropped_words
        assert near.clipped_words <= len(near.words)
        everything = words_of_lines(
            [line._replace(characters=tuple((text, (1, 1, 2, 2)) for text, _ in line.characters)) for line in placed],
            200,
            200,
        )
        kept = sorted("".join(word.text for word in everything.words))
        assert kept == sorted(text for line in lines for text, _ in line if text != " ")
