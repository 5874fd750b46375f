"""What a sample document is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from groundtruth.jsontext import Json
from synth.demo.sheet import Place


@dataclass(frozen=True, slots=True)
class Sample:
    """A document of invented values that were fixed before it was drawn.

    Attributes:
        name: unique among the samples of a seed.
        kind: ``form``, ``invoice`` or ``register``.
        schema: the JSON Schema that asks for the values.
        rules: the field rules, as a rules file holds them.
        values: the truth, in the schema's form; a blank is null.
        pdf: the document, with a text layer.
        places: where each leaf that is not blank was drawn, with its text as printed, by instance path. A leaf on
            several lines is one place around them, its text without the breaks.
    """

    name: str
    kind: str
    schema: dict[str, Json]
    rules: dict[str, Json]
    values: dict[str, Json]
    pdf: bytes
    places: Mapping[str, Place]
