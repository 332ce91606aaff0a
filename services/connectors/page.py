"""One page of a source: made durable first, then the cursor moves. Done again from the start, it changes nothing."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from cortex.domain.acl import Acl, AclOf
from cortex.domain.change import (
    Change,
    ContainerState,
    Cursor,
    DocumentState,
    Failure,
    Tombstone,
    Upsert,
    UpsertContainer,
)
from cortex.domain.errors import Bug, Conflict, Invalid, NotFound
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.source_secrets import SourceSecrets
from cortex.ports.source_store import Run, RunCounts, Source, SourceStore
from cortex.ports.source_writer import Known, SourceWriter, Written
from cortex.ports.sync_control import RunKind
from services.connectors.registry import Connectors, connector_of

HIDDEN: Acl = AclOf(complete=False)
KNOWN_PER_CALL = 1000


@dataclass(slots=True)
class Page:
    """What came before one cursor, by kind."""

    containers: list[ContainerState] = field(default_factory=list)
    opened: list[ContainerState] = field(default_factory=list)
    documents: list[DocumentState] = field(default_factory=list)
    gone: list[Tombstone] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    cursor: Cursor | None = None

    def add(self, change: Change) -> None:
        match change:
            case UpsertContainer(container, last):
                (self.opened if last else self.containers).append(container)
            case Upsert(document):
                self.documents.append(document)
            case Tombstone():
                self.gone.append(change)
            case Failure():
                self.failures.append(change)
            case Cursor():
                self.cursor = change


@dataclass(frozen=True, slots=True)
class StoredDocuments:
    """KnownDocuments of one source, read a stretch at a time."""

    store: SourceStore
    tenant: TenantId
    source: SourceId

    async def documents(self, *, after: str, until: str | None) -> AsyncIterator[Known]:
        while found := await self.store.known(self.tenant, self.source, after=after, until=until, limit=KNOWN_PER_CALL):
            for document in found:
                yield document
            after = found[-1].external_id

    async def containers(self) -> AsyncIterator[str]:
        after = ""
        while found := await self.store.known_containers(self.tenant, self.source, after=after, limit=KNOWN_PER_CALL):
            for container in found:
                yield container
            after = found[-1]

    async def container_acls(self, externals: Sequence[str]) -> Mapping[str, Acl | None]:
        return await self.store.container_acls(self.tenant, self.source, externals)


@dataclass(frozen=True, slots=True)
class Syncing:
    """Brings pages of sources into Cortex."""

    store: SourceStore
    writer: SourceWriter
    connectors: Connectors
    secrets: SourceSecrets | None = None

    async def page(self, tenant: TenantId, source_id: SourceId, run_id: str) -> bool:
        """Fetches and stores the next page of the run; True when the run has come to its end.

        Raises Conflict when the source is not active any more.
        """
        source = await self.store.source(tenant, source_id)
        if source.state != "active":
            raise Conflict(f"source {source.name} is {source.state}")
        run = await self.store.run(tenant, run_id)
        page = await self._fetched(source, run)
        if page.cursor is None or page.cursor.opaque == run.cursor:
            raise Bug(f"connector {source.type} ended a page where it began")
        counts = await self._stored(source, page)
        await self.store.commit_page(
            tenant,
            run_id,
            before=run.cursor,
            cursor=page.cursor.opaque,
            counts=counts,
            failures=page.failures,
        )
        return page.cursor.done

    async def _fetched(self, source: Source, run: Run) -> Page:
        connector = connector_of(self.connectors, source.type)
        known = StoredDocuments(self.store, source.tenant_id, source.id)
        page = Page()
        config = await self._config(source)
        changes = connector.fetch(config, cursor=run.cursor, known=known, full=run.kind == RunKind.FULL)
        async with aclosing(changes):
            async for change in changes:
                page.add(change)
                if page.cursor is not None:
                    break
        return page

    async def _config(self, source: Source) -> Mapping[str, object]:
        """With its secrets, which are nowhere else in one piece."""
        if self.secrets is None:
            return source.config
        return {**source.config, **await self.secrets.get(source.tenant_id, source.id)}

    async def _stored(self, source: Source, page: Page) -> RunCounts:
        """Permissions before content, deletions before what is new, a container's documents before itself."""
        changed_containers = await self._put_containers(source, page, page.containers)
        deleted = 0
        for tombstone in page.gone:
            if not tombstone.container:
                deleted += await self.writer.delete_document(
                    source.tenant_id, source.id, tombstone.external_id, reason=tombstone.reason
                )
        changed = 0
        for outcome in await self._put_documents(source, page.documents):
            if isinstance(outcome, Failure):
                page.failures.append(outcome)
            else:
                changed += outcome.changed
        changed_containers |= await self._put_containers(source, page, page.opened)
        for tombstone in page.gone:
            if tombstone.container:
                await self._delete_container(source, tombstone.external_id)
        seen = page.cursor.seen if page.cursor else 0
        return RunCounts(seen, changed, deleted, failed=len(page.failures), containers=len(changed_containers))

    async def _put_documents(self, source: Source, documents: Sequence[DocumentState]) -> Sequence[Written | Failure]:
        return await self.writer.put_documents(source.tenant_id, source.id, documents) if documents else ()

    async def _put_containers(self, source: Source, page: Page, containers: Sequence[ContainerState]) -> set[str]:
        """Returns which have changed."""
        changed = set()
        for container in containers:
            try:
                written = await self.writer.put_container(source.tenant_id, source.id, container)
            except (Invalid, Conflict) as error:
                # Its ACL or place is one that cannot be kept (a cycle, say), so nobody may see what lies below.
                hidden = ContainerState(container.external_id, None, HIDDEN)
                written = await self.writer.put_container(source.tenant_id, source.id, hidden)
                page.failures.append(Failure(container.external_id, container.external_id, f"{error}; it is hidden"))
            if written:
                changed.add(container.external_id)
        return changed

    async def _delete_container(self, source: Source, external: str) -> None:
        try:
            await self.writer.delete_container(source.tenant_id, source.id, external)
        except NotFound:
            return  # an earlier attempt at this page did it
