"""Re-captures with values that may not be legible: what is asked of people about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from annotation.legibility import Legibility, legibility, legibility_situation, named
from annotation.situation import Situation
from groundtruth import jsontext
from groundtruth.document import Kind
from groundtruth.errors import DatasetError, JsonError
from groundtruth.jsontext import Json
from groundtruth.store import Dataset

_DOUBTS = ("illegible", "clipped", "lost")


def legibility_situations(dataset: Dataset) -> dict[str, Situation]:
    """How every re-capture stands of which some values may not be legible, by id.

    Raises:
        DatasetError: the record of a re-capture is damaged.
    """
    found = {}
    for document in dataset.documents():
        doubtful = _doubtful(dataset, document.id) if document.kind is Kind.RECAPTURE else []
        truth = dataset.truth(document.id) if doubtful else None
        if truth is not None:
            schema, log = dataset.schema(document.schema_name), dataset.decisions(document.id)
            found[document.id] = legibility_situation(truth, doubtful, schema, log)
    return found


def legibility_json(situations: Mapping[str, Situation]) -> dict[str, Json]:
    """The part of ``review status --json`` on the legibility of re-captures."""
    said = {name: legibility(situation) for name, situation in situations.items()}
    counts = Counter(each for found in said.values() for each in found.values())
    return {
        "asked": counts.total(),
        **{str(each): counts[each] for each in Legibility},
        "not_legible": {
            name: paths
            for name, found in said.items()
            if (paths := [*named(found, Legibility.ILLEGIBLE), *named(found, Legibility.OTHERWISE)])
        },
    }


def _doubtful(dataset: Dataset, document_id: str) -> list[str]:
    """The values that no drawing left legible and whole, as the record of the re-capture names them."""
    file = dataset.root / "recaptures" / f"{document_id}.json"
    if not file.is_file():
        return []
    try:
        pages = jsontext.load_file(file)["pages"]
        return sorted({path for page in pages for doubt in _DOUBTS for path in page[doubt]})
    except (JsonError, KeyError, TypeError) as error:
        raise DatasetError(
            f"{file}: is no record of a re-capture ({error}); make it again with `goldleaf recapture make`"
        ) from error
