"""The schemas of a dataset: one draft that may change, and versions that may not.

``schemas/<name>/draft.schema.json`` and ``draft.rules.json`` are for people to edit. ``schemas/<name>/<version>.json``
holds a frozen schema with the fingerprint of every leaf. ``draft.refused.json`` is a schema that does not compile, kept
for a truth that was made under it. Property order is kept in both, unlike in our other files: it
is the order in which leaves are listed and reviewed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import simplejson

from groundtruth.errors import DatasetError, SchemaError
from groundtruth.jsontext import Json
from groundtruth.names import checked_name
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.schema import DRAFT, FrozenSchema
from groundtruth.store_folder import Folder, encoded

_SCHEMAS: Final = "schemas"
_DRAFT_SCHEMA: Final = "draft.schema.json"
_DRAFT_RULES: Final = "draft.rules.json"
_REFUSED: Final = "draft.refused.json"
_NUMBER: Final = re.compile(r"\d+")

_State = tuple[int, int, int] | None
"""Which bytes a file holds, as far as can be told without reading it; None when there is no file."""


class Schemas:
    """The schemas of a dataset folder."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._compiled: dict[tuple[str, str], tuple[tuple[_State, ...], FrozenSchema]] = {}

    def names(self) -> tuple[str, ...]:
        """Every schema that has a draft or a version, sorted."""
        return tuple(name for name in self._folder.entries(_SCHEMAS) if self.has_draft(name) or self.versions(name))

    def has(self, name: str) -> bool:
        """Whether ``names`` has it, without looking at all others."""
        return name in self._folder.entries(_SCHEMAS) and (self.has_draft(name) or bool(self.versions(name)))

    def has_draft(self, name: str) -> bool:
        """Whether ``name`` has a draft."""
        return self._folder.path(_SCHEMAS, name, _DRAFT_SCHEMA).is_file()

    def versions(self, name: str) -> tuple[str, ...]:
        """The frozen versions, oldest first: 1.2 before 1.10."""
        files = self._folder.entries(_SCHEMAS, name)
        found = [file.removesuffix(".json") for file in files if file.endswith(".json") and not _is_draft(file)]
        return tuple(sorted(found, key=_version_key))

    def load(self, name: str, version: str | None = None) -> FrozenSchema:
        """A version, ``draft``, or by default the latest version and without one the draft.

        Raises:
            DatasetError: there is no such schema or version, or a frozen file was edited.
            SchemaError, RulesError: an edited draft does not compile.
        """
        if not self.has(name):
            raise DatasetError(
                f"{self._folder.root}: no schema {name!r}; it has {_listed(self.names())}; "
                "`goldleaf add --schema FILE` brings one in"
            )
        versions = self.versions(name)
        wanted = version or (versions[-1] if versions else DRAFT)
        if wanted == DRAFT and self.has_draft(name):
            return self._compiled_once(name, wanted, (_DRAFT_SCHEMA, _DRAFT_RULES), self._load_draft)
        if wanted in versions:
            return self._compiled_once(name, wanted, (f"{wanted}.json",), self._load_frozen)
        raise DatasetError(f"schema {name!r} has no version {wanted!r}; it has {_listed((DRAFT, *versions))}")

    def put_draft(self, name: str, source: Json, rules: Rules, *, replace: bool, origin: str | None) -> FrozenSchema:
        """Store a draft, once it compiles.

        Raises:
            DatasetError: there is another draft of that name and ``replace`` is false.
            SchemaError, RulesError: it does not compile.
        """
        from groundtruth.schema_compile import compile_schema

        name = checked_name(name, "schema name", cure="name it with --schema-name")
        compiled = compile_schema(source, rules, name=name, origin=origin)
        with self._folder.lock(_SCHEMAS):
            if self.has_draft(name) and not replace:
                self._refuse_another(name, source, rules)
            elif not (self.has_draft(name) and self._draft_is(name, source, rules)):
                # Rules first: a draft exists when its schema does.
                self._write(name, _DRAFT_RULES, rules.to_json())
                self._write(name, _DRAFT_SCHEMA, source)
        return compiled

    def freeze(self, name: str, version: str | None = None) -> FrozenSchema:
        """Freeze the draft; the same draft under the same version again changes nothing.

        Args:
            name: the schema.
            version: the new version; by default the version that holds just this draft, else the next whole number.

        Raises:
            DatasetError: the version exists with another content, or cannot be a version; there is no draft.
            SchemaError, RulesError: the draft does not compile.
        """
        with self._folder.lock(_SCHEMAS):
            draft = self.load(name, DRAFT)
            version = version or self._next_version(name, draft)
            frozen = _compiled(draft, _checked_version(version))
            form = frozen_form(frozen)
            path = self._folder.path(_SCHEMAS, name, f"{version}.json")
            if not path.exists():
                self._write(name, path.name, form)
            elif self._folder.read_json(path) != form:
                raise DatasetError(f"{path}: version {version!r} is frozen with another content; give a new --version")
        return frozen

    def keep_refused(self, name: str, source: Json) -> None:
        """Keep a schema that does not compile; it is in no list of schemas, and nothing is voted on under it.

        Raises:
            DatasetError: a schema of that name is there with another content.
        """
        name = checked_name(name, "schema name")
        path = self._folder.path(_SCHEMAS, name, _REFUSED)
        with self._folder.lock(_SCHEMAS):
            if path.is_file() or self.has(name):
                if self.source(name) != source:
                    raise DatasetError(f"{path.parent}: holds another schema; give this one a name of its own")
                return
            self._write(name, _REFUSED, source)

    def refused_names(self) -> tuple[str, ...]:
        """Every schema of which only the refused form is there, sorted."""
        compiled = set(self.names())
        return tuple(
            name
            for name in self._folder.entries(_SCHEMAS)
            if name not in compiled and self._folder.path(_SCHEMAS, name, _REFUSED).is_file()
        )

    def source(self, name: str, version: str | None = None) -> Json:
        """The JSON Schema as it was given, a refused one included.

        Raises:
            DatasetError: there is no such schema or version.
        """
        if version in (None, DRAFT) and name in self._folder.entries(_SCHEMAS) and not self.has(name):
            refused = self._folder.path(_SCHEMAS, name, _REFUSED)
            if refused.is_file():
                return self._folder.read_json(refused)
        return self.load(name, version).source

    def _compiled_once(
        self, name: str, version: str, files: tuple[str, ...], load: Callable[[str, str], FrozenSchema]
    ) -> FrozenSchema:
        """What ``load`` gives, again only when one of the files has changed: compiling takes longer than a vote."""
        paths = [self._folder.path(_SCHEMAS, name, file) for file in files]
        state = tuple(_state(path) for path in paths)
        cached = self._compiled.get((name, version))
        if cached is None or cached[0] != state:
            cached = self._compiled[name, version] = (state, load(name, version))
        return cached[1]

    def _load_draft(self, name: str, _version: str) -> FrozenSchema:
        from groundtruth.schema_compile import compile_schema

        path = self._folder.path(_SCHEMAS, name, _DRAFT_SCHEMA)
        return compile_schema(self._folder.read_json(path), self._draft_rules(name), name=name, origin=str(path))

    def _load_frozen(self, name: str, version: str) -> FrozenSchema:
        from groundtruth.schema_compile import compile_schema

        path = self._folder.path(_SCHEMAS, name, f"{version}.json")
        form = self._folder.read_json(path)
        try:
            rules = Rules.from_json(form["rules"], source=str(path))
            frozen = compile_schema(form["schema"], rules, name=name, version=version, origin=str(path))
            stored = {leaf: record["fingerprint"] for leaf, record in form["leaves"].items()}
        except (KeyError, TypeError, AttributeError) as error:
            raise DatasetError(f"{path}: not a frozen schema ({error}); freeze the draft again") from error
        compiled = {format_path(path): leaf.fingerprint for path, leaf in frozen.leaves.items()}
        changed = sorted(stored.items() ^ compiled.items())
        if changed:
            raise DatasetError(
                f"{path}: {changed[0][0]} is not as it was frozen; undo the change, and freeze a new version for it"
            )
        return frozen

    def _next_version(self, name: str, draft: FrozenSchema) -> str:
        versions = self.versions(name)
        for version in reversed(versions):
            if self._folder.read_json(self._folder.path(_SCHEMAS, name, f"{version}.json")) == frozen_form(
                _compiled(draft, version)
            ):
                return version
        numbers = [int(match[0]) for version in versions if (match := _NUMBER.match(version))]
        return str(max(numbers, default=0) + 1)

    def _refuse_another(self, name: str, source: Json, rules: Rules) -> None:
        if not self._draft_is(name, source, rules):
            raise DatasetError(
                f"schema {name!r} is in the dataset with another content; edit "
                f"{self._folder.path(_SCHEMAS, name, _DRAFT_SCHEMA)} (rules: {_DRAFT_RULES}) and add with "
                f"--schema {name}, or give the new one a name of its own with --schema-name"
            )

    def _draft_is(self, name: str, source: Json, rules: Rules) -> bool:
        stored = self._folder.read_json(self._folder.path(_SCHEMAS, name, _DRAFT_SCHEMA))
        return bool(stored == source) and self._draft_rules(name) == rules

    def _draft_rules(self, name: str) -> Rules:
        path = self._folder.path(_SCHEMAS, name, _DRAFT_RULES)
        return Rules.from_json(self._folder.read_json(path), source=str(path)) if path.exists() else Rules()

    def _write(self, name: str, file: str, value: Json) -> None:
        self._folder.write(self._folder.path(_SCHEMAS, name, file), _ordered_json(value))


def _state(path: Path) -> _State:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def frozen_form(schema: FrozenSchema) -> dict[str, Json]:
    """What a frozen schema's file holds; ``leaves`` says per leaf what it is, with its fingerprint."""
    return {
        "leaves": {
            format_path(path): {
                "comparator": str(leaf.comparator),
                "fingerprint": leaf.fingerprint,
                "nullable": leaf.nullable,
                "types": sorted(leaf.types),
            }
            for path, leaf in schema.leaves.items()
        },
        "name": schema.name,
        "rules": schema.rules.to_json(),
        "schema": schema.source,
        "version": schema.version,
        "warnings": list(schema.warnings),
    }


def _compiled(draft: FrozenSchema, version: str) -> FrozenSchema:
    from groundtruth.schema_compile import compile_schema

    return compile_schema(draft.source, draft.rules, name=draft.name, version=version)


def _checked_version(version: str) -> str:
    if version.split(".", 1)[0] == DRAFT:
        raise DatasetError(f"{version!r} cannot be a version: {DRAFT} is the schema before it has one; use '1', say")
    return checked_name(version, "schema version")


def _is_draft(file: str) -> bool:
    return file.split(".", 1)[0] == DRAFT


def _version_key(version: str) -> tuple[list[tuple[int, str]], str]:
    parts = re.split(r"(\d+)", version)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts], version


def _ordered_json(value: Json) -> bytes:
    try:
        text = simplejson.dumps(value, use_decimal=True, allow_nan=False, ensure_ascii=False, indent=1)
    except (ValueError, TypeError, RecursionError) as error:
        raise SchemaError(f"a schema that cannot be written as JSON: {error}") from error
    return encoded(text + "\n")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names)) or "none"
