"""Adding files to a dataset under a schema: which schema is meant, and one refusal that does not cost the others."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from groundtruth import jsontext
from groundtruth.document import Description, Document
from groundtruth.errors import DatasetError, GoldleafError
from groundtruth.names import checked_name
from groundtruth.page_files import shown
from groundtruth.rules import Rules
from groundtruth.schema import DRAFT
from groundtruth.store import Dataset

_SCHEMA: Final = ".schema"


class Refused(NamedTuple):
    """A file that was not added, fit to be printed, and why."""

    file: str
    reason: str


def add_files(
    dataset: Dataset, files: Iterable[Path], description: Description, *, document_id: str | None = None
) -> tuple[list[Document], list[Refused]]:
    """Add each file, and return the documents and the files that were refused, in the order given."""
    added: list[Document] = []
    refused: list[Refused] = []
    for file in files:
        try:
            added.append(
                dataset.add_document(
                    file,
                    id=document_id,
                    schema=description.schema_name,
                    kind=description.kind,
                    type=description.type,
                    domain=description.domain,
                    source=description.source,
                    license=description.license,
                )
            )
        except GoldleafError as error:
            refused.append(Refused(shown(file), str(error)))
    return added, refused


def choose_schema(dataset: Dataset, schema: str | None, rules: Path | None, name: str | None) -> str:
    """The name of the schema that is meant; a schema file is stored as a draft if it is new.

    Args:
        dataset: where the schemas are.
        schema: a schema of the dataset, else a JSON Schema file; None is the only schema of the dataset.
        rules: the rules file of a schema file; with a schema of the dataset it must say what its draft's rules say.
        name: what to call a schema file's schema, by default as the file (without ``.json`` and ``.schema.json``).

    Raises:
        DatasetError: none or several schemas could be meant, or the name holds another content.
        JsonError, SchemaError, RulesError: a file is not what it should be.
    """
    names = dataset.schema_names()
    if schema is None:
        if len(names) != 1 or name is not None:
            raise DatasetError(
                f"{dataset.root}: which schema is meant? give --schema a JSON Schema file or one of: "
                f"{', '.join(names) or '(none yet)'}"
            )
        schema = names[0]
    if schema in names and name is None:
        if rules is not None and Rules.load(rules) != dataset.schema(schema, DRAFT).rules:
            raise DatasetError(
                f"{rules}: schema {schema!r} of the dataset has other rules; edit "
                f"{dataset.root / 'schemas' / schema / 'draft.rules.json'}"
            )
        return schema
    return _store_draft(dataset, Path(schema), rules, name)


def _store_draft(dataset: Dataset, file: Path, rules: Path | None, name: str | None) -> str:
    if not file.is_file():
        raise DatasetError(
            f"--schema {file}: neither a file nor a schema of the dataset "
            f"({', '.join(dataset.schema_names()) or 'it has none yet'})"
        )
    name = checked_name(
        file.stem.removesuffix(_SCHEMA) if name is None else name, "schema name", cure="give one with --schema-name"
    )
    source = jsontext.load_file(file)
    if rules is None and name in dataset.schema_names():
        # The rules of a draft are edited in the dataset; that the file brings none does not take them away.
        found = dataset.schema(name, DRAFT).rules
    else:
        found = Rules() if rules is None else Rules.load(rules)
    dataset.put_draft(name, source, found, origin=str(file))
    return name
