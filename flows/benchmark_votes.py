"""What systems returned on a benchmark: whose file is about which document."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from flows.benchmark import Code, Entry, Finding, LeftOut, Listing
from flows.benchmark_extractbench import own_path
from groundtruth import jsontext
from groundtruth.ballot import Ballot, Failure
from groundtruth.ballot_files import VoteFile, one_line, parse_vote_file
from groundtruth.ballot_status import failure_of
from groundtruth.errors import BallotError, GoldleafError, PathError
from groundtruth.jsontext import Json
from groundtruth.page_files import shown
from groundtruth.path import parse_path

_ERRORS: Final = "_errors.json"
_RESULT: Final = ".result.json"
_JSON: Final = ".json"
_PREDICTIONS: Final = "predictions"


class Answer(NamedTuple):
    """A system's answer on one entry: a file, or what an errors file says of it."""

    system: str
    file: Path
    error: Json = None


@dataclass(slots=True)
class Answers:
    """All answers by the entry's ``source_id``, and what could not be told."""

    by_entry: dict[str, list[Answer]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def find_runs(folder: Path) -> dict[str, Path]:
    """The folders of answers in ``folder``, by system: itself, or one for each system.

    It is one run when answers lie directly in it, in its ``predictions``, or as ``<group>/<stem>.result.json``;
    otherwise each folder in it is one.

    Raises:
        BallotError: it is no folder, or holds nothing of the kind.
    """
    if not folder.is_dir():
        raise BallotError(f"{shown(folder)}: is no folder; give the one that holds the predictions")
    folder = folder.absolute()
    if (folder / _PREDICTIONS).is_dir():
        return {folder.name: folder / _PREDICTIONS}
    if any(folder.glob(f"*{_JSON}")) or any(folder.glob(f"*/*{_RESULT}")):
        return {folder.name: folder}
    runs = {
        path.name: path / _PREDICTIONS if (path / _PREDICTIONS).is_dir() else path
        for path in sorted(folder.iterdir())
        if path.is_dir() and not path.name.startswith(".")
    }
    found = {system: path for system, path in runs.items() if any(path.rglob(f"*{_JSON}"))}
    if not found:
        raise BallotError(f"{shown(folder)}: holds no .json file; give the folder that holds the predictions")
    return found


def match_answers(listing: Listing, runs: dict[str, Path]) -> Answers:
    """Tell which entry each answer is about: by its path, else by the ``example_id`` in it.

    Of several files of one system on one entry none is taken. What an ``_errors.json`` says counts where there is no
    result.
    """
    answers = Answers()
    names = _Names(listing.entries)
    claims: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    failed: dict[tuple[str, str], Answer] = {}
    for vote in listing.votes:
        claims[vote.source_id, vote.system].append(Answer(vote.system, vote.file))
    for system, folder in sorted(runs.items()):
        for file in sorted(folder.rglob(f"*{_JSON}")):
            if file.name == _ERRORS:
                failed |= {(entry, system): answer for entry, answer in _errors(file, system, names, answers)}
                continue
            source_id = names.of_path(file.relative_to(folder)) or _by_content(file, names)
            if source_id is None:
                answers.left_out.append(LeftOut(shown(file), "belongs to no document of the benchmark"))
            else:
                claims[source_id, system].append(Answer(system, file))
    for key in sorted(claims.keys() | failed.keys()):
        source_id, system = key
        found = claims.get(key) or [failed[key]]
        if len(found) == 1:
            answers.by_entry.setdefault(source_id, []).append(found[0])
        else:
            files = ", ".join(shown(answer.file) for answer in found)
            message = f"{system}: several files are about it, so none was taken: {files}"
            answers.findings.append(Finding(source_id, Code.BALLOT_UNUSABLE, "", message))
    return answers


def failed_ballot(answer: Answer, family: str) -> Ballot:
    """The ballot of an answer that an errors file tells of."""
    kind = failure_of(answer.error.get("error_type")) or Failure.INTERNAL
    said = answer.error.get("error") or answer.error.get("error_type") or "the run failed"
    return Ballot.failed(answer.system, family, kind, one_line(str(said)))


def in_our_spelling(file: VoteFile) -> VoteFile:
    """A result of ExtractBench with its citations' addresses as we write them: a name with a space in brackets."""
    output = file.root.get("output") if isinstance(file.root, dict) else None
    citations = output.get("field_citations") if isinstance(output, dict) else None
    if not isinstance(output, dict) or not isinstance(citations, list):
        return file
    spelled = [
        {**one, "field_path": _spelled(one["field_path"])}
        if isinstance(one, dict) and isinstance(one.get("field_path"), str)
        else one
        for one in citations
    ]
    return replace(file, root={**file.root, "output": {**output, "field_citations": spelled}})


def _spelled(address: str) -> str:
    try:
        parse_path(address)
    except PathError:
        return own_path(address)
    return address


class _Names:
    """The entries by all names that a file of answers may use: the whole id, and its last part where it is unique."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_id: dict[str, str] = {}
        by_stem: dict[str, set[str]] = defaultdict(set)
        for entry in entries:
            self._by_id[_nfc(entry.source_id)] = entry.source_id
            by_stem[_nfc(entry.stem)].add(entry.source_id)
        self._by_stem = {stem: next(iter(ids)) for stem, ids in by_stem.items() if len(ids) == 1}

    def of_path(self, path: Path) -> str | None:
        """The entry that a file below a run's folder is named after."""
        text = _nfc(path.as_posix())
        stems = [text.removesuffix(end) for end in (_JSON, _RESULT) if text.endswith(end)]
        return next((found for stem in stems if (found := self._find(stem))), None)

    def of_example(self, example_id: str) -> str | None:
        """The entry that a result says it is about."""
        text = _nfc(example_id)
        return self._find(text) or self._find(PurePosixPath(text).with_suffix("").as_posix() if text else "")

    def _find(self, name: str) -> str | None:
        return self._by_id.get(name) or self._by_stem.get(PurePosixPath(name).name)


def _by_content(file: Path, names: _Names) -> str | None:
    if not file.name.endswith(_RESULT):
        return None
    try:
        example_id = parse_vote_file(jsontext.read_bytes(file), source=shown(file)).example_id
    except GoldleafError:
        return None
    return None if example_id is None else names.of_example(example_id)


def _errors(file: Path, system: str, names: _Names, answers: Answers) -> Iterator[tuple[str, Answer]]:
    try:
        entries = jsontext.load_file(file)
    except GoldleafError as error:
        answers.findings.append(Finding("", Code.UNREADABLE, "", str(error)))
        return
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries]):
        example = entry.get("example_id") if isinstance(entry, dict) else None
        source_id = names.of_example(example) if isinstance(example, str) else None
        if source_id is None:
            answers.left_out.append(LeftOut(f"{shown(file)}: entry {number}", f"no document is called {example!r}"))
        else:
            yield source_id, Answer(system, file, entry)


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
