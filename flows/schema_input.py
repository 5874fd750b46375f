"""Schemas as the schema commands take them: a JSON Schema file, a frozen file, or one of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from groundtruth import jsontext
from groundtruth.errors import DatasetError, RulesError
from groundtruth.jsontext import Json
from groundtruth.rules import Rules
from groundtruth.schema import DRAFT, FrozenSchema

if TYPE_CHECKING:
    from groundtruth.store import Dataset

_FROZEN_KEYS: Final = frozenset({"leaves", "name", "rules", "schema", "version"})


class SchemaInput(NamedTuple):
    """A schema that may not compile yet, with its rules and what messages call it."""

    name: str
    version: str
    source: Json
    rules: Rules
    origin: str

    def compile(self) -> FrozenSchema:
        """Compile it.

        Raises:
            SchemaError, RulesError: it does not compile; the message starts with its file.
        """
        from groundtruth.schema_compile import compile_schema

        return compile_schema(self.source, self.rules, name=self.name, version=self.version, origin=self.origin)


def from_file(file: Path, rules: Path | None = None) -> SchemaInput:
    """Read a JSON Schema file, or a file that ``schema freeze`` wrote, which brings its rules.

    Raises:
        JsonError: a file cannot be read or is not strict JSON.
        RulesError: the rules are malformed, or rules are given for a frozen file.
    """
    source = jsontext.load_file(file)
    if not _is_frozen(source):
        name = file.stem.removesuffix(".schema")
        return SchemaInput(name, DRAFT, source, Rules.load(rules) if rules else Rules(), str(file))
    if rules is not None:
        raise RulesError(f"{rules}: {file} is a frozen schema and holds its own rules; leave --rules out")
    own = Rules.from_json(source["rules"], source=str(file))
    return SchemaInput(str(source["name"]), str(source["version"]), source["schema"], own, str(file))


def from_dataset(dataset: Dataset, name: str, version: str | None = None) -> SchemaInput:
    """A version of a dataset's schema; by default the draft, also one that does not compile.

    Raises:
        DatasetError: there is no such schema or version.
        JsonError, RulesError: the draft's files are not what they should be.
    """
    if name not in dataset.schema_names():
        known = ", ".join(dataset.schema_names()) or "none yet"
        raise DatasetError(f"{dataset.root}: no schema {name!r}; it has {known}")
    folder = dataset.root / "schemas" / name
    draft = folder / "draft.schema.json"
    if version not in {None, DRAFT} or not draft.is_file():
        found = dataset.schema(name, version)
        return SchemaInput(name, found.version, found.source, found.rules, str(folder / f"{found.version}.json"))
    rules = folder / "draft.rules.json"
    return SchemaInput(
        name, DRAFT, jsontext.load_file(draft), Rules.load(rules) if rules.is_file() else Rules(), str(draft)
    )


def only_schema(dataset: Dataset, name: str | None) -> str:
    """The named schema, or the only one there is.

    Raises:
        DatasetError: there are none or several, and none is named.
    """
    names = dataset.schema_names()
    if name is not None or len(names) == 1:
        return name or names[0]
    cure = f"name one of {', '.join(names)}" if names else "add documents with --schema first"
    raise DatasetError(f"{dataset.root}: it has {len(names)} schemas; {cure}")


def _is_frozen(source: Json) -> bool:
    return isinstance(source, dict) and source.keys() >= _FROZEN_KEYS and "properties" not in source
