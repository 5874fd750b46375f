"""A ballot as our own files hold it; writing and reading are exact inverses.

JSON has no form for the places that ``Malformed`` marks. The data holds null there, and ``malformed`` lists what
stood in the place::

    {"data": {"total": null}, "malformed": [{"path": "total", "raw": "NaN", "reason": "not_a_finite_number"}], ...}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from groundtruth.ballot import Ballot, Failure, Status
from groundtruth.errors import BallotError, GoldleafError
from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json, Malformed
from groundtruth.path import ROOT, Path, format_path, parse_path

FORMAT: Final = 1


def ballot_to_json(ballot: Ballot) -> dict[str, Json]:
    """The ballot as strict JSON."""
    return {
        "format": FORMAT,
        "system": ballot.system,
        "family": ballot.family,
        "status": str(ballot.status),
        "failure": None if ballot.failure is None else str(ballot.failure),
        "detail": ballot.detail,
        "asserts_null": ballot.asserts_null,
        "unsupported": sorted(format_path(path) for path in ballot.unsupported),
        "citations": {
            format_path(path): [_evidence_to_json(place) for place in places]
            for path, places in ballot.citations.items()
        },
        "data": _without_malformed(ballot.data),
        "malformed": [_malformed_to_json(path, bad) for path, bad in _malformed_places(ballot.data, ROOT)],
    }


def ballot_from_json(form: Json, *, source: str) -> Ballot:
    """The ballot that ``ballot_to_json`` wrote; other keys are ignored.

    Raises:
        BallotError: not such a form, or one of a later format; the message starts with ``source``.
    """
    if not isinstance(form, dict) or form.get("format") != FORMAT:
        found = form.get("format") if isinstance(form, dict) else type(form).__name__
        raise BallotError(f"{source}: not a ballot of format {FORMAT} (found {found!r}); import the votes again")
    try:
        data = form["data"]
        for place in form["malformed"]:
            data = _put(data, parse_path(place["path"]), Malformed(place["raw"], place["reason"]))
        return Ballot(
            system=form["system"],
            family=form["family"],
            status=Status(form["status"]),
            data=data,
            failure=None if form["failure"] is None else Failure(form["failure"]),
            detail=form["detail"],
            asserts_null=form["asserts_null"],
            unsupported=frozenset(map(parse_path, form["unsupported"])),
            citations=_citations_from_json(form["citations"]),
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, GoldleafError) as error:
        raise BallotError(f"{source}: not a ballot: {error!r}; import the votes again") from error


def _citations_from_json(form: Mapping[str, list[Json]]) -> dict[Path, tuple[Evidence, ...]]:
    return {parse_path(path): tuple(map(_evidence_from_json, places)) for path, places in form.items()}


def _evidence_to_json(place: Evidence) -> dict[str, Json]:
    form = place.to_json()
    bad = list(_malformed_places(place.value, ROOT))
    if bad:
        form["value"] = _without_malformed(place.value)
        form["malformed"] = [_malformed_to_json(path, found) for path, found in bad]
    return form


def _evidence_from_json(form: Json) -> Evidence:
    place = Evidence.from_json(form)
    for bad in form.get("malformed", ()):
        value = _put(place.value, parse_path(bad["path"]), Malformed(bad["raw"], bad["reason"]))
        place = place.model_copy(update={"value": value})
    return place


def _malformed_to_json(path: Path, bad: Malformed) -> dict[str, Json]:
    return {"path": format_path(path), "raw": bad.raw, "reason": bad.reason}


def _malformed_places(value: Json, path: Path) -> Iterator[tuple[Path, Malformed]]:
    if isinstance(value, Malformed):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _malformed_places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _malformed_places(item, (*path, index))


def _without_malformed(value: Json) -> Json:
    if isinstance(value, Malformed):
        return None
    if isinstance(value, dict):
        return {key: _without_malformed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_malformed(item) for item in value]
    return value


def _put(value: Json, path: Path, bad: Malformed) -> Json:
    if not path:
        return bad
    container: Any = value
    for step in path[:-1]:
        container = container[step]
    container[path[-1]] = bad
    return value
