"""The one way in: what connectors and push write. Each call is one transaction, with its ACL, counters and events."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.acl import PrincipalRef
from cortex.domain.change import ContainerState, DocumentState, Failure
from cortex.domain.identity import DocumentId, SourceId, TenantId


@dataclass(frozen=True, slots=True)
class Written:
    document_id: DocumentId
    revision: int
    changed: bool


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored of a live document of a source: enough to tell that nothing changed."""

    external_id: str
    fingerprint: str | None
    container: str | None


@dataclass(frozen=True, slots=True)
class GroupPage:
    """Which part of a large group this is. `generation` is the source's own number; `last` makes it the group."""

    generation: int
    last: bool
    version: int | None = None


class SourceWriter(Protocol):
    """A write returns once it is durable and the permission engine has applied it.

    Raises Invalid (a cycle, a bad ACL), Conflict (versions), Transient (write again: all are idempotent).
    """

    async def put_container(self, tenant: TenantId, source: SourceId, state: ContainerState) -> bool:
        """Whether it is new, or its place or permissions are others than before."""
        ...

    async def delete_container(
        self, tenant: TenantId, source: SourceId, external: str, *, version: int | None = None
    ) -> None: ...

    async def put_document(
        self, tenant: TenantId, source: SourceId, state: DocumentState, *, reset: bool = False
    ) -> Written: ...

    async def put_documents(
        self, tenant: TenantId, source: SourceId, states: Sequence[DocumentState]
    ) -> list[Written | Failure]:
        """A page: one item's Invalid or Conflict is its Failure and stops no other."""
        ...

    async def delete_document(
        self, tenant: TenantId, source: SourceId, external: str, *, reason: str, version: int | None = None
    ) -> bool:
        """True when it was there. Afterwards it can be seen nowhere."""
        ...

    async def put_group(
        self, tenant: TenantId, source: SourceId, external: str, members: Sequence[PrincipalRef], *, version: int | None
    ) -> None:
        """Replaces the members; nobody in it, nobody through it. Readers see all of it or what was before."""
        ...

    async def put_group_page(
        self, tenant: TenantId, source: SourceId, external: str, members: Sequence[PrincipalRef], page: GroupPage
    ) -> None:
        """Members of a generation that is not the group's until its last page; a newer one discards an open one."""
        ...

    async def patch_group(
        self,
        tenant: TenantId,
        source: SourceId,
        external: str,
        *,
        add: Sequence[PrincipalRef],
        remove: Sequence[PrincipalRef],
    ) -> None:
        """Changes the members, and those of an open generation. NotFound for an unknown group."""
        ...
