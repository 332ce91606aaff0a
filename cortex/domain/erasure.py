"""What is erased, how far it has come, and the statement that is signed when nothing is left."""

import enum
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime


class SubjectKind(enum.StrEnum):
    DOCUMENT = "document"
    PERSON = "person"


class ErasureState(enum.StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Subject:
    """Ids alone: what they stood for is what goes."""

    kind: SubjectKind
    id: uuid.UUID


@dataclass(frozen=True, slots=True)
class Erasure:
    """`stores` is how much was found in each, by name, in the order in which they are gone through."""

    id: uuid.UUID
    subject: Subject
    requested_by: str
    requested_at: datetime
    state: ErasureState
    finished_at: datetime | None = None
    stores: Mapping[str, int] = field(default_factory=dict)
    certificate: Mapping[str, object] | None = None
    error: str | None = None


def statement(erasure: Erasure, *, tenant: uuid.UUID, at: datetime, kept: Mapping[str, str]) -> dict[str, object]:
    """Every store has been counted again and holds nothing. `kept` is what is kept on purpose, and why."""
    return {
        "statement": "cortex erasure 1",
        "erasure_id": str(erasure.id),
        "tenant_id": str(tenant),
        "subject": {"kind": erasure.subject.kind.value, "id": str(erasure.subject.id)},
        "requested_at": _moment(erasure.requested_at),
        "finished_at": _moment(at),
        "stores": {name: {"erased": number, "left": 0} for name, number in erasure.stores.items()},
        "kept": dict(kept),
    }


def signed_bytes(certificate: Mapping[str, object]) -> bytes:
    """What the signature is over: the canonical JSON of everything but the signature itself."""
    stated = {name: value for name, value in certificate.items() if name != "signature"}
    return json.dumps(stated, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")
