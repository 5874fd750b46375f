"""What a truth accepts at each address and where it says that the value stands, and what a prediction cites.

Addresses are texts, ``items[0].amount``, with the indices of their own document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from groundtruth import jsontext
from groundtruth.errors import RulesError
from groundtruth.jsontext import Json, Rough
from scoring.cell_keys import NORMALIZERS
from scoring.places import LAST_PAGE, Place, Places


class FieldEvidence(NamedTuple):
    """What is known of one address of a truth.

    Attributes:
        readings: further values that are right, beside the one in the truth; never null.
        places: where the value stands; any of them proves it.
        normalizers: names of ``cell_keys.NORMALIZERS``.
    """

    readings: tuple[Json, ...] = ()
    places: tuple[Place, ...] = ()
    normalizers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class KnownFields(Mapping[str, FieldEvidence]):
    """What is known of every address of a truth; a ``FieldEvidence`` is made when one is asked for.

    Attributes:
        readings: further right values by address; every address is here.
        places: where values stand.
        normalizers: by address, where there are any.
    """

    readings: Mapping[str, tuple[Json, ...]]
    places: Places
    normalizers: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, evidence: Mapping[str, FieldEvidence]) -> KnownFields:
        """The same of evidence that was made address by address."""
        if isinstance(evidence, KnownFields):
            return evidence
        return cls(
            {address: known.readings for address, known in evidence.items()},
            Places.of({address: known.places for address, known in evidence.items() if known.places}),
            {address: known.normalizers for address, known in evidence.items() if known.normalizers},
        )

    def __getitem__(self, address: str) -> FieldEvidence:
        return FieldEvidence(self.readings[address], self.places.get(address, ()), self.normalizers.get(address, ()))

    def __iter__(self) -> Iterator[str]:
        return iter(self.readings)

    def __len__(self) -> int:
        return len(self.readings)


class _Collector:
    """Collects what is known of addresses, one after another.

    Attributes:
        keys: how many keys of objects were met.
        is_plain: whether no reading is a list or an object.
    """

    def __init__(self) -> None:
        self.keys = 0
        self.is_plain = True
        self._readings: dict[str, tuple[Json, ...]] = {}
        self._normalizers: dict[str, tuple[str, ...]] = {}
        self._addresses: list[str] = []
        self._entries: list[Mapping[str, Json]] = []

    def add(self, address: str, entries: Json, normalizers: tuple[str, ...] = ()) -> None:
        """Take what is known of an address.

        Raises:
            RulesError: entries that are no evidence.
        """
        if not isinstance(entries, list):
            raise RulesError("evidence is a list of objects")
        readings: tuple[Json, ...] = ()
        for entry in entries:
            if not isinstance(entry, dict):
                raise RulesError("evidence is a list of objects")
            self.keys += len(entry)
            reading = entry.get("value")
            if reading is not None:
                if type(reading) is float:
                    reading = jsontext.exact(reading)
                elif type(reading) is not str and isinstance(reading, (dict, list)):
                    self.is_plain = False
                readings += (reading,)
            page = entry.get("page")
            if page is not None:
                if type(page) is not int or not 1 <= page <= LAST_PAGE:
                    raise _no_page(page)
                self._addresses.append(address)
                self._entries.append(entry)
        self._readings[address] = readings
        if normalizers:
            self._normalizers[address] = normalizers

    def add_rules(self, form: Json, source: str) -> None:
        """Take the rules of ExtractBench.

        Raises:
            RulesError: anything that is no such rule.
        """
        address, rules = "", _by_address(form, source)
        self.keys += len(form) if isinstance(form, dict) else 0
        try:
            for address, rule in rules.items():
                self.add(address, *_rule(rule))
                self.keys += len(rule)
        except RulesError as error:
            raise RulesError(f"{source}: {address}: {error}") from None

    def found(self) -> KnownFields:
        """All that was taken."""
        return KnownFields(self._readings, Places.of_entries(self._addresses, self._entries), self._normalizers)


def read_field_rules(form: Json, *, source: str = "field rules") -> KnownFields:
    """The rules of ExtractBench: an object by address, or a list of rules that name their address.

    A rule has ``evidence``, a list of ``{page, bbox, value, coarse}``, or the older ``bboxes`` with ``expected_value``;
    and ``normalizers``. A box without area proves nothing and is left out. Of two rules for one address the last holds.

    Raises:
        RulesError: anything that is no such rule; the message says where.
    """
    collector = _Collector()
    collector.add_rules(form, source)
    return collector.found()


def rough_field_rules(form: Rough) -> KnownFields | None:
    """The same from JSON that was read roughly; None when that may have lost something, or it is no rules."""
    collector = _Collector()
    try:
        collector.add_rules(form.value, "")
    except RulesError:
        return None
    return collector.found() if collector.is_plain and collector.keys == form.keys else None


def read_evidence(form: Json, *, source: str = "evidence") -> KnownFields:
    """The evidence of a truth of ours: a list of entries by address.

    Raises:
        RulesError: anything else; the message says where.
    """
    if not isinstance(form, dict):
        raise RulesError(f"{source}: evidence is an object with a list by address, not {type(form).__name__}")
    collector = _Collector()
    for address, entries in form.items():
        try:
            collector.add(address, entries)
        except RulesError as error:
            raise RulesError(f"{source}: {address}: {error}") from None
    return collector.found()


def read_citations(form: Json, *, source: str = "citations") -> Places:
    """What a prediction cites: a list of ``{field_path, page, bbox}``; a box that is none, or flat, is a page only.

    Raises:
        RulesError: no list of objects, or one without an address or a page from 1.
    """
    if not isinstance(form, list):
        raise RulesError(f"{source}: citations are a list, not {type(form).__name__}")
    for number, entry in enumerate(form, start=1):
        if _is_citation(entry):
            continue
        try:
            if not isinstance(entry, dict) or not isinstance(entry.get("field_path"), str):
                raise RulesError("an object with field_path and page is needed")
            raise _no_page(entry.get("page"))
        except RulesError as error:
            raise RulesError(f"{source}: citation {number}: {error}") from None
    return _citations(form)


def _citations(entries: Sequence[Mapping[str, Json]]) -> Places:
    return Places.of_entries([entry["field_path"] for entry in entries], entries)


def rough_citations(form: Rough) -> Places | None:
    """The same from JSON that was read roughly; None when that may have lost something, or it is no citations."""
    entries = form.value
    if not isinstance(entries, list) or not all(map(_is_citation, entries)):
        return None
    return _citations(entries) if sum(map(len, entries)) == form.keys else None


def usable_citations(form: Json) -> tuple[Places, int]:
    """What a prediction cites, and how many of its citations are none and left out; for what a system returned."""
    entries = form if isinstance(form, list) else [form]
    usable = [entry for entry in entries if _is_citation(entry)]
    return read_citations(usable), len(entries) - len(usable)


def _is_citation(entry: Json) -> bool:
    if not isinstance(entry, dict) or not isinstance(entry.get("field_path"), str):
        return False
    page = entry.get("page")
    return type(page) is int and 1 <= page <= LAST_PAGE


def _no_page(page: Json) -> RulesError:
    return RulesError(f"a page is a whole number from 1, not {page!r}")


def with_normalizers(evidence: Mapping[str, FieldEvidence], form: Json, *, source: str = "normalizers") -> KnownFields:
    """Evidence joined with the normalizers of a truth of ours: a list of names by address.

    Raises:
        RulesError: anything else, or a name that no normalizer has; the message says where.
    """
    if not isinstance(form, dict) or not all(isinstance(names, list) for names in form.values()):
        raise RulesError(f"{source}: normalizers are an object with a list of names by address")
    known = KnownFields.of(evidence)
    found: dict[str, tuple[str, ...]] = {}
    for address, names in form.items():
        try:
            found[address] = _normalizers(names)
        except RulesError as error:
            raise RulesError(f"{source}: {address}: {error}") from None
    readings = dict.fromkeys(found, ()) | dict(known.readings)
    return replace(known, readings=readings, normalizers={**known.normalizers, **found}) if found else known


def _normalizers(names: Iterable[Json]) -> tuple[str, ...]:
    normalizers = tuple(names)
    unknown = sorted(set(map(str, normalizers)) - NORMALIZERS) if normalizers else ()
    if unknown:
        raise RulesError(f"no normalizer is called {unknown[0]!r}; there is {', '.join(sorted(NORMALIZERS))}")
    return normalizers


def _by_address(form: Json, source: str) -> Mapping[str, Json]:
    if isinstance(form, dict):
        return form
    if isinstance(form, list) and all(
        isinstance(rule, dict) and isinstance(rule.get("field_path"), str) for rule in form
    ):
        return {rule["field_path"]: rule for rule in form}
    raise RulesError(f"{source}: field rules are an object by address, or a list of rules with a field_path")


def _rule(rule: Json) -> tuple[Json, tuple[str, ...]]:
    """The evidence and the normalizers of a rule."""
    if not isinstance(rule, dict):
        raise RulesError(f"a rule is an object, not {type(rule).__name__}")
    normalizers = _normalizers(rule["normalizers"]) if rule.get("normalizers") else ()
    evidence = rule.get("evidence")
    if evidence is None:
        value = rule.get("expected_value")
        boxes = rule.get("bboxes") or ()
        evidence = [{**box, "value": value} for box in boxes if isinstance(box, dict)]
    return evidence, normalizers
