"""The audit: read as JSON lines, and checked against itself and against the heads that are kept elsewhere."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from cortex.domain.audit import AuditLine, Chain, Verdict
from cortex.domain.credential import Credential, Role
from cortex.domain.identity import TenantId
from cortex.ports.audit_log import AuditAnchors, AuditEntry, AuditLog, AuditReader
from cortex.ports.authenticator import Authenticator
from cortex.runtime.edge.guarded import GuardedRoute
from services.control_plane.administer import requires

LINES_PER_PAGE = 1_000
ANCHORS_COMPARED = 20
JSON_LINES = "application/x-ndjson"


class VerdictView(BaseModel):
    """`broken_at`: the first entry that is altered or missing."""

    entries: int
    broken_at: int | None
    anchored: int


@dataclass(frozen=True, slots=True)
class AuditPorts:
    authenticator: Authenticator
    log: AuditLog
    reader: AuditReader
    anchors: AuditAnchors


def audit_router(ports: AuditPorts) -> APIRouter:
    router = APIRouter(prefix="/admin/v1/audit", tags=["audit"], route_class=GuardedRoute)
    auditor = Depends(requires(ports.authenticator, Role.AUDITOR, Role.ADMIN))

    @router.get("", response_class=StreamingResponse)
    async def export(after: Annotated[int, Query(ge=0)] = 0, credential: Credential = auditor) -> StreamingResponse:
        """One entry a line, in order. That it was read is an entry too, and the last line."""
        await ports.log.append(
            credential.tenant_id, [AuditEntry(credential.email, "audit.export", "audit", {"after": after})]
        )
        return StreamingResponse(exported(ports.reader, credential.tenant_id, after=after), media_type=JSON_LINES)

    @router.post("/verify")
    async def verify(credential: Credential = auditor) -> VerdictView:
        found = await verdict(ports.reader, ports.anchors, credential.tenant_id)
        details = {"entries": found.entries, "holds": found.broken_at is None}
        await ports.log.append(credential.tenant_id, [AuditEntry(credential.email, "audit.verify", "audit", details)])
        return VerdictView(entries=found.entries, broken_at=found.broken_at, anchored=found.anchored)

    return router


async def verdict(reader: AuditReader, anchors: AuditAnchors, tenant: TenantId) -> Verdict:
    """Anchors first: a head that is signed meanwhile is of entries that the walk will see."""
    chain = Chain(await anchors.newest(tenant, limit=ANCHORS_COMPARED))
    while lines := await reader.lines(tenant, after=chain.entries, limit=LINES_PER_PAGE):
        if not all(map(chain.follow, lines)):
            break
    return chain.verdict()


async def exported(reader: AuditReader, tenant: TenantId, *, after: int) -> AsyncIterator[bytes]:
    while lines := await reader.lines(tenant, after=after, limit=LINES_PER_PAGE):
        yield b"".join(map(_json_line, lines))
        after = lines[-1].sequence


def _json_line(line: AuditLine) -> bytes:
    """Everything that the hash covers, so that whoever keeps the export can check it."""
    entry = {
        "sequence": line.sequence,
        "at": line.at.isoformat(timespec="microseconds"),
        "actor": line.actor,
        "action": line.action,
        "object": line.object,
        "details": dict(line.details),
        "previous_hash": line.previous_hash.hex(),
        "hash": line.hash.hex(),
    }
    return json.dumps(entry, ensure_ascii=False).encode() + b"\n"
