"""Files of many records: JSON lines, or Parquet."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from groundtruth import jsontext
from groundtruth.errors import GoldleafError, JsonError
from groundtruth.jsontext import Json
from groundtruth.store_files import scratch_path


def write_records(path: Path, records: Iterable[dict[str, Json]]) -> None:
    """Write records to a file whose name ends in ``.jsonl`` or ``.parquet``, whole or not at all.

    Raises:
        GoldleafError: Parquet is asked for and pyarrow is not installed.
        OSError: the file cannot be written.
    """
    parquet = _parquet(path, instead="name a .jsonl file") if path.suffix == ".parquet" else None
    temporary = scratch_path(path.parent)
    try:
        with temporary.open("xb") as stream:
            if parquet is not None:
                arrow, writer = parquet
                writer.write_table(arrow.Table.from_pylist(list(records)), stream)
            else:
                stream.writelines(jsontext.dumps(record).encode() + b"\n" for record in records)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _parquet(path: Path, *, instead: str) -> tuple[Any, Any]:
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.parquet as writer  # type: ignore[import-untyped]
    except ImportError as error:
        raise GoldleafError(
            f"{path}: Parquet needs pyarrow, which is not installed: install goldleaf[parquet], or {instead}"
        ) from error
    return pyarrow, writer


def read_table(path: Path) -> list[dict[str, Any]]:
    """The rows of a table, ``.csv`` in UTF-8 or ``.parquet``, by column.

    Raises:
        JsonError: the file cannot be read as such a table.
        GoldleafError: Parquet, and pyarrow is not installed.
    """
    if path.suffix == ".parquet":
        arrow, reader = _parquet(path, instead="make it CSV")
        try:
            rows: list[dict[str, Any]] = reader.read_table(path).to_pylist()
        except (arrow.ArrowException, OSError) as error:
            raise JsonError(f"{path}: not Parquet: {error}") from error
        return rows
    csv.field_size_limit(sys.maxsize)
    try:
        text = jsontext.read_bytes(path).decode("utf-8-sig")
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise JsonError(f"{path}: not CSV in UTF-8: {error}") from error
