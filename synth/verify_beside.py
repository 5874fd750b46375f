"""Whether what a dataset keeps beside a synthetic document is what belongs to it: its recipe and its schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from groundtruth.jsontext import Json
from synth.pattern import Pattern

_MAKER_KEY: Final = "made_with"
"""What the document was made with is told for people; another version may make the same bytes."""


class Beside(NamedTuple):
    """What lies beside a document.

    Attributes:
        content: the bytes of ``content.json``.
        recipe: ``recipe.json``; None if it is not to be looked at.
        schemas: by the file that each is in, the JSON Schemas under which the document is read.
    """

    content: bytes
    recipe: Mapping[str, Json] | None
    schemas: Mapping[str, Json]


def recipe_cure(pattern: str) -> str:
    """How a recipe comes to be right again."""
    return (
        "copy content.json, take the document out with `goldleaf remove`, and make it again with "
        f"`goldleaf synth make {pattern} --content COPY`"
    )


def schema_cure(pattern: str) -> str:
    """How a schema comes to be right again."""
    return f"put back the `schema` that `goldleaf synth list {pattern} --json` gives"


def recipe_fault(recipe: Mapping[str, Json], expected: Mapping[str, Json]) -> str | None:
    """Where a recipe says other than ``making.recipe_of``, and the cure; None if nowhere."""
    keys = sorted((recipe.keys() | expected.keys()) - {_MAKER_KEY})
    other = [key for key in keys if key not in recipe or key not in expected or recipe[key] != expected[key]]
    if not other:
        return None
    return f"recipe.json is not that of this document ({', '.join(other)}); {recipe_cure(expected['pattern'])}"


def schema_faults(schemas: Mapping[str, Json], pattern: Pattern) -> Iterator[str]:
    """The schemas that are not the pattern's, each with the cure."""
    for file, schema in schemas.items():
        if schema != pattern.schema:
            yield f"{file}: is not the schema of {pattern.name}; {schema_cure(pattern.name)}"
