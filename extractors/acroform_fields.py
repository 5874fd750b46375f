"""The form fields of a PDF as its pages show them, read with pypdf: name, tooltip, value, and where each widget stands.

A field is taken by its widgets, so that what no page shows is no field here. Push buttons, signatures and passwords
are left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, PyPdfError
from pypdf.generic import ArrayObject, DictionaryObject, StreamObject

from groundtruth.box import Box
from groundtruth.errors import BrokenDocument, EncryptedDocument

_DEEPEST: Final = 32
_LONGEST_NAME: Final = 200
_LONGEST_TIP: Final = 500
"""In characters; what is longer is cut, since only a damaged file or a text for reading aloud is."""
_OFF: Final = "Off"

_HIDDEN: Final = 1 << 1
_NO_VIEW: Final = 1 << 5

_PASSWORD: Final = 1 << 13
_RADIO: Final = 1 << 15
_PUSH: Final = 1 << 16
_COMBO: Final = 1 << 17
_COMB: Final = 1 << 24

# What a damaged file may raise out of pypdf, besides its own errors.
_DAMAGE: Final = (PyPdfError, ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError)


class FieldKind(StrEnum):
    """What a person does with a field."""

    TEXT = "text"
    CHOICE = "choice"
    CHECK = "check"
    OPTIONS = "options"
    """One of several boxes or radio buttons under one name."""


@dataclass(frozen=True, slots=True)
class Widget:
    """One place where a field is shown.

    Attributes:
        page: from 1.
        box: in the frame of the page as displayed.
        width: of that page in points, as displayed.
        height: of that page in points.
        tip: its own tooltip, or "".
        option: of a box or radio button, what it stands for when it is marked, as the file says; "" otherwise.
        marked: of a box or radio button, whether it is drawn as marked.
        shown: the text of its appearance; None when the file has none to go by, so that a viewer draws the value.
    """

    page: int
    box: Box
    width: float
    height: float
    tip: str = ""
    option: str = ""
    marked: bool = False
    shown: str | None = None


@dataclass(frozen=True, slots=True)
class FormField:
    """One field.

    Attributes:
        name: its full name, from the outermost part to its own.
        tip: its tooltip, or "".
        kind: what it is.
        values: its value as the file has it; for options, what the marked one stands for. () when it is empty.
        displays: the same as a person sees it; differs from ``values`` for choices only.
        comb: whether it has a compartment for every character.
        widgets: where it is shown, at least once, in the order of the pages.
        contradicts: whether its value and the marks that are drawn disagree.
    """

    name: tuple[str, ...]
    tip: str
    kind: FieldKind
    values: tuple[str, ...]
    displays: tuple[str, ...]
    comb: bool
    widgets: tuple[Widget, ...]
    contradicts: bool = False

    @property
    def is_filled(self) -> bool:
        """Whether a person or a program put anything into it."""
        return any(map(str.strip, self.values))


@dataclass(frozen=True, slots=True)
class Form:
    """The fields in reading order, those that no page shows left out, and what kind of form else it is.

    Attributes:
        fields: in the order of pages, from top to bottom, from left to right.
        hidden: how many fields with a value no page shows.
        has_xfa: whether the file also, or only, describes the form in XFA.
        page_count: how many pages the file has.
    """

    fields: tuple[FormField, ...]
    hidden: int = 0
    has_xfa: bool = False
    page_count: int = 0


def read_form(file: Path, skip: Collection[int] = ()) -> Form:
    """The form of a PDF; widgets on pages of ``skip`` are not there.

    Raises:
        EncryptedDocument: a password is needed.
        BrokenDocument: pypdf cannot read it.
    """
    try:
        with file.open("rb") as stream:
            reader = PdfReader(stream)
            if reader.is_encrypted and not reader.decrypt(""):
                raise EncryptedDocument(f"{file}: needs a password; save a copy without one")
            return _read(reader, skip)
    except DependencyError as error:
        raise EncryptedDocument(f"{file}: is encrypted in a way that cannot be read here: {error}") from error
    except _DAMAGE as error:
        raise BrokenDocument(f"{file}: its form cannot be read: {type(error).__name__}: {error}") from error


def _read(reader: PdfReader, skip: Collection[int]) -> Form:
    form = _dictionary(reader.root_object.get("/AcroForm"))
    drawn_by_viewer = bool(_plain(form.get("/NeedAppearances")))
    grouped: dict[tuple[str, ...], list[tuple[_Chain, Widget | None]]] = {}
    for number, page in enumerate(reader.pages, start=1):
        if number in skip:
            continue
        frame = _Frame(page)
        for annotation in _widgets(page):
            chain = _Chain(annotation)
            if chain.kind is not None:
                widget = _widget(chain, number, page, frame, drawn_by_viewer=drawn_by_viewer)
                grouped.setdefault(chain.name, []).append((chain, widget))
    fields = [_field(name, found) for name, found in grouped.items()]
    shown = [field for field in fields if field.widgets]
    return Form(
        fields=tuple(sorted(shown, key=_reading_order)),
        hidden=sum(field.is_filled for field in fields if not field.widgets),
        has_xfa="/XFA" in form,
        page_count=len(reader.pages),
    )


def _reading_order(field: FormField) -> tuple[int, float, float, tuple[str, ...]]:
    first = field.widgets[0]
    return first.page, first.box.y0, first.box.x0, field.name


def _widgets(page: PageObject) -> Iterator[DictionaryObject]:
    for entry in _array(page.get("/Annots")):
        annotation = _dictionary(entry)
        if annotation.get("/Subtype") == "/Widget":
            yield annotation


class _Chain:
    """A widget with the fields above it, from which it inherits."""

    def __init__(self, annotation: DictionaryObject) -> None:
        self.widget = annotation
        self.links = [annotation]
        while "/Parent" in self.links[-1]:
            if len(self.links) == _DEEPEST:
                raise BrokenDocument(f"a form field lies in more than {_DEEPEST} others, or in itself")
            self.links.append(_dictionary(self.links[-1]["/Parent"]))
        parts = [_text(link["/T"]) for link in reversed(self.links) if "/T" in link]
        self.name = tuple(step for part in parts for step in part[:_LONGEST_NAME].split(".") if step)
        flags = _plain(self.inherited("/Ff"))
        self.flags = flags if isinstance(flags, int) else 0
        self.kind = self._kind()

    def inherited(self, key: str) -> Any:
        """What the widget or the nearest field above it holds."""
        return next((_resolved(link[key]) for link in self.links if key in link), None)

    @property
    def tip(self) -> str:
        """The tooltip of the field, which its widgets do not inherit."""
        named = next((link for link in self.links if "/T" in link), self.widget)
        return _text(named.get("/TU", ""))[:_LONGEST_TIP]

    def _kind(self) -> FieldKind | None:
        match self.inherited("/FT"):
            case "/Tx" if not self.flags & _PASSWORD:
                return FieldKind.TEXT
            case "/Ch":
                return FieldKind.CHOICE
            case "/Btn" if self.flags & _RADIO:
                return FieldKind.OPTIONS
            case "/Btn" if not self.flags & _PUSH:
                return FieldKind.CHECK
        return None


def _field(name: tuple[str, ...], found: Sequence[tuple[_Chain, Widget | None]]) -> FormField:
    chain = found[0][0]
    widgets = tuple(widget for _, widget in found if widget is not None)
    kind = chain.kind or FieldKind.TEXT
    values = _values(chain.inherited("/V"))
    if kind in {FieldKind.CHECK, FieldKind.OPTIONS}:
        options = {_state(one.widget): _option(one) for one, _ in found}
        if len(options) > 1:
            kind = FieldKind.OPTIONS
        values = tuple(options.get(value, value) for value in values if value != _OFF)
        displays, contradicts = values, _contradicts(values, widgets)
    else:
        labels = _choices(chain.inherited("/Opt")) if kind is FieldKind.CHOICE else {}
        displays, contradicts = tuple(labels.get(value, value) for value in values), False
    return FormField(name, chain.tip, kind, values, displays, bool(chain.flags & _COMB), widgets, contradicts)


def _contradicts(values: Collection[str], widgets: Sequence[Widget]) -> bool:
    """Whether another box is drawn as marked than the value says; options that share a name are marked together."""
    return any(widget.marked != (widget.option in values) for widget in widgets)


def _values(raw: Any) -> tuple[str, ...]:
    found = [_text(item) for item in raw] if isinstance(raw, ArrayObject) else [_text(raw)]
    return tuple(text for text in found if text)


def _choices(raw: Any) -> Mapping[str, str]:
    """What is shown for each value of a choice."""
    found = {}
    for entry in _array(raw):
        pair = _resolved(entry)
        if isinstance(pair, ArrayObject) and len(pair) == 2:
            found[_text(pair[0])] = _text(pair[1])
    return found


def _state(widget: DictionaryObject) -> str:
    """The name of the drawing that shows a box as marked; "" when it has none."""
    normal = _dictionary(_dictionary(widget.get("/AP")).get("/N"))
    if not isinstance(normal, StreamObject):
        names = [_text(name) for name in normal]
        marked = [name for name in names if name != _OFF]
        if marked:
            return marked[0]
    return "" if (state := _text(widget.get("/AS", ""))) == _OFF else state


def _option(chain: _Chain) -> str:
    """What a box stands for: the name of its drawing, or the entry of the field's list that this name counts."""
    state, listed = _state(chain.widget), _array(chain.inherited("/Opt"))
    if state.isdecimal() and int(state) < len(listed):
        return _text(listed[int(state)])
    return state


def _widget(chain: _Chain, number: int, page: PageObject, frame: _Frame, *, drawn_by_viewer: bool) -> Widget | None:
    """The widget, or None when it is hidden or off the page."""
    annotation = chain.widget
    flags = _plain(annotation.get("/F", 0))
    if isinstance(flags, int) and flags & (_HIDDEN | _NO_VIEW):
        return None
    box = frame.box([float(edge) for edge in _array(annotation.get("/Rect"))])
    if box is None:
        return None
    tip = _text(annotation.get("/TU", ""))[:_LONGEST_TIP]
    if chain.kind in {FieldKind.CHECK, FieldKind.OPTIONS}:
        return Widget(number, box, frame.width, frame.height, tip, _option(chain), _is_marked(chain))
    is_list = chain.kind is FieldKind.CHOICE and not chain.flags & _COMBO
    shown = None if drawn_by_viewer or is_list else _appearance(annotation, page)
    return Widget(number, box, frame.width, frame.height, tip, shown=shown)


def _is_marked(chain: _Chain) -> bool:
    state = chain.widget.get("/AS")
    if state is not None:
        return _text(state) != _OFF
    return bool(_state(chain.widget)) and _state(chain.widget) in _values(chain.inherited("/V"))


def _appearance(annotation: DictionaryObject, page: PageObject) -> str | None:
    """The text that the widget's drawing prints; None when it has no drawing, or one that names no font."""
    normal = _dictionary(_dictionary(annotation.get("/AP")).get("/N"))
    if not isinstance(normal, StreamObject):
        return None
    if b"T" in normal.get_data() and "/Font" not in _dictionary(normal.get("/Resources")):
        return None if any(shows in normal.get_data() for shows in (b"Tj", b"TJ")) else ""
    try:
        return page.extract_xform_text(normal)  # type: ignore[arg-type]
    except _DAMAGE:
        return None


class _Frame:
    """From a page's own coordinates to the page as displayed."""

    def __init__(self, page: PageObject) -> None:
        media, crop = page.mediabox, page.cropbox
        self._left, self._bottom = max(media.left, crop.left), max(media.bottom, crop.bottom)
        self._right, self._top = min(media.right, crop.right), min(media.top, crop.top)
        self._rotation = page.rotation % 360
        size = float(self._right - self._left), float(self._top - self._bottom)
        self.width, self.height = size if self._rotation % 180 == 0 else size[::-1]

    def box(self, corners: Sequence[float]) -> Box | None:
        """The box of a rectangle ``[x, y, x, y]``, cut to the page; None when nothing of it is there."""
        if len(corners) != 4 or self.width <= 0 or self.height <= 0:
            return None
        turned = [self._turned(x, y) for x, y in itertools.product(corners[::2], corners[1::2])]
        xs, ys = [x / self.width for x, _ in turned], [y / self.height for _, y in turned]
        x0, x1, y0, y1 = max(0.0, min(xs)), min(1.0, max(xs)), max(0.0, min(ys)), min(1.0, max(ys))
        return Box(x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None

    def _turned(self, x: float, y: float) -> tuple[float, float]:
        left, right, bottom, top = map(float, (self._left, self._right, self._bottom, self._top))
        match self._rotation:
            case 90:
                return y - bottom, x - left
            case 180:
                return right - x, y - bottom
            case 270:
                return top - y, right - x
        return x - left, top - y


def _resolved(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value


def _dictionary(value: Any) -> DictionaryObject:
    found = _resolved(value)
    return found if isinstance(found, DictionaryObject) else DictionaryObject()


def _array(value: Any) -> Sequence[Any]:
    found = _resolved(value)
    return found if isinstance(found, ArrayObject) else ()


def _plain(value: Any) -> Any:
    """A number or truth value without pypdf's wrapping."""
    found = _resolved(value)
    return getattr(found, "value", found)


def _text(value: Any) -> str:
    """A string, a name without its slash, or the text of a stream; "" for anything else."""
    found = _resolved(value)
    if isinstance(found, StreamObject):
        found = found.get_data()
    if isinstance(found, bytes):
        found = found.decode("utf-8", "replace")
    if not isinstance(found, str):
        return ""
    return found.removeprefix("/") if type(found).__name__ == "NameObject" else str(found)
