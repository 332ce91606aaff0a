"""Erasure: the places that hold something of a subject, the ledger of what was asked for, and who starts the work."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.erasure import Erasure, Subject
from cortex.domain.identity import TenantId
from cortex.ports.audit_log import LeavesLine

ERASE_WORKFLOW = "EraseWorkflow"


@dataclass(frozen=True, slots=True)
class ErasureWork:
    """The argument of the workflow: ids alone."""

    tenant_id: str
    erasure_id: str


class ErasableStore(Protocol):
    """One place. A further one (memories, say) is one more of these, where the stores of a subject are listed.

    Both may be called at any time and as often as one likes. Raises Transient.
    """

    @property
    def name(self) -> str: ...

    async def count(self, tenant: TenantId, subject: Subject) -> int:
        """How much there is of the subject; 0 once it is erased, for ever."""
        ...

    async def erase(self, tenant: TenantId, subject: Subject) -> None: ...


class ErasureLedger(LeavesLine, Protocol):
    """NotFound for an erasure that is not there. Raises Transient."""

    async def request(self, tenant: TenantId, subject: Subject, *, by: str) -> Erasure:
        """The erasure of that subject that is running, made if there is none."""
        ...

    async def document(self, tenant: TenantId, document: uuid.UUID) -> Subject:
        """NotFound unless something of it is stored."""
        ...

    async def person(self, tenant: TenantId, email: str) -> Subject:
        """Whoever the address stands for, also one that nobody but an ACL has named."""
        ...

    async def erasure(self, tenant: TenantId, erasure: uuid.UUID) -> Erasure: ...

    async def erasures(self, tenant: TenantId, *, limit: int) -> list[Erasure]:
        """The newest first."""
        ...

    async def found(self, tenant: TenantId, erasure: uuid.UUID, *, store: str, number: int) -> None:
        """Keeps the highest number for each store: a second attempt finds less."""
        ...

    async def finish(self, tenant: TenantId, erasure: uuid.UUID, *, certificate: Mapping[str, object]) -> None:
        """Idempotent: the first certificate stays."""
        ...

    async def fail(self, tenant: TenantId, erasure: uuid.UUID, *, error: str) -> None: ...


class ErasureControl(Protocol):
    async def start(self, tenant: TenantId, erasure: uuid.UUID) -> None:
        """Idempotent while the erasure runs. Raises Transient."""
        ...
