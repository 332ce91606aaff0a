"""Twins of SourceWriter and SourceStore over one memory: what is written is what is known."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from cortex.domain.acl import Acl, PrincipalRef, acl_json
from cortex.domain.change import ContainerState, DocumentState, Failure
from cortex.domain.errors import Conflict, CortexError, Invalid, NotFound
from cortex.domain.identity import SourceId, TenantId, document_id
from cortex.domain.revision import EventKind, Fingerprints, Stored, decide, sha256_json
from cortex.ports.clock import Clock
from cortex.ports.source_store import Run, RunCounts, Source
from cortex.ports.source_writer import GroupPage, Known, Written

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


class FixedClock:
    def __init__(self, now: datetime = BEGINNING) -> None:
        self.time = now

    def now(self) -> datetime:
        return self.time


@dataclass(frozen=True, slots=True)
class StoredDocument:
    state: DocumentState
    stored: Stored


@dataclass(slots=True)
class _Shelf:
    """All of one source."""

    source: Source
    documents: dict[str, StoredDocument] = field(default_factory=dict)
    containers: dict[str, ContainerState] = field(default_factory=dict)
    groups: dict[str, tuple[PrincipalRef, ...]] = field(default_factory=dict)
    open_groups: dict[str, tuple[int, tuple[PrincipalRef, ...]]] = field(default_factory=dict)


def _order(external: str) -> bytes:
    return external.encode()


def _fingerprints(state: DocumentState) -> Fingerprints:
    content = {"bytes": hashlib.sha256(state.data).hexdigest(), "title": state.title, "name": state.name}
    metadata = {
        "url": state.url,
        "author": state.author,
        "created_at": state.created_at,
        "updated_at": state.updated_at,
        "mime": state.mime,
    }
    acl = {"acl": acl_json(state.acl) if state.acl else None, "container": state.container}
    return Fingerprints(sha256_json(content), sha256_json(metadata), sha256_json(acl))


class MemorySources:
    """Both ports. `events` are the changes in order, by external id, as the outbox would hold them."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or FixedClock()
        self._shelves: dict[tuple[TenantId, SourceId], _Shelf] = {}
        self._runs: dict[tuple[TenantId, str], Run] = {}
        self._failures: dict[tuple[TenantId, str], list[Failure]] = {}
        self.events: list[tuple[str, EventKind]] = []

    def add(self, tenant: TenantId, *, name: str, config: Mapping[str, object], type: str = "files") -> Source:
        source = SourceId(uuid.uuid5(tenant, f"source:{name}"))
        found = Source(source, tenant, name, type, config, "active", self._clock.now())
        self._shelves[tenant, source] = _Shelf(found)
        return found

    def documents(self, source: Source) -> dict[str, DocumentState]:
        """The live ones."""
        documents = self._shelf(source.tenant_id, source.id).documents
        return {external: found.state for external, found in documents.items() if not found.stored.tombstoned}

    def containers(self, source: Source) -> dict[str, ContainerState]:
        return dict(self._shelf(source.tenant_id, source.id).containers)

    def failures(self, tenant: TenantId, run_id: str) -> list[Failure]:
        return self._failures.get((tenant, run_id), [])

    def _shelf(self, tenant: TenantId, source: SourceId) -> _Shelf:
        try:
            return self._shelves[tenant, source]
        except KeyError:
            raise NotFound("no such source") from None

    # SourceWriter

    async def put_container(self, tenant: TenantId, source: SourceId, state: ContainerState) -> bool:
        if state.parent is None and state.acl is None:
            raise Invalid("give the container an acl, a parent, or both")
        containers = self._shelf(tenant, source).containers
        before, containers[state.external_id] = containers.get(state.external_id), state
        return before is None or (before.parent, before.acl) != (state.parent, state.acl)

    async def delete_container(
        self, tenant: TenantId, source: SourceId, external: str, *, version: int | None = None
    ) -> None:
        if self._shelf(tenant, source).containers.pop(external, None) is None:
            raise NotFound("no such container")

    async def put_document(
        self, tenant: TenantId, source: SourceId, state: DocumentState, *, reset: bool = False
    ) -> Written:
        documents = self._shelf(tenant, source).documents
        before = documents.get(state.external_id)
        fingerprints = _fingerprints(state)
        decision = decide(before.stored if before else None, fingerprints, version=state.version, reset=reset)
        stored = Stored(decision.counters, fingerprints, state.version, tombstoned=False)
        documents[state.external_id] = StoredDocument(state, stored)
        self.events += [(state.external_id, kind) for kind in sorted(decision.kinds)]
        identifier = document_id(tenant, source, state.external_id)
        return Written(identifier, decision.counters.revision, changed=not decision.unchanged)

    async def put_documents(
        self, tenant: TenantId, source: SourceId, states: Sequence[DocumentState]
    ) -> list[Written | Failure]:
        outcomes: list[Written | Failure] = []
        for state in states:
            try:
                outcomes.append(await self.put_document(tenant, source, state))
            except CortexError as error:
                outcomes.append(Failure(state.external_id, state.external_id, str(error)))
        return outcomes

    async def delete_document(
        self, tenant: TenantId, source: SourceId, external: str, *, reason: str, version: int | None = None
    ) -> bool:
        documents = self._shelf(tenant, source).documents
        found = documents.get(external)
        if found is None or found.stored.tombstoned:
            return False
        documents[external] = replace(found, stored=replace(found.stored, tombstoned=True, version=version))
        self.events.append((external, EventKind.DELETE))
        return True

    async def put_group(
        self, tenant: TenantId, source: SourceId, external: str, members: Sequence[PrincipalRef], *, version: int | None
    ) -> None:
        self._shelf(tenant, source).groups[external] = tuple(members)

    async def put_group_page(
        self, tenant: TenantId, source: SourceId, external: str, members: Sequence[PrincipalRef], page: GroupPage
    ) -> None:
        opened = self._shelf(tenant, source).open_groups
        generation, before = opened.pop(external, (page.generation, ()))
        if page.generation < generation:
            raise Conflict(f"generation {page.generation} is older than generation {generation}")
        after = (*(before if generation == page.generation else ()), *members)
        if page.last:
            self._shelf(tenant, source).groups[external] = after
        else:
            opened[external] = (page.generation, after)

    async def patch_group(
        self,
        tenant: TenantId,
        source: SourceId,
        external: str,
        *,
        add: Sequence[PrincipalRef],
        remove: Sequence[PrincipalRef],
    ) -> None:
        groups = self._shelf(tenant, source).groups
        if external not in groups:
            raise NotFound(f"group {external!r} is not known")
        groups[external] = tuple(dict.fromkeys(m for m in (*groups[external], *add) if m not in set(remove)))

    # SourceStore

    async def source(self, tenant: TenantId, source: SourceId) -> Source:
        return self._shelf(tenant, source).source

    async def start_run(self, tenant: TenantId, source: SourceId, run_id: str, *, kind: str) -> Run:
        self._shelf(tenant, source)
        fresh = Run(run_id, source, kind, "running", self._clock.now(), None, None, RunCounts(), None)
        return self._runs.setdefault((tenant, run_id), fresh)

    async def run(self, tenant: TenantId, run_id: str) -> Run:
        try:
            return self._runs[tenant, run_id]
        except KeyError:
            raise NotFound("no such run") from None

    async def commit_page(
        self,
        tenant: TenantId,
        run_id: str,
        *,
        before: str | None,
        cursor: str,
        counts: RunCounts,
        failures: Sequence[Failure],
    ) -> bool:
        run = await self.run(tenant, run_id)
        if run.cursor != before:
            return False
        total = RunCounts(
            seen=run.counts.seen + counts.seen,
            changed=run.counts.changed + counts.changed,
            deleted=run.counts.deleted + counts.deleted,
            failed=run.counts.failed + counts.failed,
            containers=run.counts.containers + counts.containers,
        )
        self._runs[tenant, run_id] = replace(run, cursor=cursor, counts=total)
        self._failures.setdefault((tenant, run_id), []).extend(failures)
        return True

    async def finish_run(self, tenant: TenantId, run_id: str, *, error: str | None) -> None:
        run = await self.run(tenant, run_id)
        if run.state != "running":
            return
        state = "failed" if error else "done"
        self._runs[tenant, run_id] = replace(run, state=state, error=error, finished_at=self._clock.now())

    async def known(
        self, tenant: TenantId, source: SourceId, *, after: str, until: str | None, limit: int
    ) -> list[Known]:
        documents = self._shelf(tenant, source).documents
        live = [external for external, found in documents.items() if not found.stored.tombstoned]
        inside = [
            external
            for external in live
            if _order(after) < _order(external) and (until is None or _order(external) <= _order(until))
        ]
        states = [documents[external].state for external in sorted(inside, key=_order)[:limit]]
        return [Known(state.external_id, state.fingerprint, state.container) for state in states]

    async def known_containers(self, tenant: TenantId, source: SourceId, *, after: str, limit: int) -> list[str]:
        containers = self._shelf(tenant, source).containers
        return sorted((external for external in containers if _order(external) > _order(after)), key=_order)[:limit]

    async def container_acls(
        self, tenant: TenantId, source: SourceId, externals: Sequence[str]
    ) -> dict[str, Acl | None]:
        containers = self._shelf(tenant, source).containers
        return {external: containers[external].acl for external in externals if external in containers}

    async def set_state(self, tenant: TenantId, source: SourceId, state: str) -> None:
        shelf = self._shelf(tenant, source)
        if shelf.source.state == "removing" and state != "removing":
            raise Conflict("the source is being removed")
        shelf.source = replace(shelf.source, state=state)

    async def remove(self, tenant: TenantId, source: SourceId) -> None:
        shelf = self._shelves.get((tenant, source))
        if shelf is None:
            return
        live = any(not found.stored.tombstoned for found in shelf.documents.values())
        if shelf.source.state != "removing" or live or shelf.containers:
            raise Conflict("the source still holds documents or containers")
        del self._shelves[tenant, source]
        for key in [key for key, run in self._runs.items() if run.source_id == source]:
            del self._runs[key]
