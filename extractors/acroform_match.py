"""Which field answers which leaf: each must be the best for the other, and what ties must agree.

A subject is whatever may answer a leaf: a field, or several boxes of which one is marked. It is heard in three ways,
by tooltip, by name and by print; the first that names a leaf clearly counts, and the others support or contradict it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from extractors.acroform_fields import FormField, Widget
from extractors.acroform_names import LeafNames
from extractors.acroform_printed import PrintedPage
from extractors.acroform_values import Answered, Silence
from extractors.labels import SchemaNames, tokens_of
from extractors.typed import Parsed
from groundtruth.path import Path
from groundtruth.schema import Leaf, Record

CLEAR: Final = 0.8
"""How well a source must fit some leaf to be heard before the next source."""
_CERTAIN: Final = 0.9
"""How well two sources must fit different leaves to contradict each other."""
_ENOUGH: Final = 0.7
"""How well a source must fit a leaf to be believed alone."""
_SUPPORTED: Final = 1.2
"""What it must come to with what supports it otherwise."""
_UNDER_HEADING: Final = 0.5

_NUMBERING = re.compile(r"^\W*((section|part|step|teil)\b\W*)?(\d{1,2}|[a-z]|[ivx]{1,4})[.):\s]\s*", re.IGNORECASE)

Fits = dict[Path, float]


def _anything(_: Leaf) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that may answer a leaf.

    Attributes:
        fields: the fields it is made of.
        widget: where it begins.
        read: its answer to a leaf.
        tips: what its tooltip says.
        names: its name in the file, or the part that its fields share.
        printed: what is printed at it, the likelier places first.
        may_answer: whether it is of the right kind for a leaf.
        leaf: the leaf that it was put together for, or None.
    """

    fields: tuple[FormField, ...]
    widget: Widget
    read: Callable[[Leaf], Answered]
    tips: tuple[str, ...] = ()
    names: tuple[tuple[str, ...], ...] = ()
    printed: tuple[tuple[str, ...], ...] = ()
    may_answer: Callable[[Leaf], bool] = _anything
    leaf: Path | None = None


class _Wish(NamedTuple):
    """How well a subject fits the leaf that it fits best: by what is heard first, then by what supports it."""

    fit: float
    support: float
    path: Path
    subject: Subject

    @property
    def rank(self) -> tuple[float, float]:
        """What decides between two."""
        return self.fit, self.support


@dataclass(slots=True)
class Matched:
    """What the fields say of the leaves outside arrays."""

    values: dict[Path, Parsed] = field(default_factory=dict)
    blank: set[Path] = field(default_factory=set)
    stale: set[Path] = field(default_factory=set)
    undecided: set[Path] = field(default_factory=set)


def match(subjects: Iterable[Subject], names: LeafNames, headings: Headings) -> Matched:
    """The answers of subjects to leaves."""
    wishes: dict[Path, list[_Wish]] = {}
    for subject in subjects:
        wish = _wish(subject, names, headings)
        if wish is not None:
            wishes.setdefault(wish.path, []).append(wish)
    found = Matched()
    for path, wishing in wishes.items():
        _settle(found, names.leaves[path], wishing)
    return found


def _wish(subject: Subject, names: LeafNames, headings: Headings) -> _Wish | None:
    """The leaf that a subject fits best; None when two fit it alike, or when what it is called contradicts itself."""
    if subject.leaf is not None:
        return _Wish(_CERTAIN, 0.0, subject.leaf, subject)
    by_tip, by_name, by_print = heard = (
        _allowed(subject, names, _best(names.fits(text) for text in subject.tips)),
        _allowed(subject, names, _best(names.fits_name(parts) for parts in subject.names)),
        _by_print(subject, names),
    )
    if _contradict(by_tip, by_name):
        if not by_print or _contradict(by_name, by_print):
            return None
        # A tooltip that was copied from another field, as they often are: the two others agree.
        heard = ({}, by_name, by_print)
    speaking = _first_clear(heard)
    under = headings.over(subject.widget)
    ranked = []
    for path, fit in speaking.items():
        support = sum(fits.get(path, 0.0) for fits in heard) - fit + _under(under, path)
        ranked.append(_Wish(round(fit, 6), round(support, 6), path, subject))
    ranked.sort(key=lambda wish: wish.rank, reverse=True)
    if not ranked or (len(ranked) > 1 and ranked[0].rank == ranked[1].rank):
        return None
    best = ranked[0]
    return best if best.fit >= _ENOUGH or best.fit + best.support >= _SUPPORTED else None


def _first_clear(heard: Sequence[Fits]) -> Fits:
    """The first source that names a leaf clearly, in what those before it name faintly; without one the first."""
    faint: Fits | None = None
    for fits in filter(None, heard):
        shared = fits if faint is None else {path: fit for path, fit in fits.items() if path in faint}
        if max(shared.values(), default=0.0) >= CLEAR:
            return shared
        faint = fits if faint is None else faint
    return faint or {}


def _by_print(subject: Subject, names: LeafNames) -> Fits:
    """What the likeliest place where print names a leaf names."""
    heard = (_allowed(subject, names, _best(map(names.fits, texts))) for texts in subject.printed)
    return next(filter(None, heard), {})


def _allowed(subject: Subject, names: LeafNames, fits: Fits) -> Fits:
    return {path: fit for path, fit in fits.items() if subject.may_answer(names.leaves[path])}


def _best(found: Iterable[Mapping[Path, float]]) -> Fits:
    best: Fits = {}
    for fits in found:
        for path, fit in fits.items():
            best[path] = max(best.get(path, 0.0), fit)
    return best


def _contradict(first: Fits, second: Fits) -> bool:
    """Whether both name leaves for certain, and none is the same."""
    certain = [{path for path, fit in fits.items() if fit >= _CERTAIN} for fits in (first, second)]
    return all(certain) and not certain[0] & certain[1]


def _under(heading: Path | None, leaf: Path) -> float:
    if heading is None:
        return 0.0
    return _UNDER_HEADING if leaf[: len(heading)] == heading else -_UNDER_HEADING


def _settle(found: Matched, leaf: Leaf, wishing: Sequence[_Wish]) -> None:
    best = max(wish.rank for wish in wishing)
    answers = [wish.subject.read(leaf) for wish in wishing if wish.rank == best]
    said = {answer.key if isinstance(answer, Parsed) else answer for answer in answers}
    if len(said) > 1:
        found.undecided.add(leaf.path)
        return
    match answers[0]:
        case Parsed() as parsed:
            found.values[leaf.path] = parsed
        case Silence.BLANK:
            found.blank.add(leaf.path)
        case Silence.STALE:
            found.stale.add(leaf.path)
        case _:
            found.undecided.add(leaf.path)


class Headings:
    """Where the names of records are printed as headings; a heading holds until the next one on its page."""

    def __init__(self, root: Record, names: SchemaNames, pages: Iterable[PrintedPage]) -> None:
        self._over: dict[int, list[tuple[float, Path]]] = {}
        named = names.of_records(root)
        self._pages = {page.number: page for page in pages}
        for page in self._pages.values():
            self._over[page.number] = sorted(
                (run.place.y1, path)
                for run in page.runs
                for path in [named.get(tokens_of(_NUMBERING.sub("", run.text))) or named.get(tokens_of(run.text))]
                if path is not None
            )

    def over(self, widget: Widget) -> Path | None:
        """The record whose heading is the nearest one over a widget, or None."""
        top = self._pages[widget.page].extent(widget).y0
        above = [path for y1, path in self._over[widget.page] if y1 <= top]
        return above[-1] if above else None
