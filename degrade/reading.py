"""Reading the JSON files of re-captures: recipes and records."""

from __future__ import annotations

import codecs
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from groundtruth import jsontext
from groundtruth.errors import RecipeError

_Model = TypeVar("_Model", bound=BaseModel)


def parse(model: type[_Model], text: bytes, *, source: str, written: str, cure: str) -> _Model:
    """Read the text of a file as a model.

    Args:
        model: what the file holds; it has a ``format``.
        text: the file's content.
        source: what every message begins with.
        written: the format that is read here.
        cure: what a person should do about a malformed file.

    Raises:
        RecipeError: it holds something else, or is of another format.
        JsonError: it is no JSON.
    """
    form: Any = jsontext.loads(text, source=source)
    if isinstance(form, dict) and form.get("format") != written:
        raise RecipeError(
            f"{source}: is of format {form.get('format')!r}, and {written!r} is read here; "
            "use the release of Goldleaf that wrote it, or make it anew"
        )
    try:
        return model.model_validate_json(text.removeprefix(codecs.BOM_UTF8))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise RecipeError(f"{source}: {where}: {first['msg']}; {cure}") from error
