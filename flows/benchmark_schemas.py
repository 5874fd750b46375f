"""The schemas of a benchmark in a dataset: equal ones once, with the identity keys of their arrays."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from flows.benchmark import Case, Code
from groundtruth import jsontext
from groundtruth.errors import GoldleafError, RulesError, SchemaError
from groundtruth.jsontext import Json
from groundtruth.names import name_problem, proposed_name
from groundtruth.path import Path as LeafPath
from groundtruth.path import format_path
from groundtruth.rules import Rules
from groundtruth.schema import DRAFT, FrozenSchema
from groundtruth.schema_compile import compile_schema
from groundtruth.store import Dataset


class PlacedSchema(NamedTuple):
    """A schema in the dataset: its name there, and None where it is only kept because it does not compile."""

    name: str
    compiled: FrozenSchema | None


class SchemaPlaces:
    """The schemas of the dataset by content, so that documents with equal schemas share one."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._by_content: dict[str, str] = {}
        self._taken = {*dataset.schema_names(), *dataset.refused_schema_names()}
        for name in dataset.schema_names():
            try:
                draft = dataset.schema(name, DRAFT)
            except GoldleafError:
                continue  # only frozen, or edited so that it does not compile: nothing new is put under it
            self._by_content.setdefault(_content(draft.source, draft.rules), name)
        for name in dataset.refused_schema_names():
            self._by_content.setdefault(_content(dataset.schema_source(name), Rules()), name)

    def put(self, case: Case, document_id: str) -> tuple[PlacedSchema, list[tuple[str, str, str]]]:
        """Store the schema of a case, or find it; with what is wrong with it."""
        compiled, findings = _compile(case, document_id)
        rules = compiled.rules if compiled is not None else Rules()
        content = _content(case.schema, rules)
        name = self._by_content.get(content)
        if name is not None:
            # What was frozen of it since is what its documents are under.
            return PlacedSchema(name, None if compiled is None else self._dataset.schema(name)), findings
        name = self._free_name(case.schema_name or document_id)
        stored: FrozenSchema | None = None
        if compiled is None:
            self._dataset.keep_refused_schema(name, case.schema)
        else:
            stored = self._dataset.put_draft(name, case.schema, rules)
        self._by_content[content] = name
        self._taken.add(name)
        return PlacedSchema(name, stored), findings

    def _free_name(self, wanted: str) -> str:
        wanted = unicodedata.normalize("NFC", wanted)
        wanted = wanted if name_problem(wanted) is None else proposed_name(wanted)
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}-{number}"
        return name


def _content(source: Json, rules: Rules) -> str:
    return jsontext.dumps([source, rules.to_json()])


def _compile(case: Case, document_id: str) -> tuple[FrozenSchema | None, list[tuple[str, str, str]]]:
    """The schema with its identity rules, without those that do not fit; None when it does not compile."""
    try:
        plain = compile_schema(case.schema, Rules(), name=document_id)
    except (SchemaError, RulesError) as error:
        return None, [(Code.SCHEMA_REFUSED, "", f"{error}; the schema is kept as it is")]
    tables = {_names_of(path): path for path in plain.tables}
    rules = Rules()
    findings: list[tuple[str, str, str]] = []
    for array, keys in case.identity.items():
        path = tables.get(tuple(array.replace("[]", "").split(".")))
        if path is None:
            findings.append((Code.IDENTITY_REFUSED, array, "the schema has no such array of objects"))
            continue
        fields = plain.tables[path].row.fields
        told = tuple(format_path((key,)) if key in fields else key for key in keys)
        tried = rules.model_copy(update={"identity": {**rules.identity, format_path(path): told}})
        try:
            plain = compile_schema(case.schema, tried, name=document_id)
            rules = tried
        except (SchemaError, RulesError) as error:
            findings.append((Code.IDENTITY_REFUSED, array, str(error)))
    return plain, findings


def _names_of(path: LeafPath) -> tuple[str, ...]:
    return tuple(step for step in path if isinstance(step, str))
