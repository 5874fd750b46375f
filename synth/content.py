"""The content of a synthetic document: values that are fixed before anything is drawn, and that are its truth.

``content.json`` alone makes the same document again; the seed in it only says where the values came from::

    {"format": 1, "pattern": "unclaimed-property", "layout": 1, "font": "narrow", "switches": ["sections"],
     "value": {...}, "aside": {...}, "provenance": {"seed": 7, "locale": "en_US", "faker": "40.63.0"}}

``value`` is the truth in the form of the pattern's schema, ``aside`` what is printed and asked by nobody: rows that are
no records, names of sections.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from groundtruth import jsontext
from groundtruth.errors import SynthesisError
from groundtruth.jsontext import Json

FORMAT: Final = 1
_KEYS: Final = frozenset({"format", "pattern", "layout", "font", "switches", "value", "aside", "provenance"})


@dataclass(frozen=True, slots=True)
class Content:
    """What a document prints.

    Attributes:
        pattern: the name of the pattern that lays it out.
        layout: the version of that pattern's layout.
        font: the family of its text.
        switches: the difficulties that are on.
        value: the truth, in the form of the pattern's schema.
        aside: what is printed beside it.
        provenance: where the values came from; it changes nothing of what is drawn.
    """

    pattern: str
    layout: int
    font: str
    switches: frozenset[str]
    value: dict[str, Json]
    aside: dict[str, Json] = field(default_factory=dict)
    provenance: dict[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        """The content as its file holds it."""
        return {
            "format": FORMAT,
            "pattern": self.pattern,
            "layout": self.layout,
            "font": self.font,
            "switches": sorted(self.switches),
            "value": self.value,
            "aside": self.aside,
            "provenance": self.provenance,
        }

    def to_bytes(self) -> bytes:
        """The content as one line of canonical JSON: long lists are written ten times as fast as with line breaks."""
        return (jsontext.dumps(self.to_json()) + "\n").encode()

    @classmethod
    def from_json(cls, data: Json, *, source: str = "content.json") -> Content:
        """Read what ``to_json`` wrote.

        Raises:
            SynthesisError: a key is missing, unknown, or holds what it cannot; the message starts with ``source``.
        """
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise SynthesisError(f"{source}: is no content of format {FORMAT}; make it with `goldleaf synth make`")
        for name in sorted(_KEYS ^ data.keys()):
            raise SynthesisError(f"{source}: the key {name!r} is {'unknown' if name in data else 'missing'}")
        for name, kind in (
            ("pattern", str),
            ("layout", int),
            ("font", str),
            ("switches", list),
            ("value", dict),
            ("aside", dict),
            ("provenance", dict),
        ):
            if not isinstance(data[name], kind):
                raise SynthesisError(f"{source}: {name!r} holds {type(data[name]).__name__}, not {kind.__name__}")
        return cls(
            data["pattern"],
            data["layout"],
            data["font"],
            frozenset(map(str, data["switches"])),
            data["value"],
            data["aside"],
            data["provenance"],
        )
