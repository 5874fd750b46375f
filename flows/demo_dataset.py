"""The shipped demo as a dataset: its documents added and, if wanted, what four invented systems returned on them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from flows.add_documents import choose_schema
from flows.import_votes import import_votes
from groundtruth import jsontext
from groundtruth.document import Kind
from groundtruth.errors import DatasetError
from groundtruth.store import Dataset

NAME: Final = "Goldleaf demo"
BESIDE_IMPORTED: Final = "text-geo"
"""The extractor that votes beside the four imported systems: a panel holds five."""

_IN_WHEEL: Final = Path(__file__).parent / "demo_data"
_IN_REPOSITORY: Final = Path(__file__).parent.parent / "datasets" / "demo"


def shipped_files() -> Path:
    """The folder that holds the demo's documents, schemas and votes.

    Raises:
        DatasetError: they are neither in the installed package nor in the repository around it.
    """
    for folder in (_IN_WHEEL, _IN_REPOSITORY):
        if (folder / "demo.json").is_file():
            return folder
    raise DatasetError(f"{_IN_WHEEL}: the demo's files are not installed; install the project again")


def open_or_create(folder: Path) -> tuple[Dataset, bool]:
    """The demo's dataset in a folder, and whether it was made now.

    Raises:
        DatasetError: another dataset or anything else is in the folder.
    """
    if not (folder / "dataset.json").is_file():
        return Dataset.create(folder, NAME), True
    dataset = Dataset.open(folder)
    if dataset.name != NAME:
        raise DatasetError(f"{folder}: is the dataset {dataset.name!r} and not the demo; give another folder")
    return dataset, False


def fill(dataset: Dataset, files: Path) -> None:
    """Bring in what the dataset lacks of the demo's documents; a schema that was edited stays as it is.

    Args:
        dataset: the demo's dataset.
        files: as from ``shipped_files``.
    """
    manifest = jsontext.load_file(files / "demo.json")
    dataset.sweep()
    for document, facts in manifest["documents"].items():
        if document in dataset.document_ids():
            continue
        name = facts["schema"]
        if name not in dataset.schema_names():
            schema = files / "schemas" / f"{name}.json"
            choose_schema(dataset, str(schema), schema.with_suffix(".rules.json"), name)
        dataset.add_document(
            files / "documents" / facts["file"],
            id=document,
            schema=name,
            kind=Kind(facts["kind"]),
            type=name,
            domain=facts["domain"],
            source="made for the demo of goldleaf; everything in it is invented",
            license="Apache-2.0",
        )


def bring_in_votes(dataset: Dataset, files: Path) -> None:
    """Import what the four systems returned; without a panel they vote from now on, with one extractor beside them.

    Args:
        dataset: the demo's dataset with its documents.
        files: as from ``shipped_files``.
    """
    systems = jsontext.load_file(files / "demo.json")["systems"]
    for system, family in systems.items():
        import_votes(dataset, [files / "votes" / system], system=system, family=family)
    if dataset.panel is None:
        dataset.set_panel([*systems, BESIDE_IMPORTED], planned=[BESIDE_IMPORTED])
