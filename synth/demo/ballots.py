"""What four invented systems returned on the demo's documents: the printed values, with the faults that real ones make.

The faults are data, ``faults.json`` of the demo: per document a list of what one system did to one path, in the
indices of the printed values. The systems answer in the three forms that ``goldleaf votes import`` reads.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path as FilePath
from typing import Final

from groundtruth import jsontext
from groundtruth.jsontext import Json
from groundtruth.path import Path, parse_path
from synth.demo.documents import DRAWINGS, draw, load_values
from synth.demo.sheet import Place

_IN_ENVELOPES: Final = "harbor"
"""Answers as ``{"status", "data", ...}``; birch and cedar answer with the bare object."""

_CITING: Final = "lantern"
"""Answers like the runner of ExtractBench, with a citation for every value. It leaves out and puts in no row."""

_DECIMALS: Final = 4


def vote_files(folder: FilePath) -> dict[str, bytes]:
    """Every vote file of the demo in ``folder``, by its path below the folder of votes."""
    systems = jsontext.load_file(folder / "demo.json")["systems"]
    faults = jsontext.load_file(folder / "faults.json")
    files: dict[str, Json] = {}
    for document in DRAWINGS:
        values, places = load_values(folder, document), draw(folder, document).places
        for system in systems:
            own = [fault for fault in faults[document] if fault["system"] == system]
            suffix = "result.json" if system == _CITING else "json"
            files[f"{system}/{document}.{suffix}"] = _answer(system, document, values, own, places)
    return {name: (jsontext.dumps(form, indent=1) + "\n").encode() for name, form in files.items()}


def _answer(system: str, document: str, values: Json, faults: Sequence[Json], places: Mapping[str, Place]) -> Json:
    """One answer, in the form that the system uses."""
    if any("fails" in fault for fault in faults):
        return {"status": faults[0]["fails"], "data": None, "error": faults[0]["why"]}
    data = with_faults(values, faults)
    if system == _IN_ENVELOPES:
        return {"status": "ok", "data": data, "model": f"{system}-2"}
    if system == _CITING:
        return {
            "request": {"example_id": f"demo/{document}"},
            "output": {"extracted_data": data, "field_citations": list(_citations(data, places))},
        }
    return data


def with_faults(values: Json, faults: Sequence[Json]) -> Json:
    """A copy of the values with other answers, and then with rows left out or put in before an index."""
    data = copy.deepcopy(values)
    for fault in faults:
        if "answer" in fault:
            *steps, key = parse_path(fault["path"])
            _at(data, steps)[key] = fault["answer"]
    # From the last row back, so that the indices of those before it hold.
    moving = [fault for fault in faults if "answer" not in fault]
    for fault in sorted(moving, key=lambda fault: _row(fault["path"]), reverse=True):
        *steps, index = parse_path(fault["path"])
        rows = _at(data, steps)
        if "insert" in fault:
            rows.insert(index, fault["insert"])
        else:
            del rows[index]
    return data


def _row(path: str) -> int:
    index = parse_path(path)[-1]
    return index if isinstance(index, int) else -1


def _citations(data: Json, places: Mapping[str, Place]) -> Iterator[dict[str, Json]]:
    for leaf, place in places.items():
        if _at(data, parse_path(leaf)) is None:
            continue
        x, y, width, height = place.x0, place.y0, place.x1 - place.x0, place.y1 - place.y0
        yield {
            "field_path": leaf,
            "page": place.page,
            "bbox": [round(number, _DECIMALS) for number in (x, y, width, height)],
            "reference_text": place.text or None,
        }


def _at(data: Json, steps: Path | Sequence[Json]) -> Json:
    for step in steps:
        data = data[step]
    return data
