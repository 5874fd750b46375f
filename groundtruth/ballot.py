"""What one system returned on one document, and whether it may vote with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from groundtruth.evidence import Evidence
from groundtruth.jsontext import Json
from groundtruth.path import Path


class Status(StrEnum):
    """Whether a ballot votes.

    ``ok`` votes on every leaf (what it leaves out is a null vote), ``partial`` votes with what it holds and abstains on
    what it lacks, ``failed`` abstains everywhere.
    """

    OK = "ok"
    PARTIAL = "partial"
    FAILED = "failed"


class Failure(StrEnum):
    """Why a ballot failed: the closed set."""

    NOT_CONFIGURED = "not_configured"
    AUTH = "auth"
    UNSUPPORTED_INPUT = "unsupported_input"
    SCHEMA_REJECTED = "schema_rejected"
    CAPACITY = "capacity"
    RATE_LIMITED = "rate_limited"
    TRANSIENT = "transient"
    TIMEOUT = "timeout"
    REFUSED = "refused"
    INVALID_JSON = "invalid_json"
    SCHEMA_INVALID = "schema_invalid"
    BUDGET_EXCEEDED = "budget_exceeded"
    CANCELLED = "cancelled"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Ballot:
    """One system's answer for one document.

    Attributes:
        system: the system's name, unique in a panel.
        family: systems of one family are not independent; the system's own name unless declared.
        status: whether it votes.
        data: the extraction, a JSON object; ``Malformed`` stands where the text held nothing trustworthy.
        failure: the kind, for a failed ballot only.
        detail: one line on the failure or on what was cut, or "".
        asserts_null: whether this system's null says that the document holds no value (a rule engine's does not).
        unsupported: schema paths of the leaves that the system says it cannot judge; it abstains there.
        citations: evidence by instance path, in the ballot's own row indices.
    """

    system: str
    family: str
    status: Status = Status.OK
    data: Json = field(default_factory=dict)
    failure: Failure | None = None
    detail: str = ""
    asserts_null: bool = True
    unsupported: frozenset[Path] = frozenset()
    citations: Mapping[Path, tuple[Evidence, ...]] = field(default_factory=dict)

    @property
    def usable(self) -> bool:
        """Whether the ballot votes at all."""
        return self.status is not Status.FAILED

    @classmethod
    def failed(cls, system: str, family: str, failure: Failure, detail: str) -> Ballot:
        """A ballot that abstains everywhere."""
        return cls(system, family, Status.FAILED, failure=failure, detail=detail)
