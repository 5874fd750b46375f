"""One question as a card: what is asked, the candidates, and the page on which a person looks first."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

from annotation.asked import Asked, Sheet
from annotation.packet import ALL_AS_PROPOSED, ELSEWHERE, NULL, Card, Member, Option
from groundtruth import jsontext
from groundtruth.consensus import Candidate, LeafConsensus, Tier
from groundtruth.decision import votes_hash
from groundtruth.evidence import Evidence, distinct_places
from groundtruth.jsontext import Json
from groundtruth.path import EACH, Path, rows_around, schema_path
from groundtruth.queue import Question, QueueItem
from groundtruth.rules import Comparator
from groundtruth.schema import Leaf

MOST_PAGES: Final = 20
"""A question that goes through a whole document shows so many pages at once; more open slowly."""

_TYPES: Final = {
    Comparator.NUMBER: "number",
    Comparator.INTEGER: "whole number",
    Comparator.CURRENCY: "amount",
    Comparator.DATE: "date",
    Comparator.BOOLEAN: "yes or no",
    Comparator.ENUM: "one of a list",
    Comparator.IDENTIFIER: "identifier",
}


class Placed(NamedTuple):
    """A card with the pages that are shown beside it.

    Attributes:
        card: the question.
        pages: from 1; one, or several when the question goes through the whole document; none of a bulk question.
        asked: the document.
        order: where the question stands in reading order on its pages.
    """

    card: Card
    pages: tuple[int, ...]
    asked: Asked
    order: tuple[float, ...] = ()


class View(NamedTuple):
    """The pages of a question: those shown now, those shown next, and whether nothing is left to show."""

    pages: tuple[int, ...]
    later: tuple[int, ...]
    whole: bool


def view(likely: Iterable[int], page_count: int, seen: Collection[int] = ()) -> View:
    """Choose the pages of a question.

    The likeliest page that nobody turned down is shown alone. When none is left, the whole document is shown, in
    portions of ``MOST_PAGES`` when it is long, and then pages that were turned down are left out.
    """
    left = [page for page in dict.fromkeys(likely) if page <= page_count and page not in seen]
    if left:
        return View((left[0],), tuple(left[1:]), whole=page_count == 1)
    every = range(1, page_count + 1)
    if page_count <= MOST_PAGES:
        return View(tuple(every), (), whole=True)
    unseen = [page for page in every if page not in seen] or list(every)
    return View(tuple(unseen[:MOST_PAGES]), tuple(unseen[MOST_PAGES:]), whole=len(unseen) <= MOST_PAGES)


def leaf_card(sheet: Sheet, path: Path) -> Placed:
    """The question what a leaf holds.

    The answer is chosen beforehand only where the vote is sure and nobody asked before: all systems read the same
    value, or all read none, and there is no reason to doubt it.
    """
    asked, leaf = sheet.asked, sheet.leaves[path]
    field = asked.schema.leaves[leaf.field]
    location = sheet.location(leaf)
    shown = view(_likely_pages(sheet, leaf), asked.page_count, asked.seen.get(path, ()))
    evidence = _on(location.evidence, shown.pages)
    certain = location.certain and bool(evidence)
    options = _options(leaf.candidates)
    preselected = _preselected(leaf, options) if not sheet.was_asked(path) else None
    turned_away = shown.whole or (preselected is not None and certain)
    around = tuple(rows_around(path))
    card = Card(
        key=sheet.leaf_key(leaf),
        question=Question.LEAF,
        document=asked.document,
        path=path,
        field=leaf.field,
        fingerprint=field.fingerprint,
        rows=sheet.links(path),
        title=title_of(field.title, leaf.field),
        description=field.description,
        type_name=type_name(field),
        options=options,
        preselected=preselected,
        evidence=evidence,
        certain=certain,
        reasons=leaf.reasons,
        context=_context(sheet, around[-1], without=path) if around else (),
        notice=asked.notices.get(path, ""),
        settles=asked.settles.get(path, ()),
        later_pages=shown.later,
        votes=votes_hash(leaf.votes),
        prefill=_unreadable(leaf.candidates),
        withheld=(ELSEWHERE,) if turned_away else (),
    )
    return Placed(card, shown.pages, asked, _reading_order(sheet, path, evidence))


def row_card(sheet: Sheet, item: QueueItem) -> Placed:
    """The question whether a row is on the page; the boxes are those of its cells."""
    asked, path = sheet.asked, item.places[0].path
    row = sheet.rows[path]
    array = schema_path(path[:-1])
    table = asked.schema.tables[array]
    shown = view(_pages_of_row(sheet, path), asked.page_count, asked.seen.get(path, ()))
    evidence = _on(sheet.row_places(path), shown.pages)
    card = Card(
        key=sheet.row_key(row),
        question=Question.ROW,
        document=asked.document,
        path=path,
        field=(*array, EACH),
        fingerprint=sheet.row_fingerprint(array),
        rows=sheet.links(path),
        title=title_of(table.title, array),
        description=table.description,
        type_name="row",
        evidence=evidence,
        certain=bool(evidence) and all(sheet.location(cell).certain for cell in _placed_cells(sheet, path)),
        reasons=row.reasons,
        context=_context(sheet, path),
        settles_cells=item.settles,
        follow_up=item.follow_up,
        notice=asked.notices.get(path, ""),
        settles=asked.settles.get(path, ()),
        later_pages=shown.later,
        votes=votes_hash(row.present),
        withheld=(ELSEWHERE,) if shown.whole else (),
    )
    return Placed(card, shown.pages, asked, _reading_order(sheet, path, evidence))


class Proposed(NamedTuple):
    """A leaf of a bulk question, with where a person sees it."""

    sheet: Sheet
    leaf: LeafConsensus
    evidence: tuple[Evidence, ...]


def proposed(sheet: Sheet, path: Path) -> Proposed | None:
    """A leaf as part of a bulk question; None when nobody knows a place where it could be shown.

    A place of another cell will not do: the answer would make it the leaf's evidence.
    """
    leaf = sheet.leaves[path]
    places = sheet.location(leaf).evidence
    own = [place for place in places if place.value is None or place.value == leaf.value] or places
    return Proposed(sheet, leaf, tuple(own[:1])) if own else None


def bulk_card(leaves: Sequence[Proposed]) -> Placed:
    """One question on leaves of one field; each is shown by a picture of its place, so no page is.

    A candidate can be chosen for all of them only when all have the same ones; nothing can be left as proposed when a
    leaf has no proposal.
    """
    sheet, first, _ = leaves[0]
    asked = sheet.asked
    field = asked.schema.leaves[first.field]
    members = tuple(_member(one) for one in leaves)
    shared = len({jsontext.dumps([found.value for found in one.leaf.candidates if found.valid]) for one in leaves}) == 1
    card = Card(
        key=_digest([member.key for member in members]),
        question=Question.BULK,
        document=asked.document,
        path=first.path,
        field=first.field,
        fingerprint=field.fingerprint,
        title=title_of(field.title, first.field),
        description=field.description,
        type_name=type_name(field),
        options=_options(first.candidates) if shared else (),
        certain=all(one.sheet.location(one.leaf).certain for one in leaves),
        reasons=tuple(sorted({reason for one in leaves for reason in one.leaf.reasons})),
        members=members,
        votes=votes_hash({member.key: member.votes for member in members}),
        withheld=() if all(one.leaf.resolved for one in leaves) else (ALL_AS_PROPOSED,),
    )
    return Placed(card, (), asked)


def title_of(title: str, field: Path) -> str:
    """How a field is called: the schema's title, else its name in words."""
    if title:
        return title
    name = next((step for step in reversed(field) if isinstance(step, str)), "")
    words = " ".join(name.replace("_", " ").split())
    return words[:1].upper() + words[1:] or name


def type_name(leaf: Leaf) -> str:
    """What a value of a leaf is, in words."""
    if leaf.comparator is Comparator.LIST:
        return f"list, each {type_name(leaf.item)}" if leaf.item else "list"
    if leaf.comparator is Comparator.UNION:
        return " or ".join({"string": "text", "boolean": "yes or no"}.get(kind, kind) for kind in sorted(leaf.types))
    return _TYPES.get(leaf.comparator, "text")


def text_of(value: Json) -> str:
    """A value for people: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else jsontext.dumps(value)


def _member(one: Proposed) -> Member:
    sheet, leaf = one.sheet, one.leaf
    return Member(
        key=sheet.leaf_key(leaf),
        document=sheet.asked.document,
        path=leaf.path,
        field=leaf.field,
        fingerprint=sheet.fingerprint(leaf.field),
        rows=sheet.links(leaf.path),
        value=leaf.value,
        evidence=one.evidence,
        votes=votes_hash(leaf.votes),
    )


def _options(candidates: Iterable[Candidate]) -> tuple[Option, ...]:
    """The candidates that can be chosen. Null is an answer of every card and no candidate."""
    valid = [found for found in candidates if found.valid and found.value is not None]
    return tuple(Option(f"c{at}", found.value, found.forms, found.systems) for at, found in enumerate(valid))


def _unreadable(candidates: Iterable[Candidate]) -> str:
    """The first reading that is no value of the field, for a person to correct; "" when there is none."""
    forms = (form for found in candidates if not found.valid for form in found.forms)
    return next((text_of(form) for form in forms if form is not None), "")


def _preselected(leaf: LeafConsensus, options: Sequence[Option]) -> str | None:
    if not leaf.resolved or leaf.tier not in (Tier.UNANIMOUS, Tier.ALL_NULL) or leaf.reasons:
        return None
    if leaf.value is None:
        return NULL
    stored = jsontext.dumps(leaf.value)
    return next((option.alias for option in options if jsontext.dumps(option.value) == stored), None)


def _likely_pages(sheet: Sheet, leaf: LeafConsensus) -> list[int]:
    """The pages of the leaf's places, best first; of a cell without places those of its row."""
    pages = [place.page for place in sheet.location(leaf).evidence]
    if pages:
        return pages
    around = tuple(rows_around(leaf.path))
    return _pages_of_row(sheet, around[-1]) if around else []


def _pages_of_row(sheet: Sheet, path: Path) -> list[int]:
    """The pages of the row, else of the rows around it, from the inside."""
    return next((pages for row in reversed(tuple(rows_around(path))) if (pages := sheet.row_pages(row))), [])


def _placed_cells(sheet: Sheet, row: Path) -> list[LeafConsensus]:
    return [cell for cell in sheet.cells(row) if sheet.location(cell).evidence]


def _context(sheet: Sheet, row: Path, *, without: Path | None = None) -> tuple[tuple[str, str], ...]:
    """The cells of a row by name, as all of their readings; cells that nobody reads stay out."""
    found = []
    for cell in sheet.cells(row):
        readings = [cell.value] if cell.resolved and cell.value is not None else _readings(cell)
        if cell.path != without and readings:
            title = sheet.asked.schema.leaves[cell.field].title
            found.append((title_of(title, cell.field), " or ".join(map(text_of, readings))))
    return tuple(found)


def _readings(leaf: LeafConsensus) -> list[Json]:
    return [found.value for found in leaf.read_values]


def _on(evidence: Iterable[Evidence], pages: Collection[int]) -> tuple[Evidence, ...]:
    """The places on these pages, those with the same boxes once."""
    return distinct_places(place for place in evidence if place.page in pages)


def _reading_order(sheet: Sheet, path: Path, evidence: Sequence[Evidence]) -> tuple[float, ...]:
    """Page, top to bottom, left to right; what has no box comes last, in the schema's order."""
    place = next((place for place in evidence if place.hull), None)
    at = sheet.place_of.get(path, len(sheet.leaves))
    if place is None or place.hull is None:
        return (float("inf"), 0.0, 0.0, at)
    return (place.page, place.hull.y0, place.hull.x0, at)


def _digest(keys: Sequence[str]) -> str:
    return hashlib.sha256(jsontext.dumps(list(keys)).encode()).hexdigest()[:16]
