"""The extractor ``text-geo``: the native text layer, read by the geometry of labels and columns.

It knows no language and no layout beyond the schema: a field is what stands beside or under a label that bears its
name, an array is what stands under a header that names its properties. What has no label it does not guess: the leaf
is unsupported and the ballot abstains there. Its null says that a label stands there with nothing to it, which is
weaker than saying that the document holds no value, so it never asserts null.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Final

from extractors.conventions import Conventions, observe
from extractors.key_value import KeyValues
from extractors.labels import LabelBook, SchemaNames, Tokens
from extractors.layout import Line, evidence, lines_of
from extractors.protocol import ExtractionFailed, ExtractorInfo, Input
from extractors.table_header import SoughtTable
from extractors.tables import FoundTable, TableReader
from extractors.typed import Parsed, is_judgeable
from extractors.words import PageText, read_document
from groundtruth.ballot import Ballot, Failure
from groundtruth.errors import DocumentError, DocumentTooLarge
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path
from groundtruth.schema import FrozenSchema, Record, Table

NAME: Final = "text-geo"
VERSION: Final = "1"
FAMILY: Final = "geometric-association"


class TextGeo:
    """Reads PDF files with a text layer, and text and office files; images are unsupported input."""

    @property
    def info(self) -> ExtractorInfo:
        """Its version changes with any change of what it answers, and with the reader underneath."""
        return ExtractorInfo(
            name=NAME,
            version=VERSION,
            family=FAMILY,
            config=_reader_versions(),
            asserts_null=False,
            inputs=frozenset({Input.TEXT_LAYER}),
            offline=True,
            seconds_per_page=0.05,
        )

    def available(self) -> str | None:
        """None, or that pypdfium2 is missing."""
        try:
            import pypdfium2  # type: ignore[import-untyped] # noqa: F401
        except ImportError as error:
            return f"pypdfium2 cannot be imported ({error}); install the project again"
        return None

    def extract(self, file: FilePath, schema: FrozenSchema, *, deadline: float) -> Ballot:  # noqa: ARG002
        """The ballot for one document, with a citation for every value.

        Raises:
            ExtractionFailed: the file cannot be opened, or has no text layer.
        """
        pages = _read(file)
        if not any(page.words for page in pages):
            raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, "no text layer: the pages are images")
        return read_pages(pages, schema)


def read_pages(pages: Iterable[PageText], schema: FrozenSchema) -> Ballot:
    """The ballot for the words of a document."""
    found_pages = list(pages)
    lines = [lines_of(page) for page in found_pages]
    conventions = observe(word.text for page in found_pages for word in page.words)
    names = SchemaNames(schema)
    tables = _read_tables(schema, names, lines, conventions)
    taken = frozenset(word for table in tables.values() for word in table.words)
    answer = _Answer(schema)
    answer.take_tables(tables)
    answer.take_fields(schema, names, lines, conventions, taken)
    return answer.ballot()


def _read(file: FilePath) -> list[PageText]:
    try:
        return read_document(file)
    except DocumentTooLarge as error:
        raise ExtractionFailed(Failure.CAPACITY, str(error)) from error
    except DocumentError as error:
        raise ExtractionFailed(Failure.UNSUPPORTED_INPUT, str(error)) from error


def _read_tables(
    schema: FrozenSchema, names: SchemaNames, lines: list[list[Line]], conventions: Conventions
) -> dict[Path, FoundTable]:
    sought = [SoughtTable(table, names) for table in schema.root.tables()]
    return TableReader(sought, conventions).read(lines)


class _Answer:
    """The ballot while it is filled: values by instance path, and what can be judged."""

    def __init__(self, schema: FrozenSchema) -> None:
        self._root = schema.root
        self._values: dict[Path, Parsed] = {}
        self._rows: dict[Path, int] = {}
        self._judged: set[Path] = set()
        self._leaves = list(schema.leaves)

    def take_tables(self, tables: Mapping[Path, FoundTable]) -> None:
        """The rows of every array, numbered as printed, and the columns that were there."""
        for path, table in tables.items():
            if not table.rows:
                continue  # a header without a row that we can read says nothing about rows
            self._rows[path] = len(table.rows)
            self._judged |= table.columns
            for index, row in enumerate(table.rows):
                for leaf_path, parsed in row.items():
                    self._values[(*path, index, *leaf_path[len(path) + 1 :])] = parsed

    def take_fields(
        self,
        schema: FrozenSchema,
        names: SchemaNames,
        lines: list[list[Line]],
        conventions: Conventions,
        taken: frozenset[int],
    ) -> None:
        """The fields outside arrays of objects."""
        leaves = [leaf for leaf in schema.root.leaves() if is_judgeable(leaf)]
        book = LabelBook(name for leaf in leaves for name in names.of_leaf(leaf))
        headings = _headings(schema.root, names)
        found = KeyValues(book, headings, conventions).find(lines, taken)
        self._values |= found.values
        self._judged |= found.values.keys() | found.blank

    def ballot(self) -> Ballot:
        """The ballot; every leaf is a value, a null under a label of its own, or unsupported."""
        return Ballot(
            system=NAME,
            family=FAMILY,
            data=self._record(self._root, ()),
            asserts_null=False,
            unsupported=frozenset(path for path in self._leaves if path not in self._judged),
            citations={path: self._cited(parsed) for path, parsed in sorted(self._values.items(), key=_order)},
        )

    def _record(self, record: Record, at: Path) -> dict[str, Json]:
        data: dict[str, Json] = {}
        for name, node in record.fields.items():
            here = (*at, name)
            if isinstance(node, Record):
                data[name] = self._record(node, here)
            elif isinstance(node, Table):
                if here in self._rows:
                    data[name] = [self._record(node.row, (*here, index)) for index in range(self._rows[here])]
            elif node.path in self._judged:
                data[name] = self._values[here].value if here in self._values else None
        return data

    @staticmethod
    def _cited(parsed: Parsed) -> tuple[Evidence, ...]:
        return evidence(parsed.words, NAME)


def _headings(root: Record, names: SchemaNames) -> dict[Tokens, Path]:
    """The names of nested records; a name that two of them bear announces neither."""
    found: dict[Tokens, set[Path]] = {}
    for record in _records(root):
        for tokens in names.of_container(record.path):
            found.setdefault(tokens, set()).add(record.path)
    return {tokens: paths.pop() for tokens, paths in found.items() if len(paths) == 1}


def _records(record: Record) -> Iterable[Record]:
    for node in record.fields.values():
        if isinstance(node, Record):
            yield node
            yield from _records(node)


def _order(item: tuple[Path, Parsed]) -> tuple[int, str]:
    path, parsed = item
    return parsed.words[0].order, repr(path)


def _reader_versions() -> str:
    from importlib.metadata import version

    text = f"pypdfium2={version('pypdfium2')};pymupdf={version('pymupdf')}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
