"""Heads of the audit chain in the object store (ports/audit_log.py), signed, and named by their place in the chain."""

import base64
import binascii
import json
import logging
from collections.abc import Sequence

from cortex.domain.audit import Anchor, AuditLine
from cortex.domain.errors import Bug
from cortex.domain.identity import TenantId
from cortex.ports.object_store import ObjectStore
from cortex.ports.signer import Signer

logger = logging.getLogger(__name__)


class SignedAnchors:
    """Implements AuditAnchors. Whoever alters the database has the log and this store to alter as well, and no key."""

    def __init__(self, objects: ObjectStore, signer: Signer) -> None:
        self._objects = objects
        self._signer = signer

    async def keep(self, tenant: TenantId, line: AuditLine) -> None:
        signature = self._signer.sign(_statement(tenant, line.sequence, line.hash))
        stored = {
            "sequence": line.sequence,
            "hash": line.hash.hex(),
            "key_id": self._signer.key_id,
            "signature": base64.b64encode(signature).decode(),
        }
        await self._objects.put(f"{_folder(tenant)}/{line.sequence:020}.json", json.dumps(stored).encode())
        logger.info("audit of %s: entry %d has hash %s", tenant, line.sequence, line.hash.hex())

    async def newest(self, tenant: TenantId, *, limit: int) -> Sequence[Anchor]:
        names = sorted([name async for name in self._objects.keys(_folder(tenant))], reverse=True)
        return [self._read(tenant, name, await self._objects.get(name)) for name in names[:limit]]

    def _read(self, tenant: TenantId, name: str, content: bytes) -> Anchor:
        try:
            stored = json.loads(content)
            anchor = Anchor(int(stored["sequence"]), bytes.fromhex(stored["hash"]))
            signature = base64.b64decode(stored["signature"], validate=True)
        except (ValueError, KeyError, TypeError, binascii.Error) as error:
            raise Bug(f"{name} is no anchor of the audit") from error
        if not self._signer.verify(_statement(tenant, anchor.sequence, anchor.hash), signature):
            raise Bug(f"{name} was not signed by this platform")
        return anchor


def _folder(tenant: TenantId) -> str:
    return f"anchors/{tenant}"


def _statement(tenant: TenantId, sequence: int, head: bytes) -> bytes:
    return f"cortex audit\0{tenant}\0{sequence}\0{head.hex()}".encode()
