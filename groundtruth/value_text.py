"""Text as it is compared: what cannot be seen on a page is removed, what can be seen stays.

Never NFKC: it turns x² into x2, ① into 1 and ½ into 1⁄2, which are other texts on the page.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category, decimal, normalize

_LIGATURES: Final = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"}

# Joiners shape Persian and Indic letters and emoji: they are no difference between readings, yet belong to the text.
_JOINERS: Final = "\u200c\u200d"

# Zero-width space, word joiner, byte order mark, soft hyphen. And the marks of writing direction: they are not printed,
# and whether a text layer gives them with Hebrew or Arabic text depends on the tool that wrote the file.
_UNPRINTED: Final = (
    "\u200b\u2060\ufeff\u00ad"
    "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)  # fmt: skip

_TO_SURFACE: Final = str.maketrans({**dict.fromkeys(_UNPRINTED, ""), **_LIGATURES})
_TO_PLAIN: Final = str.maketrans({**dict.fromkeys(_UNPRINTED + _JOINERS, ""), **_LIGATURES})
_HAS_SPECIAL: Final = re.compile(f"[{_UNPRINTED}{_JOINERS}{''.join(_LIGATURES)}]")
_HAS_JOINER: Final = re.compile(f"[{_JOINERS}]")
_HAS_SURROGATE: Final = re.compile("[\ud800-\udfff]")

_STRAIGHT: Final = str.maketrans(
    {**dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("“”„‟", '"'), **dict.fromkeys("‐‑‒–—―−", "-")}
)

# Punctuation that says something: a decimal mark, a minus before a number, a percent sign.
_MEANINGFUL: Final = re.compile(
    r"(?P<decimal>(?<=\d)[.,](?=\d{1,2}(?![\d.,]*\d)))|(?P<minus>(?<![^\s(])[-–−](?=[.,]?\d))|(?P<percent>%)"
)


def clean(text: str) -> str:
    """The text without what cannot be seen: the form that is compared.

    NFC; every run of Unicode spaces is one space, none at the ends; no zero-width characters, soft hyphens or marks of
    writing direction; the five f-ligatures as letters. Case and all other characters stay.
    """
    if text.isascii():
        return " ".join(text.split())
    if _HAS_SPECIAL.search(text):
        text = text.translate(_TO_PLAIN)
    return " ".join(normalize("NFC", text).split())


def clean_surface(text: str) -> str:
    """The form that is stored: as ``clean``, but zero-width joiners and non-joiners stay."""
    if text.isascii() or not _HAS_JOINER.search(text):
        return clean(text)
    return " ".join(normalize("NFC", text.translate(_TO_SURFACE)).split())


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8; half a surrogate pair, which JSON can escape, cannot."""
    return text.isascii() or not _HAS_SURROGATE.search(text)


def caseless(text: str) -> str:
    """The cleaned text with case folded; folding can take letters apart, so they are composed again."""
    return text.casefold() if text.isascii() else normalize("NFC", text.casefold())


def straighten(text: str) -> str:
    """The cleaned text with curly quotes straight and dashes as hyphens."""
    return text.translate(_STRAIGHT)


def ascii_digits(text: str) -> str:
    """The text with the decimal digits of every script as 0 to 9; superscripts and fractions are no such digits."""
    if text.isascii():
        return text
    return "".join(str(decimal(char)) if category(char) == "Nd" else char for char in text)


def fold(text: str) -> str:
    """The cleaned text without case, spacing and punctuation; what only punctuation makes up is kept as it is.

    A decimal mark, a minus before a number and a percent sign say something and stay: 1.5 is not 15.
    """
    text = caseless(text)
    kept: list[str] = []
    meant = {match.start(): match.lastgroup for match in _MEANINGFUL.finditer(text)}
    for index, char in enumerate(text):
        if index in meant:
            kept.append({"decimal": ".", "minus": "-"}.get(meant[index] or "", char))
        elif category(char)[0] not in "PZC":
            kept.append(char)
    return "".join(kept) or text
