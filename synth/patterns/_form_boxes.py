"""A paper form under the pen: boxes, combs and tick boxes with their labels, and what somebody wrote into them."""

from __future__ import annotations

from typing import Any, Final

from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json
from synth.book import Book
from synth.content import Content
from synth.display import GREY, WHITE, Colour
from synth.patterns._form_fields import FIELDS, Entry, Field
from synth.patterns._form_pen import Pen
from synth.printed import us_date, whole

LEFT: Final = 36.0
RIGHT: Final = 576.0
PRINT: Final = "sans"
"""The family of the form itself; what is filled in has the content's."""

_FORM: Final[Colour] = (0.2, 0.22, 0.27)
BOX: Final = 35.0
"""How high a box is, in points."""

_LINE: Final = 17.0
"""How far the lines of a choice are apart."""

_LABEL: Final = 6.4
_TICK: Final = 8.5
_PAD: Final = 5.0


class Form:
    """A form that is being filled in, from top to bottom.

    Args:
        book: where it is drawn.
        content: what is filled in, and how.
    """

    def __init__(self, book: Book, content: Content) -> None:
        self.book, self.value, self.aside, self._on = book, content.value, content.aside, content.switches
        self.pen = Pen(book, content)
        self.y = 0.0

    def is_on(self, switch: str) -> bool:
        """Whether a difficulty is on."""
        return switch in self._on

    def print(self, x: float, y: float, text: str, size: float = _LABEL, **more: Any) -> float:
        """Print a text of the form; return its width."""
        return self.book.text(x, y, text, size, font=PRINT, **{"colour": _FORM, **more}).width

    def part(self, letter: str, title: str) -> None:
        """The bar over a part of the form."""
        self.y += 6
        self.book.area(LEFT, self.y, RIGHT - LEFT, 14, fill=_FORM)
        self.print(LEFT + 5, self.y + 10, f"PART {letter}", 8.5, bold=True, colour=WHITE)
        self.print(LEFT + 46, self.y + 10, title, 8.5, bold=True, colour=WHITE)
        self.y += 14

    def row(self, *fields: tuple[str, float], height: float = BOX, right: float = RIGHT) -> None:
        """A row of boxes: fields with their widths in points; the last one takes what is left to ``right``."""
        x = LEFT
        for at, (name, given) in enumerate(fields):
            is_last = at == len(fields) - 1
            width = right - x if is_last else given
            field = FIELDS[name]
            self.book.area(x, self.y, width, height, stroke=_FORM, line=0.6)
            self.print(x + 3, self.y + 8, field.label)
            if field.cells:
                self._comb(name, field, x, width)
            else:
                self._box(name, self.shown(field, self.value[name]), x, width, height, may_run_over=is_last)
            x += width
        self.y += height

    def _box(self, name: str, text: str | None, x: float, width: float, height: float, *, may_run_over: bool) -> None:
        pen, left, room, baseline = self.pen, x + _PAD, width - 2 * _PAD, self.y + height - 7
        old = self.aside.get("struck", {}).get(name)
        if old is not None:
            pen.correct(name, str(old), text, left, self.y + height, room)
        elif text is None:
            self._nothing(name, left, baseline)
        elif height > BOX:
            pen.lines(name, text, left, self.y + 23, room, int((height - 9) // 15), size=pen.size - 1, leading=15.0)
        elif not (may_run_over and "beyond-box" in self._on and pen.run_over(name, text, left, baseline, x + width)):
            pen.fill(name, text, left, baseline, room)

    def choice(self, name: str, columns: int, *, left: float = LEFT, right: float = RIGHT) -> None:
        """The options of a field of which one is ticked; its label is printed above them."""
        field, chosen = FIELDS[name], self.value[name]
        rows = -(-len(field.options) // columns)
        height = max(BOX, _LINE * rows + 12)
        self.book.area(left, self.y, right - left, height, stroke=_FORM, line=0.6)
        self.print(left + 3, self.y + 8, field.label)
        step = (right - left - 8) / columns
        wrong = self.aside.get("unticked", {}).get(name)
        for at, option in enumerate(field.options):
            x = left + 8 + step * (at % columns)
            y = self.y + height - _LINE * (rows - at // columns) + 2
            is_chosen = option == chosen
            self._tick(x, y, name if is_chosen else None, is_ticked=is_chosen, is_taken_back=option == wrong)
            self.print(x + _TICK + 5, y + 7.5, option, 8, leaf=name if is_chosen else None)
        self.y += height

    def beside(self, *choices: tuple[str, int, float, float]) -> None:
        """Choices side by side: each with its number of columns, its left and its right edge."""
        top = self.y
        for name, columns, left, right in choices:
            self.y = top
            self.choice(name, columns, left=left, right=right)

    def tick(self, name: str, x: float, y: float) -> None:
        """A tick box with its label to the right."""
        is_ticked = bool(self.value[name])
        taken_back = name in self.aside.get("unticked", {})
        self._tick(x, y, name, is_ticked=is_ticked, is_taken_back=taken_back and not is_ticked)
        self.print(x + _TICK + 5, y + 7.5, FIELDS[name].label, 8)

    def yes_no(self, name: str, x: float, width: float) -> None:
        """A question with a box for yes and one for no at its end."""
        is_yes = bool(self.value[name])
        self.print(x + 3, self.y + 11, FIELDS[name].label, 7.6)
        wrong = name in self.aside.get("unticked", {})
        for option, left in ((True, x + width - 66), (False, x + width - 32)):
            is_chosen = option is is_yes
            leaf = name if is_chosen else None
            self._tick(left, self.y + 4, leaf, is_ticked=is_chosen, is_taken_back=wrong and not is_chosen)
            self.print(left + _TICK + 4, self.y + 11.5, "Yes" if option else "No", 7.5)

    def _comb(self, name: str, field: Field, x: float, width: float) -> None:
        """A character a cell, in groups."""
        value = self.value[name]
        is_date = field.entry is Entry.DATE
        text = "" if value is None else us_date(value).replace("/", "") if is_date else str(value)
        count = sum(field.cells)
        if len(text) > count:
            raise SynthesisError(f"{name}: {text!r} has {len(text)} characters and the form {count} cells; shorten it")
        gap = 9.0 if len(field.cells) > 1 else 0.0
        cell = min(17.5, (width - 2 * _PAD - gap * (len(field.cells) - 1)) / count)
        left, top, bottom = x + _PAD, self.y + 12, self.y + BOX - 4
        read = us_date(value) if is_date and value is not None else text
        if value is None:
            self._nothing(name, left + 3, bottom - 4)
        baseline, at = bottom - 4.5 - self.pen.stroke().up / 15, 0
        for number, group in enumerate(field.cells):
            if number:
                middle = (top + bottom) / 2
                self.book.rule(left - gap + 2, middle, left - 2, middle, width=0.7, colour=_FORM)
            for _ in range(group):
                self.book.area(left, top, cell, bottom - top, stroke=GREY, line=0.4)
                if at < len(text):
                    self._character(name, text[at], left + cell / 2, baseline, read)
                at, left = at + 1, left + cell
            left += gap

    def _character(self, name: str, character: str, x: float, y: float, read: str) -> None:
        pen = self.pen
        aside = max(-1.2, min(1.2, (pen.stroke().right - 30) / 25)) if pen.is_hand else 0.0
        size = pen.size - 1
        pen.put(name, character, x + aside - pen.wide(character, size, name) / 2, y, size, whole=read)

    def shown(self, field: Field, value: Json) -> str | None:
        """How a value is written; None for null."""
        if value is None:
            return None
        if field.entry is Entry.DATE:
            return us_date(value)
        if field.entry is Entry.COUNT:
            return whole(value)
        return f"{value:,.2f}" if field.entry is Entry.MONEY else str(value)

    def _nothing(self, name: str, x: float, y: float) -> None:
        """What is written in a box for nothing: mostly nothing at all."""
        mark = self.aside.get("nulls", {}).get(name)
        if mark is not None:
            self.pen.put(None, str(mark), x, y, self.pen.size - 1)

    def _tick(self, x: float, y: float, leaf: str | None, *, is_ticked: bool, is_taken_back: bool) -> None:
        book, colour = self.book, self.pen.ink
        book.area(x, y, _TICK, _TICK, stroke=_FORM, line=0.8, leaf=leaf)
        if not (is_ticked or is_taken_back):
            return
        up, side = self.pen.stroke().up / 10, _TICK
        if self.aside.get("mark") == "check":
            book.rule(x + 1.5, y + 4.5, x + 3.6, y + side - 1.2, width=1.2, colour=colour)
            book.rule(x + 3.6, y + side - 1.2, x + side + 1.2, y - 1.4 - up / 2, width=1.2, colour=colour)
        else:
            book.rule(x + 0.6, y + 0.4 - up / 2, x + side - 0.4, y + side - 0.4, width=1.2, colour=colour)
            book.rule(x + 0.6, y + side - 0.3, x + side - 0.2, y + 0.4 + up / 2, width=1.2, colour=colour)
        if is_taken_back:
            for at in range(5):
                book.rule(x - 1, y + 0.8 + 1.7 * at, x + side + 1, y + 1.6 + 1.7 * at, width=1.1, colour=colour)
