"""What a page does with items that cannot be kept, and with connectors that misbehave."""

from collections.abc import AsyncGenerator

import pytest

from cortex.domain.acl import AclOf, Public
from cortex.domain.change import Change, ContainerState, Cursor, Tombstone, Upsert, UpsertContainer
from cortex.domain.errors import Bug, Conflict, Invalid
from cortex.domain.identity import SourceId, TenantId, tenant_id
from cortex.ports.connector import Config, KnownDocuments
from cortex.testing.sources import MemorySources
from services.connectors.page import HIDDEN, Syncing
from tests.services.connectors.scripted import Scripted, document
from tests.unlined import Unlined

TENANT = tenant_id("acme")


class Cycle(MemorySources):
    """Refuses every container that is not hidden, as for a cycle of `viewers:`."""

    async def put_container(self, tenant: TenantId, source: SourceId, state: ContainerState) -> bool:
        if state.acl != HIDDEN:
            raise Invalid("viewers: a cycle")
        return await super().put_container(tenant, source, state)


class Fixed(Scripted):
    """One page of given changes."""

    changes: tuple[Change, ...] = ()

    async def fetch(
        self, config: Config, *, cursor: str | None, known: KnownDocuments, full: bool
    ) -> AsyncGenerator[Change, None]:
        for change in self.changes:
            yield change


async def syncing(sources: MemorySources, *changes: Change) -> tuple[Syncing, SourceId]:
    connector = Fixed()
    connector.changes = changes
    source = sources.add(TENANT, name="chat", config={}, type="scripted")
    await sources.start_run(TENANT, source.id, "run", kind="incremental")
    return Syncing(sources, sources, {"scripted": connector}), source.id


async def test_a_container_that_cannot_be_kept_is_hidden_and_reported() -> None:
    sources = Cycle()
    page, source = await syncing(
        sources,
        UpsertContainer(ContainerState("general", ".", None)),
        Upsert(document("a.md")),
        Cursor("1", done=True, seen=1),
    )
    assert await page.page(TENANT, source, "run")
    stored = await sources.source(TENANT, source)
    assert sources.containers(stored)["general"] == ContainerState("general", None, HIDDEN)
    assert list(sources.documents(stored)) == ["a.md"]
    [failure] = sources.failures(TENANT, "run")
    assert "a cycle; it is hidden" in failure.message


async def test_a_folder_that_others_may_open_now_is_counted_once() -> None:
    sources = MemorySources()
    closed, aside = (ContainerState(name, None, HIDDEN) for name in ("general", "random"))
    opened = ContainerState("general", None, AclOf(public=Public.TENANT))
    both = (UpsertContainer(closed), UpsertContainer(opened, last=True), UpsertContainer(aside))
    page, source = await syncing(sources, *both, Cursor("1", done=True))
    assert await page.page(TENANT, source, "run")
    assert (await sources.run(TENANT, "run")).counts.containers == 2
    await sources.start_run(TENANT, source, "again", kind="incremental")
    assert await page.page(TENANT, source, "again")
    assert (await sources.run(TENANT, "again")).counts.containers == 1


async def test_what_is_gone_already_may_be_deleted_again() -> None:
    sources = MemorySources()
    gone = (Tombstone("a.md", "gone"), Tombstone("general", "gone", container=True))
    page, source = await syncing(sources, *gone, Cursor("1", done=True))
    assert await page.page(TENANT, source, "run")
    assert (await sources.run(TENANT, "run")).counts.deleted == 0


async def test_a_connector_that_does_not_get_on_is_a_bug() -> None:
    sources = MemorySources()
    page, source = await syncing(sources, Cursor("1"))
    assert not await page.page(TENANT, source, "run")
    with pytest.raises(Bug, match="where it began"):
        await page.page(TENANT, source, "run")
    page, source = await syncing(MemorySources())
    with pytest.raises(Bug):
        await page.page(TENANT, source, "run")


async def test_a_source_that_is_being_removed_takes_no_page() -> None:
    sources = MemorySources()
    page, source = await syncing(sources, Upsert(document("a.md")), Cursor("1", done=True))
    await sources.set_state(TENANT, source, "removing")
    with pytest.raises(Conflict, match="removing"):
        await page.page(TENANT, source, "run")
    assert sources.events == []


async def test_a_type_without_a_connector_says_which_there_are() -> None:
    sources = MemorySources()
    page, _ = await syncing(sources)
    pushed = sources.add(TENANT, name="pushed", config={}, type="push")
    await sources.start_run(TENANT, pushed.id, "pushed", kind="incremental")
    with pytest.raises(Invalid, match="scripted"):
        await page.page(TENANT, pushed.id, "pushed")


class Vault(Unlined):
    """Holds one secret for every source."""

    async def get(self, _tenant: TenantId, _source: SourceId) -> dict[str, str]:
        return {"token": "secret"}

    async def put(self, *_: object) -> None:
        raise NotImplementedError

    async def names(self, *_: object) -> list[str]:
        raise NotImplementedError

    async def rewrap(self, _tenant: TenantId) -> int:
        raise NotImplementedError


class Curious(Fixed):
    """Remembers what it was configured with."""

    seen: Config | None = None

    async def fetch(
        self, config: Config, *, cursor: str | None, known: KnownDocuments, full: bool
    ) -> AsyncGenerator[Change, None]:
        self.seen = config
        yield Cursor("1", done=True)


async def test_a_connector_gets_its_secrets_back_which_the_source_does_not_hold() -> None:
    sources, connector = MemorySources(), Curious()
    source = sources.add(TENANT, name="wiki", config={"url": "https://a.example"}, type="scripted")
    await sources.start_run(TENANT, source.id, "run", kind="incremental")
    page = Syncing(sources, sources, {"scripted": connector}, Vault())
    assert await page.page(TENANT, source.id, "run")
    assert connector.seen == {"url": "https://a.example", "token": "secret"}
    assert "token" not in (await sources.source(TENANT, source.id)).config
