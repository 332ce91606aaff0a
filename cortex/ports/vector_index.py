"""The vector index: derived from Postgres, rebuildable, and never the authority on who may read what.

Every call may raise Transient (ask again later), Exhausted (a limit of the server) and Invalid (a value it refuses).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from cortex.domain.identity import ChunkId, DocumentId, TenantId
from cortex.domain.vector import (
    CollectionSpec,
    ExactScores,
    HybridRequest,
    HybridResult,
    IndexAcl,
    IndexMetadata,
    IndexPoint,
    RevisionPage,
    SearchScope,
    SparseVector,
)


class VectorCollections(Protocol):
    """Collections, and the aliases by which readers reach them."""

    async def ensure_collection(self, spec: CollectionSpec) -> None:
        """Create the collection with its payload indexes, and the alias if there is none. Idempotent.

        Conflict where it exists with other dimensions. An alias that points elsewhere stays: see `switch_alias`.
        """
        ...

    async def switch_alias(self, *, alias: str, collection: str) -> None:
        """Point `alias` at `collection` in one step, so that no reader finds neither. NotFound without it."""
        ...

    async def aliases(self) -> Mapping[str, str]:
        """From alias to collection."""
        ...

    async def drop_collection(self, collection: str) -> None:
        """Forget a collection and its aliases. Nothing happens where there is none."""
        ...


class VectorWriter(Protocol):
    """Points in and out. A call that returned is visible and survives a crash; every call may be repeated."""

    async def upsert(self, points: Sequence[IndexPoint]) -> None:
        """Write points of one tenant, in batches; a failure may leave earlier batches written.

        Overwrites by chunk id, access included: read `acl_revision` again afterwards (architecture section 4).
        """
        ...

    async def delete_points(self, tenant: TenantId, document: DocumentId, *, revision: int) -> None:
        """Take out one revision of a document: the mend of a writer that lost the race."""
        ...

    async def delete_older(self, tenant: TenantId, document: DocumentId, *, below_revision: int) -> None:
        """Take out what `below_revision` replaced."""
        ...

    async def delete_document(self, tenant: TenantId, document: DocumentId) -> None:
        """Take out every revision."""
        ...


class VectorPayloadWriter(Protocol):
    """Changes of a whole document that leave its vectors alone. A counter that is not newer changes nothing."""

    async def set_acl(self, tenant: TenantId, document: DocumentId, *, acl: IndexAcl, acl_revision: int) -> None: ...

    async def set_metadata(
        self, tenant: TenantId, document: DocumentId, *, metadata: IndexMetadata, metadata_revision: int
    ) -> None: ...

    async def tombstone(self, tenant: TenantId, document: DocumentId) -> None:
        """Hide every present revision from search at once; only an upsert brings a document back."""
        ...


class VectorReader(Protocol):
    """Reads. The tenant and, for search, access and tombstones are part of every query that the adapter sends."""

    async def search(self, scope: SearchScope, request: HybridRequest) -> HybridResult:
        """Both arms in one round trip. Terms are weighed by their frequency within the tenant alone."""
        ...

    async def exact_scores(
        self,
        scope: SearchScope,
        chunk_ids: Collection[ChunkId],
        *,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
    ) -> Mapping[ChunkId, ExactScores]:
        """Both scores of each of `chunk_ids` that lies in the scope; others are missing from the answer."""
        ...

    async def revisions(self, tenant: TenantId, *, after: ChunkId | None, limit: int) -> RevisionPage:
        """A page of what is stored, in the order of chunk ids, for reconciliation: tombstoned points included."""
        ...

    async def count(self, tenant: TenantId) -> int:
        """How many points are stored, tombstoned ones included."""
        ...
