"""What a field may be called on the page, and whether some words of a page are such a name.

Names come from the schema alone: the title, the property's name taken apart, ``x-aliases``, and what the description
quotes or puts in parentheses (examples excepted). Words compare without case, signs and common abbreviations.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from groundtruth.path import EACH, Path
from groundtruth.schema import FrozenSchema, Leaf, Record
from groundtruth.schema_finding import Refused
from groundtruth.schema_source import SchemaSource

Tokens = tuple[str, ...]

EXACT: Final = 1.0
OWN_NAME_ONLY: Final = 0.9
"""Weight of a nested field's own name without the name of the object around it."""
SHORTENED: Final = 0.75
"""Weight of a name that differs by words which carry no meaning of their own."""
MISSPELT: Final = 0.9
"""Weight of a name with a letter or a filler more or less."""
LONGEST_LABEL: Final = 8
"""In words."""
_SIMILAR: Final = 0.9
_SHORTEST_SLIP: Final = 6

_TOKEN = re.compile(r"[^\W_]+|[#№%]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{2,60})[\"”“»]|(?<!\w)['‘]([^'‘’]{2,60})['’](?!\w)|\(([^()]{2,60})\)")
_PARENTHESES = re.compile(r"\([^()]*\)")
_EXAMPLE = re.compile(r"(e\.\s?g\.?|such as|like|for example|example:|i\.\s?e\.?|z\.\s?b\.|ex\.)[^.;]*$", re.IGNORECASE)

_ABBREVIATIONS: Final[Mapping[str, str]] = {
    "no": "number", "nr": "number", "num": "number", "nbr": "number", "#": "number", "№": "number",
    "qty": "quantity", "amt": "amount", "acct": "account", "addr": "address", "tel": "phone", "telephone": "phone",
    "ref": "reference", "desc": "description", "dept": "department", "pct": "percent", "%": "percent",
    "inv": "invoice", "org": "organization", "dob": "birth", "yr": "year", "mo": "month", "pkg": "package",
    "max": "maximum", "min": "minimum", "avg": "average", "est": "estimated", "cust": "customer", "ext": "extension",
}  # fmt: skip

# Words by which a printed label may be shorter than the name, or longer, and still mean the same.
_LEFT_OUT: Final = frozenset({"number", "name", "date", "amount", "value", "code", "id", "details", "info"})
_FILLERS: Final = frozenset({"the", "a", "of", "your", "our", "this", "is", "and", "for", "optional", "required"})


class Named(NamedTuple):
    """A leaf that some words name, and how surely, in (0, 1]."""

    leaf: Leaf
    weight: float


class LabelBook:
    """All names of some leaves; of several entries for one name and leaf the surest counts."""

    def __init__(self, names: Iterable[tuple[Tokens, Leaf, float]]) -> None:
        best: dict[Tokens, dict[Path, Named]] = {}
        for tokens, leaf, weight in names:
            entry = best.setdefault(tokens, {})
            if leaf.path not in entry or entry[leaf.path].weight < weight:
                entry[leaf.path] = Named(leaf, weight)
        self._names = {tokens: tuple(entry.values()) for tokens, entry in best.items() if tokens}
        self._sharing: dict[str, list[Tokens]] = defaultdict(list)
        for tokens in self._names:
            for token in set(tokens):
                self._sharing[token].append(tokens)
        self._known: dict[Tokens, tuple[Named, ...]] = {}

    def named_by(self, text: str) -> tuple[Named, ...]:
        """The leaves that ``text`` may name, surest first, in the schema's order on a tie; () for no label.

        What a label adds in parentheses (a unit, a hint) may be left out.
        """
        found = self._named_by(tokens_of(text))
        if not found and "(" in text:
            shorter = self._named_by(tokens_of(_PARENTHESES.sub(" ", text)))
            found = tuple(Named(leaf, weight * MISSPELT) for leaf, weight in shorter)
        return found

    def _named_by(self, tokens: Tokens) -> tuple[Named, ...]:
        if not 0 < len(tokens) <= LONGEST_LABEL:
            return ()
        if tokens not in self._known:
            self._known[tokens] = self._search(tokens)
        return self._known[tokens]

    def exactly(self, text: str) -> tuple[Named, ...]:
        """The leaves that have ``text`` itself for a name, surest first."""
        return _surest(self._names.get(tokens_of(text), ()))

    def _search(self, tokens: Tokens) -> tuple[Named, ...]:
        if tokens in self._names:
            return _surest(self._names[tokens])
        found = {name: _shortened(name, tokens) for token in tokens for name in self._sharing.get(token, ())}
        found |= {name: MISSPELT for name in self._names if not found.get(name) and _is_misspelt(name, tokens)}
        return _surest(
            Named(leaf, weight * likeness)
            for name, likeness in found.items()
            if likeness
            for leaf, weight in self._names[name]
        )


def _surest(found: Iterable[Named]) -> tuple[Named, ...]:
    best: dict[Path, Named] = {}
    for named in found:
        if named.leaf.path not in best or best[named.leaf.path].weight < named.weight:
            best[named.leaf.path] = named
    return tuple(sorted(best.values(), key=lambda named: -named.weight))


def _shortened(name: Tokens, printed: Tokens) -> float:
    """How well printed words stand for a name whose words they share in part; 0 when they do not."""
    missing, added = set(name) - set(printed), set(printed) - set(name)
    if not (missing <= _LEFT_OUT | _FILLERS and added <= _FILLERS):
        return 0.0
    return SHORTENED if missing - _FILLERS else MISSPELT


def _is_misspelt(name: Tokens, printed: Tokens) -> bool:
    """Whether the words differ from a name by a letter or two; a digit is never a slip of the pen."""
    first, second = " ".join(name), " ".join(printed)
    if first[0] != second[0] or abs(len(first) - len(second)) > 2 or min(len(first), len(second)) < _SHORTEST_SLIP:
        return False
    if [c for c in first if c.isdecimal()] != [c for c in second if c.isdecimal()]:
        return False
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    return matcher.quick_ratio() >= _SIMILAR and matcher.ratio() >= _SIMILAR


@lru_cache(maxsize=20_000)
def tokens_of(text: str) -> Tokens:
    """The words of a label: compatibility forms, no case, abbreviations written out."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_ABBREVIATIONS.get(token, token) for token in _TOKEN.findall(folded))


def key_tokens(key: str) -> Tokens:
    """The words of a property's name: ``invoiceNo``, ``invoice_no`` and ``invoice-no`` are "invoice number"."""
    return tokens_of(_CAMEL.sub(" ", key))


def words_of_name(leaf: Leaf) -> frozenset[str]:
    """The words of a leaf's own name and title."""
    return frozenset((*key_tokens(str(leaf.path[-1])), *tokens_of(leaf.title)))


class SchemaNames:
    """The names of a schema's nodes, read off its source."""

    def __init__(self, schema: FrozenSchema) -> None:
        self._source = SchemaSource(schema.source)

    def of_leaf(self, leaf: Leaf, *, within: Path = ()) -> Iterator[tuple[Tokens, Leaf, float]]:
        """Every name of a leaf with its weight; ``within`` is the row or root that the names need not repeat."""
        steps = [step for step in leaf.path[len(within) :] if isinstance(step, str)]
        if not steps:
            return
        full = tuple(token for step in steps for token in key_tokens(step))
        own_weight = EXACT if len(steps) == 1 else OWN_NAME_ONLY
        yield full, leaf, EXACT
        yield key_tokens(steps[-1]), leaf, own_weight
        for name in [leaf.title, *self._aliases(leaf.path), *_quoted(leaf.description)]:
            yield tokens_of(name), leaf, own_weight

    def of_container(self, path: Path, title: str = "") -> set[Tokens]:
        """The names by which a heading may announce a record or an array."""
        keys = [step for step in path if isinstance(step, str)]
        names = {key_tokens(keys[-1])} if keys else set()
        return {name for name in names | {tokens_of(text) for text in [title, *self._aliases(path)]} if name}

    def of_records(self, record: Record) -> dict[Tokens, Path]:
        """The records inside a record, at every depth, by their names; a name that two of them bear is none's."""
        found: dict[Tokens, set[Path]] = {}
        for inner in _records(record):
            for tokens in self.of_container(inner.path):
                found.setdefault(tokens, set()).add(inner.path)
        return {tokens: paths.pop() for tokens, paths in found.items() if len(paths) == 1}

    def _aliases(self, path: Path) -> list[str]:
        found: list[str] = []
        for node in self._nodes([self._source.root], path):
            for keyword in ("x-aliases", "aliases"):
                value = node.get(keyword)
                found += [value] if isinstance(value, str) else [text for text in value or () if isinstance(text, str)]
            if isinstance(node.get("title"), str):
                found.append(node["title"])
        return found

    def _nodes(self, nodes: Sequence[Json], path: Path) -> list[dict[str, Json]]:
        """The subschemas at a schema path, through references and unions."""
        here = [node for start in nodes for node in self._variants(start, set())]
        if not path:
            return here
        if path[0] is EACH:
            below = [node["items"] for node in here if isinstance(node.get("items"), dict)]
        else:
            properties = [node["properties"] for node in here if isinstance(node.get("properties"), dict)]
            below = [found[path[0]] for found in properties if isinstance(found.get(path[0]), dict)]
        return self._nodes(below, path[1:])

    def _variants(self, node: Json, seen: set[int]) -> Iterator[dict[str, Json]]:
        if not isinstance(node, dict) or id(node) in seen:
            return
        seen.add(id(node))
        yield node
        if isinstance(node.get("$ref"), str):
            try:
                yield from self._variants(self._source.lookup(node["$ref"]), seen)
            except Refused:
                return  # a schema with a broken reference is refused before it gets here
        for keyword in ("allOf", "anyOf", "oneOf"):
            for part in node.get(keyword) or ():
                yield from self._variants(part, seen)


def _records(record: Record) -> Iterator[Record]:
    for node in record.fields.values():
        if isinstance(node, Record):
            yield node
            yield from _records(node)


def _quoted(description: str) -> list[str]:
    """What a description quotes or adds in parentheses, but not its examples."""
    names = []
    for match in _QUOTED.finditer(description):
        inside = next(group for group in match.groups() if group is not None)
        before = description[max(0, match.start() - 60) : match.start()]
        if not _EXAMPLE.search(before) and not _EXAMPLE.match(inside) and not any(map(str.isdecimal, inside)):
            names.append(inside)
    return names
