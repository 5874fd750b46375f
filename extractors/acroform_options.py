"""The subjects of a form: every field by itself, and check boxes that are options of one question.

Boxes are options when what they are called begins with the name of one leaf and goes on with an option
("T-shirt size: XL", ``size_xl``), or when one printed question stands before them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from extractors.acroform_fields import FieldKind, FormField, Widget
from extractors.acroform_match import Subject
from extractors.acroform_names import LeafNames, part_tokens
from extractors.acroform_printed import Labels, PrintedPage, Side
from extractors.acroform_values import Answered, Reader, can_answer
from extractors.typed import Parsed
from groundtruth.path import Path
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf

_SURE: Final = 0.9
_ROW_GAP: Final = 2.5
"""Rows of boxes for one question are at most so many heights of a box apart."""
_ALIGNED: Final = 3.0
"""Points."""
_LONGEST_BEGINNING: Final = 16
"""In words."""

_CLAUSE_END = re.compile(r"[:;?\n]|\s[-\u2013\u2014]\s")

Box = tuple[FormField, Widget]


def subjects(
    fields: Sequence[FormField], pages: Mapping[int, PrintedPage], names: LeafNames, reader: Reader
) -> list[Subject]:
    """Everything on the form that may answer a leaf; a box that is an option is no subject of its own."""
    checks = [field for field in fields if field.kind is FieldKind.CHECK]
    grouped = list(_called_alike(checks, names, reader))
    taken = {id(field) for subject in grouped for field in subject.fields}
    free = [field for field in checks if id(field) not in taken]
    grouped += _asked_together(free, pages, names, reader)
    taken |= {id(field) for subject in grouped for field in subject.fields}
    alone = [_alone(field, pages, reader) for field in fields if id(field) not in taken]
    return [*grouped, *alone]


def field_answer(reader: Reader, field: FormField, leaf: Leaf) -> Answered:
    """What one field says of a leaf."""
    if field.kind is FieldKind.CHECK:
        return reader.mark(leaf, field)
    if field.kind is FieldKind.OPTIONS:
        return reader.chosen(leaf, [(field, widget) for widget in field.widgets])
    return reader.text(leaf, field, field.tip)


def _alone(field: FormField, pages: Mapping[int, PrintedPage], reader: Reader) -> Subject:
    first = field.widgets[0]
    page = pages[first.page]
    if field.kind is FieldKind.OPTIONS:
        labels = page.around([widget for widget in field.widgets if widget.page == first.page])
    else:
        labels = page.labels(first)
    return Subject(
        fields=(field,),
        widget=first,
        tips=(field.tip,) if field.tip else (),
        names=(field.name,),
        printed=_printed(field, labels),
        read=partial(field_answer, reader, field),
        may_answer=partial(_may_answer, field),
    )


def _printed(field: FormField, labels: Labels) -> tuple[tuple[str, ...], ...]:
    """What is printed at a field, the likelier places first; what stands over a box with a label is not its own."""
    beside = labels.texts(Side.BESIDE)
    if field.kind is FieldKind.CHECK and beside:
        return (beside,)
    return labels.texts(Side.BESIDE, Side.ABOVE), labels.texts(Side.BELOW)


def _may_answer(field: FormField, leaf: Leaf) -> bool:
    return can_answer(leaf, field)


def _called_alike(checks: Iterable[FormField], names: LeafNames, reader: Reader) -> Iterator[Subject]:
    """Boxes whose tooltips, or whose names, begin with the name of one leaf."""
    by_leaf: dict[Path, list[FormField]] = {}
    for field in checks:
        fits = _best_beginning(_beginnings_of_tip(field.tip, names)) or _best_beginning(
            _beginnings_of_name(field, names)
        )
        if fits is not None:
            by_leaf.setdefault(fits, []).append(field)
    for path, found in by_leaf.items():
        leaf = names.leaves[path]
        boxes = [(field, widget) for field in found for widget in field.widgets[:1]]
        if _are_options(leaf, boxes, reader):
            yield _group(boxes, path, reader)


def _best_beginning(found: Iterator[Mapping[Path, float]]) -> Path | None:
    """The one leaf that the longest beginning fits; None when it fits several, or none does."""
    for fits in found:
        best = [path for path, fit in fits.items() if fit >= _SURE]
        if best:
            return best[0] if len(best) == 1 else None
    return None


def _beginnings_of_tip(tip: str, names: LeafNames) -> Iterator[Mapping[Path, float]]:
    for match in reversed(list(_CLAUSE_END.finditer(tip))):
        if tip[match.end() :].strip():
            yield names.fits(tip[: match.start()])


def _beginnings_of_name(field: FormField, names: LeafNames) -> Iterator[Mapping[Path, float]]:
    tokens = tuple(token for part in field.name for token in part_tokens(part))
    for length in range(min(len(tokens) - 1, _LONGEST_BEGINNING), 0, -1):
        yield names.fits_tokens(tokens[:length])


def _are_options(leaf: Leaf, boxes: Sequence[Box], reader: Reader) -> bool:
    """Whether boxes can be the options of a leaf: two answers or members that differ, or any texts for a list."""
    if len(boxes) < 2 or len({id(field) for field, _ in boxes}) < 2:
        return False
    if leaf.comparator is Comparator.LIST:
        return True
    keys = [answer.key for box in boxes if isinstance(answer := reader.option(leaf, *box), Parsed)]
    if leaf.comparator is Comparator.BOOLEAN:
        return len(boxes) == len(keys) == len(set(keys)) == 2
    return len(keys) >= 2 and len(set(keys)) == len(keys)


def _asked_together(
    checks: Sequence[FormField], pages: Mapping[int, PrintedPage], names: LeafNames, reader: Reader
) -> Iterator[Subject]:
    """Boxes before which one question is printed that is the name of a leaf."""
    for page in pages.values():
        boxes = [
            (field, widget)
            for field in checks
            for widget in field.widgets
            if widget.page == page.number and len(field.widgets) == 1
        ]
        for group in _clusters(boxes, page, names):
            printed = page.around([widget for _, widget in group]).texts(*Side)
            fits = {path for text in printed for path, fit in names.fits(text).items() if fit >= _SURE}
            options = [path for path in fits if _are_options(names.leaves[path], group, reader)]
            if len(options) == 1:
                yield _group(group, options[0], reader)


def _clusters(boxes: Sequence[Box], page: PrintedPage, names: LeafNames) -> list[list[Box]]:
    """Boxes by line, and lines under one another together, unless a question of its own stands before a line."""
    lines: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: (round(page.extent(box[1]).y0), page.extent(box[1]).x0)):
        place = page.extent(box[1])
        line = next((line for line in lines if abs(page.extent(line[0][1]).y0 - place.y0) < _ALIGNED), None)
        if line is None:
            lines.append([box])
        else:
            line.append(box)
    clusters: list[list[Box]] = []
    for line in lines:
        is_asked = any(names.fits(text) for text in page.around([widget for _, widget in line]).texts(Side.BESIDE))
        if clusters and not is_asked and _continues(clusters[-1], line, page):
            clusters[-1] += line
        else:
            clusters.append(list(line))
    return clusters


def _continues(cluster: Sequence[Box], line: Sequence[Box], page: PrintedPage) -> bool:
    last, first = page.extent(cluster[-1][1]), page.extent(line[0][1])
    starts = {round(page.extent(widget).x0) for _, widget in cluster}
    is_near = 0 <= first.y0 - last.y1 <= _ROW_GAP * (first.y1 - first.y0)
    return is_near and any(abs(first.x0 - start) < _ALIGNED for start in starts)


def _group(boxes: Sequence[Box], path: Path, reader: Reader) -> Subject:
    return Subject(
        fields=tuple(field for field, _ in boxes),
        widget=boxes[0][1],
        read=partial(_chosen, reader, tuple(boxes)),
        leaf=path,
    )


def _chosen(reader: Reader, boxes: Sequence[Box], leaf: Leaf) -> Answered:
    return reader.chosen(leaf, boxes)
