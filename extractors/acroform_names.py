"""How well what a form field is called fits the name of a leaf: words compared as bags, the rest to be explained.

A field is called by its tooltip, by its name in the file, and by what is printed beside it. Names that programs give,
such as ``topmostSubform[0].Page1[0].f1_04[0]``, say nothing. Words that are left over must be names of what is around
the leaf, or mean nothing: "Spouse: name" is not the name of the applicant.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from extractors.labels import SchemaNames, Tokens, key_tokens, tokens_of
from groundtruth.path import Path
from groundtruth.schema import Leaf

SAME: Final = 1.0
WITH_HINT: Final = 0.95
"""Without what stands in parentheses, or with the words in another order."""
OF_CONTAINER: Final = 0.9
"""With words of what is around the leaf."""
ONE_CLAUSE: Final = 0.8
"""One clause of a longer tooltip, or the last part of a name, if what is before it is around the leaf."""
UNEXPLAINED: Final = 0.6
"""The same after words that may name something else."""
SHORTENED: Final = 0.7
"""Without a word that carries little."""

_DIGIT_EDGE = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_INDEX = re.compile(r"\[\d+\]")
_PARENTHESES = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_CLAUSE = re.compile(r"[.:;,?!\n\r|/\u2013\u2014-]\s+|[:;?!\n\r|]")
_UNIQUE_ID = re.compile(r"(?=.*\d)[0-9a-f]{8,}")
_LONGEST_CLAUSE: Final = 12
"""In words; more is a sentence."""

_MACHINE: Final = frozenset(
    {"f", "c", "p", "t", "tf", "tb", "cb", "rb", "dd", "pg", "fld", "field", "text", "textfield", "textbox", "check",
     "formfield", "checkbox", "radio", "radiobutton", "button", "group", "dropdown", "combobox", "combo", "listbox",
     "list", "datefield", "numericfield", "untitled", "undefined", "unnamed", "topmostsubform", "subform", "page",
     "form", "body", "sect", "section", "part", "bodypage", "area", "pageset", "fill", "tx", "ch", "btn", "input",
     "table", "cell", "row", "widget", "box", "toggle", "choice", "annot", "comb", "entry", "sub", "root"}
)  # fmt: skip
_ARTICLES: Final = frozenset({"the", "a", "an", "of"})
_FILLERS: Final = _ARTICLES | frozenset(
    {"your", "our", "this", "is", "are", "and", "for", "in", "to", "please", "enter", "type", "fill", "write", "select",
     "choose", "pick", "check", "tick", "mark", "if", "here", "optional", "required", "field", "box", "give", "insert",
     "provide", "text", "you", "do", "what", "full"}
)  # fmt: skip
_STRUCTURE: Final = frozenset(
    {"section", "part", "line", "page", "form", "item", "question", "row", "information", "info", "details", "data",
     "i", "ii", "iii", "iv", "v", "vi", "step", "block", "general"}
)  # fmt: skip
_LIGHT: Final = frozenset({"number", "name", "date", "amount", "value"})


class Name(NamedTuple):
    """One name of a leaf, and how surely, in (0, 1]."""

    tokens: Tokens
    weight: float


class LeafNames:
    """The names of some leaves, and the words of what is around each."""

    def __init__(self, leaves: Iterable[Leaf], names: SchemaNames, within: Path = ()) -> None:
        self.leaves = {leaf.path: leaf for leaf in leaves}
        self._names: dict[Path, tuple[Name, ...]] = {}
        self._around: dict[Path, frozenset[str]] = {}
        for path, leaf in self.leaves.items():
            own = {Name(_plain(tokens), weight) for tokens, _, weight in names.of_leaf(leaf, within=within)}
            self._names[path] = tuple(sorted(name for name in own if name.tokens))
            outer = [path[:length] for length in range(1, len(path))]
            self._around[path] = frozenset(
                token for container in outer for tokens in names.of_container(container) for token in _plain(tokens)
            )
        self._known: dict[str, dict[Path, float]] = {}

    def fits(self, text: str) -> dict[Path, float]:
        """The leaves that a label or tooltip fits, each with how well, in (0, 1]."""
        if text not in self._known:
            best = self._fits(tokens_of(text))
            bare = _PARENTHESES.sub(" ", text)
            if bare != text:
                _raise(best, self._fits(tokens_of(bare)), WITH_HINT)
            clauses = [tokens for clause in _CLAUSE.split(bare) if clause and (tokens := tokens_of(clause))]
            for at, tokens in enumerate(clauses) if len(clauses) > 1 else ():
                if len(tokens) <= _LONGEST_CLAUSE:
                    self._raise_part(best, tokens, itertools.chain(*clauses[:at]))
            self._known[text] = best
        return self._known[text]

    def fits_name(self, parts: Sequence[str]) -> dict[Path, float]:
        """The leaves that a field's name in the file fits, from its outermost part to its own."""
        said = [tokens for part in parts if (tokens := part_tokens(part))]
        if not said:
            return {}
        best = self._fits(tuple(itertools.chain(*said)))
        if len(said) > 1:
            self._raise_part(best, said[-1], itertools.chain(*said[:-1]))
        return best

    def _raise_part(self, best: dict[Path, float], tokens: Tokens, before: Iterable[str]) -> None:
        """Let a part of what is said count by what was said before it."""
        context = {token for token in _plain(tuple(before)) if len(token) > 1 and not token.isdecimal()}
        for path, fit in self._fits(tokens).items():
            is_explained = context <= self._around[path] | _FILLERS | _STRUCTURE
            _raise(best, {path: fit}, ONE_CLAUSE if is_explained else UNEXPLAINED)

    def fits_tokens(self, tokens: Tokens) -> dict[Path, float]:
        """The leaves that some words fit as they are."""
        return self._fits(tokens)

    def _fits(self, tokens: Tokens) -> dict[Path, float]:
        label = _plain(tokens)
        found = {}
        for path, names in self._names.items():
            fit = max((_likeness(label, name, self._around[path]) for name in names), default=0.0)
            if fit:
                found[path] = fit
        return found


def _raise(best: dict[Path, float], fits: Mapping[Path, float], weight: float) -> None:
    for path, fit in fits.items():
        best[path] = max(best.get(path, 0.0), fit * weight)


def part_tokens(part: str) -> Tokens:
    """The words of one part of a field's name; () for one that a program gave."""
    bare = _INDEX.sub("", part).lstrip("#")
    tokens = tuple(token for token in key_tokens(_DIGIT_EDGE.sub(" ", bare)) if token)
    words = [token for token in tokens if not token.isdecimal()]
    if not words or _UNIQUE_ID.fullmatch(bare.casefold()):
        return ()
    if all(len(word) == 1 or word in _MACHINE for word in words) or "".join(words) in _MACHINE:
        return ()
    return tokens


@lru_cache(maxsize=20_000)
def _plain(tokens: Tokens) -> Tokens:
    """The words without articles, each in one form for one and for many."""
    kept = tuple(token for token in tokens if token not in _ARTICLES) or tokens
    return tuple(map(_singular, kept))


def _singular(token: str) -> str:
    is_plural = len(token) > 3 and token.endswith("s") and token[-2] != "s" and token not in _FILLERS
    return token[:-1] if is_plural else token


def _likeness(label: Tokens, name: Name, around: frozenset[str]) -> float:
    """How well the words of a label stand for a name, in [0, 1]."""
    if not label:
        return 0.0
    if label == name.tokens or "".join(label) == "".join(name.tokens):
        return SAME * name.weight
    extra = (Counter(label) - Counter(name.tokens)).keys() - _FILLERS
    missing = Counter(name.tokens) - Counter(label)
    if missing:
        return (
            SHORTENED * name.weight
            if not extra and missing.keys() <= _LIGHT and len(missing) < len(name.tokens)
            else 0.0
        )
    if not extra:
        return WITH_HINT * name.weight
    return OF_CONTAINER * name.weight if extra <= around else 0.0
