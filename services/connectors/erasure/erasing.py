"""Erasure of one subject, store by store: each may be done again at any time, and none is skipped."""

import base64
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cortex.domain.erasure import Erasure, ErasureState, SubjectKind, signed_bytes, statement
from cortex.domain.errors import Bug, Transient
from cortex.domain.identity import TenantId
from cortex.ports.clock import Clock
from cortex.ports.erasure import ErasableStore, ErasureLedger
from cortex.ports.signer import Signer

# What a subject leaves behind on purpose. It goes into the certificate, so that nobody takes it for forgotten.
KEPT: Mapping[SubjectKind, Mapping[str, str]] = {
    SubjectKind.DOCUMENT: {
        "audit": "ids of the document, append-only",
        "block list": "its id and the hashes of its contents, so that they do not come back",
    },
    SubjectKind.PERSON: {
        "audit": "what the person did, append-only",
        "documents": "what the person wrote as a document of the company, without the author",
    },
}


@dataclass(frozen=True, slots=True)
class Erasing:
    """`stores` in the order in which they are emptied: what hides the subject first, what others need last."""

    ledger: ErasureLedger
    stores: Mapping[SubjectKind, Sequence[ErasableStore]]
    signer: Signer
    clock: Clock

    async def steps(self, tenant: TenantId, erasure: uuid.UUID) -> list[str]:
        """Names of what is still to be gone through; none once there is a certificate.

        All are counted before the first is emptied: from the tombstone on, others clear away after it on their own.
        """
        found = await self.ledger.erasure(tenant, erasure)
        if found.state is not ErasureState.RUNNING:
            return []
        stores = self.stores[found.subject.kind]
        for store in stores:
            await self._count(tenant, found, store)
        return [store.name for store in stores]

    async def erase(self, tenant: TenantId, erasure: uuid.UUID, name: str) -> None:
        """Counted once more before it is erased: something may have come in since."""
        found = await self.ledger.erasure(tenant, erasure)
        store = next((store for store in self.stores[found.subject.kind] if store.name == name), None)
        if store is None:
            raise Bug(f"there is no store {name}")
        await self._count(tenant, found, store)
        await store.erase(tenant, found.subject)

    async def certify(self, tenant: TenantId, erasure: uuid.UUID) -> None:
        """Looks into every store once more. What came in behind the first pass is erased and looked for again."""
        found = await self.ledger.erasure(tenant, erasure)
        if found.state is not ErasureState.RUNNING:
            return
        left = []
        for store in self.stores[found.subject.kind]:
            if await store.count(tenant, found.subject):
                left.append(store.name)
                await store.erase(tenant, found.subject)
        if left:
            raise Transient(f"something was left in {', '.join(left)}", retry_after_s=1.0)
        stated = statement(found, tenant=tenant, at=self.clock.now(), kept=KEPT[found.subject.kind])
        stated |= {
            "key_id": self.signer.key_id,
            "public_key": base64.b64encode(self.signer.public_key).decode(),
        }
        signature = base64.b64encode(self.signer.sign(signed_bytes(stated))).decode()
        await self.ledger.finish(tenant, erasure, certificate=stated | {"signature": signature})

    async def _count(self, tenant: TenantId, found: Erasure, store: ErasableStore) -> None:
        number = await store.count(tenant, found.subject)
        await self.ledger.found(tenant, found.id, store=store.name, number=number)

    async def give_up(self, tenant: TenantId, erasure: uuid.UUID, *, error: str) -> None:
        await self.ledger.fail(tenant, erasure, error=error)
