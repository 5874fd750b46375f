"""Which text can be printed so that every reader of the PDF gives it back."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json

_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
_SHAPED: Final = re.compile("[\u0900-\u0dff\u0e80-\u109f\u1780-\u17ff]")
"""Letters of India, Laos, Tibet, Burma and Cambodia, which join and change places: the pages are drawn without that."""
_LIGATURES: Final = re.compile("[\ufb00-\ufb06]")
_NOTHING: Final = frozenset({"n/a", "-", "\N{EN DASH}", "\N{EM DASH}"})
"""What is printed for null, here or in other documents: as a value, nobody could tell it from none."""
_SPACES: Final = re.compile(r" {2,}|^ | $")


def leaves(value: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """Every leaf of a value with its instance path, in order; an empty list is one, a list of scalars is one.

    The keys must be plain names, as those of every pattern are.
    """
    if isinstance(value, dict):
        for name, child in value.items():
            yield from leaves(child, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and any(isinstance(child, dict) for child in value):
        for index, child in enumerate(value):
            yield from leaves(child, f"{path}[{index}]")
    else:
        yield path, value


@contextmanager
def naming(source: str) -> Iterator[None]:
    """Put the name of a file before what is wrong with its values."""
    try:
        yield
    except SynthesisError as error:
        raise SynthesisError(f"{source}: {error}") from None


def require_printable(value: Json) -> None:
    """Refuse text that comes out of a PDF other than it went in.

    Raises:
        SynthesisError: a line break, a tab, an invisible character, two spaces in a row, a right-to-left character, a
            letter that changes with its neighbours, a ligature, a character that is not composed, or what is printed
            where there is no value; the message names the leaf and the cure.
    """
    for path, leaf in leaves(value):
        for text in leaf if isinstance(leaf, list) else [leaf]:
            if isinstance(text, str):
                problem = _problem(text)
                if problem:
                    raise SynthesisError(f"{path}: {text[:80]!r} cannot be printed: {problem}")


def _problem(text: str) -> str | None:
    if not text.strip():
        return "it is empty; write null"
    if text.casefold() in _NOTHING:
        return "it is how documents say that there is nothing; write null, or what it is where it may not be null"
    if text.isascii() and text.isprintable():
        return "it has two spaces in a row or spaces around it; leave them out" if _SPACES.search(text) else None
    if "\n" in text or "\r" in text:
        return "it has a line break; give it in one line, or as several fields"
    unfit = next(filter(None, map(_problem_of_character, text)), None)
    if unfit is not None:
        return unfit
    if shaped := _SHAPED.search(text):
        named = f"{unicodedata.name(shaped[0], 'a letter')} (U+{ord(shaped[0]):04X})"
        return (
            f"it has {named}, of a script whose letters join and change places, which is not drawn; use another value"
        )
    if _LIGATURES.search(text):
        return "it has a ligature, which some readers spell out; write the letters"
    if unicodedata.normalize("NFC", text) != text:
        return "it is not in Unicode's form C; compose its accents"
    return "it has two spaces in a row or spaces around it; leave them out" if _SPACES.search(text) else None


def _problem_of_character(character: str) -> str | None:
    named = f"{unicodedata.name(character, 'a character')} (U+{ord(character):04X})"
    if unicodedata.bidirectional(character) in _RIGHT_TO_LEFT:
        return f"it has {named}, and right-to-left text has no order that readers agree on; use another value"
    return None if character.isprintable() else f"it has {named}, which cannot be seen; leave it out"
