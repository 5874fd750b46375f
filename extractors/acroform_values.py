"""What a form field answers about a leaf: a value, that it is empty, or nothing that can be trusted.

A value counts only as the page shows it. A field that holds one text and shows another was filled by a program that
left the old drawing, or drawn by one that left the old value: nobody can say which of them is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from extractors.acroform_fields import FieldKind, FormField, Widget
from extractors.acroform_printed import PrintedPage, Side
from extractors.conventions import Conventions
from extractors.typed import Parsed, checkbox, is_number_like, is_text, parse
from extractors.words import Word, join
from groundtruth.jsontext import Json
from groundtruth.rules import Comparator, DateOrder
from groundtruth.schema import Leaf
from groundtruth.value import Null, Value, canonical

_CHECKED: Final = "☒"
_UNCHECKED: Final = "☐"
_LONG_TEXT: Final = 20
"""Letters from which a field may show only a part of its text."""

_NO_OPTION = re.compile(r"\d*|on|yes|true|x|(choice|option|button|radio|value|opt|box)\W*\d*", re.IGNORECASE)
_OPTION_CLAUSE = re.compile(r"[:;\n?]\s*|\s[-\u2013\u2014]\s")
_PROMPT = re.compile(r"[-\s.*<(\[]*(please )?(select|choose|pick)\b.*", re.IGNORECASE | re.DOTALL)
_DAY_FIRST = re.compile(r"\b(dd?|day|tt|jj)\W+(mm?|month|of|monat|mois)\b", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"\b(mm?|month)\W+(dd?|day)\b", re.IGNORECASE)
_SHORT_YEAR: Final = 6
_LONG_YEAR: Final = 8


class Silence(Enum):
    """What a field says without a value."""

    BLANK = "blank"
    """The field is there, and empty."""
    UNCLEAR = "unclear"
    """The field answers something else than the leaf asks, or nothing that can be read as its value."""
    STALE = "stale"
    """The field holds something else than the page shows."""


Answered = Parsed | Silence


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the fields of one document.

    Attributes:
        pages: what is printed on the pages that have fields, by number.
        conventions: how the document writes numbers and dates.
        number: counts the words that are made of values; their order in the document.
    """

    pages: dict[int, PrintedPage]
    conventions: Conventions
    number: Iterator[int]

    def text(self, leaf: Leaf, field: FormField, hint: str = "") -> Answered:
        """What a text field or a choice says; ``hint`` may say how it wants a date written."""
        if not field.is_filled or _is_prompt(field):
            return self._blank(field)
        conventions = self._conventions(leaf, hint)
        for candidates in (field.displays, field.values):
            found = self._parsed(leaf, field, candidates, conventions)
            if found is Silence.BLANK:
                return found
            if isinstance(found, Parsed):
                return found if self._is_shown(leaf, field, found, conventions) else Silence.STALE
        return Silence.UNCLEAR

    def mark(self, leaf: Leaf, field: FormField) -> Answered:
        """Whether a check box is marked."""
        if field.contradicts:
            return Silence.STALE
        widget = field.widgets[0]
        if not widget.marked and any(self._is_written_on(each) for each in field.widgets):
            return Silence.STALE
        mark = _CHECKED if widget.marked else _UNCHECKED
        return parse(leaf, self._words([mark], widget), self.conventions) or Silence.UNCLEAR

    def chosen(self, leaf: Leaf, boxes: Sequence[tuple[FormField, Widget]]) -> Answered:
        """What the marked ones of several boxes stand for."""
        if any(field.contradicts for field, _ in boxes):
            return Silence.STALE
        marked = [(field, widget) for field, widget in boxes if widget.marked]
        if not marked:
            return Silence.STALE if any(self._is_written_on(widget) for _, widget in boxes) else Silence.BLANK
        if leaf.comparator is Comparator.LIST:
            return self._list(leaf, marked)
        if len({self._options(field, widget)[:1] for field, widget in marked}) > 1:
            return Silence.UNCLEAR
        return self._option(leaf, *marked[0])

    def option(self, leaf: Leaf, field: FormField, widget: Widget) -> Answered:
        """What a box would say if it alone were marked."""
        return self._option(leaf, field, widget)

    def _option(self, leaf: Leaf, field: FormField, widget: Widget) -> Answered:
        """The first thing that a box stands for and the leaf may hold; unclear when two of them differ."""
        read = [
            parse(leaf, self._words(text.split(), widget), self.conventions) for text in self._options(field, widget)
        ]
        found = [parsed for parsed in read if parsed is not None]
        if not found or (leaf.enum and len({parsed.key for parsed in found}) > 1):
            return Silence.UNCLEAR
        return found[0]

    def _options(self, field: FormField, widget: Widget) -> tuple[str, ...]:
        """What a box may stand for, as a person would say it: as printed, as its tooltip says, as the file says."""
        printed = self.pages[widget.page].labels(widget).texts(Side.BESIDE)[:1]
        clauses = [clause for clause in _OPTION_CLAUSE.split(widget.tip) if clause.strip()]
        tip = clauses[-1:] if len(clauses) > 1 or widget.tip != field.tip else []
        named = [] if _NO_OPTION.fullmatch(widget.option) and (printed or tip) else [widget.option]
        return tuple(text.strip() for text in (*printed, *tip, *named) if text.strip())

    def _list(self, leaf: Leaf, marked: Sequence[tuple[FormField, Widget]]) -> Answered:
        texts = []
        for field, widget in marked:
            options = self._options(field, widget)
            if not options:
                return Silence.UNCLEAR
            texts.append((options[0], widget))
        words = [word for text, widget in texts for word in self._words(text.split(), widget)]
        return _as_list(leaf, [text for text, _ in texts], words)

    def _parsed(
        self, leaf: Leaf, field: FormField, texts: Sequence[str], conventions: Conventions
    ) -> Parsed | Silence | None:
        widget = field.widgets[0]
        if leaf.comparator is Comparator.LIST and len(texts) > 1:
            words = self._words([token for text in texts for token in text.split()], widget)
            found = _as_list(leaf, list(texts), words)
            return found if isinstance(found, Parsed) else None
        text = " ".join(" ".join(texts).split())
        if isinstance(canonical(leaf, text), Null):
            return Silence.BLANK
        for variant in (text, *_with_signs(leaf, field, text, conventions)):
            parsed = parse(leaf, self._words(variant.split(), widget), conventions)
            if parsed is not None and not _lacks_digit(leaf, parsed):
                return parsed
        return None

    def _blank(self, field: FormField) -> Silence:
        is_written = any(self._is_written_on(widget) for widget in field.widgets) and not _is_prompt(field)
        return Silence.STALE if is_written else Silence.BLANK

    def _is_written_on(self, widget: Widget) -> bool:
        """Whether an empty widget shows something: letters, digits or a mark."""
        words = [word.text for word in self.pages[widget.page].inside(widget)]
        written = " ".join([widget.shown or "", *(word for word in words if checkbox(word) is not False)])
        return any(character.isalnum() or checkbox(character) is True for character in written)

    def _is_shown(self, leaf: Leaf, field: FormField, parsed: Parsed, conventions: Conventions) -> bool:
        """Whether every widget of a filled field shows its value."""
        held = {_squeezed(" ".join(texts)) for texts in (field.displays, field.values)}
        for widget in field.widgets:
            if widget.shown is None:
                continue
            texts = (widget.shown, join(self.pages[widget.page].inside(widget)))
            if not any(self._says_same(leaf, text, held, parsed, widget, conventions) for text in texts):
                return False
        return True

    def _says_same(
        self, leaf: Leaf, text: str, held: set[str], parsed: Parsed, widget: Widget, conventions: Conventions
    ) -> bool:
        shown = _squeezed(text)
        if shown in held:
            return True
        if len(shown) >= _LONG_TEXT and any(shown in whole for whole in held):
            return True
        read = parse(leaf, self._words(text.split(), widget), conventions) if shown else None
        return read is not None and read.key == parsed.key

    def _conventions(self, leaf: Leaf, hint: str) -> Conventions:
        if leaf.rule.date_order is not None:
            return replace(self.conventions, date_order=leaf.rule.date_order)
        if _DAY_FIRST.search(hint):
            return replace(self.conventions, date_order=DateOrder.DMY)
        if _MONTH_FIRST.search(hint):
            return replace(self.conventions, date_order=DateOrder.MDY)
        return self.conventions

    def _words(self, tokens: Iterable[str], widget: Widget) -> tuple[Word, ...]:
        """Words that stand in the rectangle of a widget."""
        box, width, height = widget.box, widget.width, widget.height
        place = (box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height)
        return tuple(Word(token, *place, box, "", widget.page, next(self.number)) for token in tokens)


def can_answer(leaf: Leaf, field: FormField) -> bool:
    """Whether a field of this kind may hold the value of a leaf: a lone check box says yes or no only."""
    return field.kind is not FieldKind.CHECK or leaf.comparator is Comparator.BOOLEAN


def _lacks_digit(leaf: Leaf, parsed: Parsed) -> bool:
    """Whether what is called a number or code has no digit: then another field stands there."""
    is_free = is_text(leaf) and not leaf.enum and isinstance(parsed.value, str)
    return is_free and is_number_like(leaf) and not any(map(str.isdecimal, str(parsed.value)))


def _is_prompt(field: FormField) -> bool:
    """Whether a choice shows that nothing is chosen."""
    if field.kind is not FieldKind.CHOICE:
        return False
    return all(_PROMPT.fullmatch(text) or not any(map(str.isalnum, text)) for text in field.displays)


def _as_list(leaf: Leaf, items: Json, words: Sequence[Word]) -> Answered:
    reading = canonical(leaf, items)
    return Parsed(reading.surface, reading.key, tuple(words)) if isinstance(reading, Value) else Silence.UNCLEAR


def _with_signs(leaf: Leaf, field: FormField, text: str, conventions: Conventions) -> Iterator[str]:
    """A date that was written into compartments, with the signs that the paper has for the writer."""
    bare = "".join(text.split())
    order = conventions.date_order
    if leaf.comparator is not Comparator.DATE or not field.comb or not bare.isdecimal() or order is None:
        return
    if len(bare) in {_SHORT_YEAR, _LONG_YEAR} and order is not DateOrder.YMD:
        yield f"{bare[:2]}/{bare[2:4]}/{bare[4:]}"


def _squeezed(text: str) -> str:
    """Letters, digits and the signs of numbers: white space and case are the drawing's own."""
    return "".join(character for character in text if character.isalnum() or character in "-.").casefold()
