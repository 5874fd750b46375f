"""A card as HTML. All text of documents, schemas and systems is escaped: it comes from strangers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from annotation.cards import text_of
from annotation.differences import Piece, differing_pieces
from annotation.packet import (
    ABSENT,
    ALL_AS_PROPOSED,
    EDIT,
    ELSEWHERE,
    ESCALATE,
    NULL,
    ONE_BY_ONE,
    PRESENT,
    Card,
    Member,
    Option,
    Packet,
)
from annotation.pictures import CELL_HEIGHT
from groundtruth import jsontext
from groundtruth.consensus import Reason
from groundtruth.path import format_path
from groundtruth.queue import Question

_ANSWERS: Final = {
    NULL: "absent from the document",
    EDIT: "other value …",
    ELSEWHERE: "not on this page",
    ESCALATE: "ask somebody else",
    PRESENT: "yes, this row is there",
    ABSENT: "no, there is no such row",
    ALL_AS_PROPOSED: "all are right as shown",
    ONE_BY_ONE: "ask me one by one",
}
_NOT_ON_THESE: Final = "not on these pages"
_ALL_ABSENT: Final = "all are absent from the document"

_NOWHERE: Final = "Nobody knows where it stands: draw a box if you find it."
_GUESS: Final = "The box is a guess: move it if the value stands elsewhere."

# None of these says which candidate more systems read: a person must not lean on the vote.
_REASONS: Final = {
    Reason.QUORUM: "It has few readings.",
    Reason.SINGLE_FAMILY: "Its readings do not come from independent systems.",
    Reason.NULL_UNASSERTED: "It may be absent.",
    Reason.NULL_OVER_VALUE: "It may be absent.",
    Reason.INVALID_READING: "A reading is no value of this field.",
    Reason.INVALID_MAJORITY: "A reading is no value of this field.",
    Reason.AMBIGUOUS_DATE: "The date can be read in two ways.",
    Reason.NULL_LIKE: "The page may say that there is no value.",
    Reason.NO_READING: "There is no reading of it.",
    Reason.ALIGNMENT_REPAIRED: "It may belong to another row.",
    Reason.DUPLICATE_IDENTITY: "Several rows have the same key.",
    Reason.SINGLE_SYSTEM_ROW: "The row may not be there.",
}
_TURNING: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that change the direction of what follows; a value could hide behind them."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs", "Co", "Cn", "Cs"})


def card_html(packet: Packet, at: int, picture: str | None) -> str:
    """What stands above the answers of a card.

    Args:
        packet: the packet.
        at: which of its cards, from 0.
        picture: the address of the crop, or of a bulk question's contact sheet; None when there is none.
    """
    card = packet.cards[at]
    parts = [_heading(packet, at)]
    if card.notice:
        parts.append(f'<div class="gl-notice">{_text(card.notice)}</div>')
    if card.description:
        parts.append(f'<div class="gl-about">{_text(card.description)}</div>')
    if picture is not None and card.question is not Question.BULK:
        parts.append(f'<img class="gl-crop" alt="" src="{escape(picture)}">')
    if card.question is Question.BULK:
        parts.append(_members(card.members, picture or ""))
    why = " ".join(dict.fromkeys([*map(_reason, card.reasons), *_place_hint(card)]))
    if why:
        parts.append(f'<div class="gl-why">{_text(why)}</div>')
    if card.context:
        parts.append(_context(card))
    pages = " gl-one-page" if len(packet.pages) == 1 else ""
    return f'<div class="gl-info{pages}">{"".join(parts)}</div>'


def answer_html(packet: Packet, card: Card, *, show_votes: bool = False) -> dict[str, str]:
    """The answers of a card by alias, in the order in which they are shown.

    Candidates show the stored value with the characters that differ marked, and below it what else was read for the
    same value. ``show_votes`` adds who read it.
    """
    candidates = {
        option.alias: _for_all(card) + _candidate(option, pieces, show_votes=show_votes)
        for option, pieces in zip(card.options, differing_pieces(_shown(card.options)), strict=True)
    }
    return {alias: candidates.get(alias) or _fixed(packet, card, alias) for alias in card.answers}


def _heading(packet: Packet, at: int) -> str:
    card = packet.cards[at]
    title = _text(card.title or format_path(card.path))
    if card.question is Question.ROW:
        title += ": is this row in the document?"
    elif card.question is Question.BULK:
        title += f": {len(card.members)} places"
    type_name = f'<span class="gl-type">{_text(card.type_name)}</span>' if card.type_name else ""
    where = _text(format_path(card.path)) if card.question is not Question.BULK else _text(format_path(card.field))
    number = f'<span class="gl-number gl-n{at + 1}">{at + 1}</span>' if len(packet.cards) > 1 else ""
    return (
        f'<div class="gl-head">{number}<b class="gl-title">{title}</b>{type_name}'
        f'<span class="gl-path">{where}</span></div>'
    )


def _reason(code: str) -> str:
    known = {str(reason): words for reason, words in _REASONS.items()}
    return known.get(code, f"{code.replace('_', ' ').capitalize()}.")


def _place_hint(card: Card) -> list[str]:
    if card.question is Question.BULK or card.certain:
        return []
    return [_GUESS if card.evidence else _NOWHERE]


def _context(card: Card) -> str:
    cells = "".join(
        f'<span><span class="gl-name">{_text(name)}</span> {_text(value)}</span>' for name, value in card.context
    )
    label = "" if card.question is Question.ROW else '<span class="gl-name">In the same row:</span>'
    return f'<div class="gl-row">{label}{cells}</div>'


def _members(members: Sequence[Member], sheet: str) -> str:
    """Each member's own part of the contact sheet beside its value."""
    across = len({member.document for member in members}) > 1
    rows = []
    for at, member in enumerate(members):
        where = f"{member.document}: {format_path(member.path)}" if across else format_path(member.path)
        value = '<i class="gl-null">absent</i>' if member.value is None else _value(text_of(member.value))
        cell = f'<img class="gl-cell" alt="" src="{escape(sheet)}" style="object-position: 0 -{at * CELL_HEIGHT}px">'
        rows.append(f'<tr><td>{cell}</td><td>{value}</td><td class="gl-path">{_text(where)}</td></tr>')
    return f'<table class="gl-members">{"".join(rows)}</table>'


def _for_all(card: Card) -> str:
    return '<span class="gl-answer">all are </span>' if card.question is Question.BULK else ""


def _shown(options: Sequence[Option]) -> list[str]:
    """The stored values as text; as JSON where texts would not tell them apart."""
    texts = [text_of(option.value) for option in options]
    if len(set(texts)) == len(texts):
        return texts
    return [jsontext.dumps(option.value) for option in options]


def _candidate(option: Option, pieces: Iterable[Piece], *, show_votes: bool) -> str:
    marked = "".join(_piece(piece) for piece in pieces) or '<i class="gl-null">empty text</i>'
    html = f'<bdi class="gl-value">{marked}</bdi>'
    value = text_of(option.value)
    forms = [text for form in option.forms if (text := text_of(form)) != value]
    if forms:
        html += f'<span class="gl-forms">read as {", ".join(f"<bdi>{_text(form)}</bdi>" for form in forms)}</span>'
    if show_votes and option.systems:
        html += f'<span class="gl-systems">{len(option.systems)}: {_text(", ".join(option.systems))}</span>'
    return html


def _fixed(packet: Packet, card: Card, alias: str) -> str:
    if alias == ELSEWHERE and len(packet.pages) > 1:
        words = _NOT_ON_THESE
    elif alias == NULL and card.question is Question.BULK:
        words = _ALL_ABSENT
    else:
        words = _ANSWERS[alias]
    return f'<span class="gl-answer">{words}</span>'


def _piece(piece: Piece) -> str:
    return f"<mark>{_text(piece.text, name_unseen=True)}</mark>" if piece.differs else _text(piece.text)


def _value(text: str) -> str:
    return f'<bdi class="gl-value">{_text(text)}</bdi>' if text else '<i class="gl-null">empty text</i>'


def _text(text: str, *, name_unseen: bool = False) -> str:
    """Escaped text; what turns it is named, and of what differs everything that cannot be seen."""
    return "".join(_character(character, name_unseen=name_unseen) for character in text)


def _character(character: str, *, name_unseen: bool) -> str:
    if character in _TURNING or (name_unseen and character not in " \n" and unicodedata.category(character) in _UNSEEN):
        return f'<span class="gl-unseen">U+{ord(character):04X}</span>'
    return escape(character)
