"""What every pair of SourceStore and SourceWriter over one set of sources must keep to."""

from dataclasses import dataclass

import pytest

from cortex.domain.acl import NOTHING_OF_ITS_OWN, Acl, AclOf, Public
from cortex.domain.change import ContainerState, DocumentState, Failure
from cortex.domain.errors import Conflict, Invalid, NotFound
from cortex.domain.identity import SourceId, TenantId, tenant_id
from cortex.ports.source_store import RunCounts, SourceStore
from cortex.ports.source_writer import Known, SourceWriter

# In the order of their bytes, which is neither that of a locale nor that of UTF-16.
NAMES = ["A.md", "a-b.md", "a.md", "a/b.md", "a0.md", "é.md", "\uffee.md", "\U0001f600.md"]
EVERYONE: Acl = AclOf(public=Public.TENANT)


@dataclass(frozen=True, slots=True)
class Subject:
    """`tenant` has one empty source, `source`."""

    store: SourceStore
    writer: SourceWriter
    tenant: TenantId
    source: SourceId

    async def put(self, *names: str) -> None:
        states = [document(name) for name in names]
        for outcome in await self.writer.put_documents(self.tenant, self.source, states):
            assert not isinstance(outcome, Failure)

    async def known(self, *, after: str = "", until: str | None = None, limit: int = 100) -> list[str]:
        found = await self.store.known(self.tenant, self.source, after=after, until=until, limit=limit)
        return [item.external_id for item in found]


def document(name: str, *, container: str | None = None, fingerprint: str | None = None) -> DocumentState:
    return DocumentState(
        external_id=name,
        data=name.encode(),
        name=name,
        mime="text/markdown",
        title=None,
        url=None,
        author=None,
        created_at=None,
        updated_at=None,
        container=container,
        acl=EVERYONE,
        fingerprint=fingerprint,
    )


class SourceContract:
    async def test_documents_are_known_in_the_order_of_their_bytes(self, subject: Subject) -> None:
        await subject.put(*reversed(NAMES))
        assert await subject.known() == NAMES
        assert await subject.known(after="a.md", limit=2) == ["a/b.md", "a0.md"]
        assert await subject.known(after="a-b.md", until="a0.md") == ["a.md", "a/b.md", "a0.md"]
        assert await subject.known(after="a/", until="a/\U0010ffff") == ["a/b.md"]

    async def test_what_is_known_is_what_was_put_last(self, subject: Subject) -> None:
        await subject.writer.put_container(subject.tenant, subject.source, ContainerState("a", None, EVERYONE))
        for fingerprint in ("1", "2"):
            state = document("a/b.md", container="a", fingerprint=fingerprint)
            await subject.writer.put_documents(subject.tenant, subject.source, [state])
        found = await subject.store.known(subject.tenant, subject.source, after="", until=None, limit=9)
        assert found == [Known("a/b.md", "2", "a")]

    async def test_deleted_documents_are_not_known(self, subject: Subject) -> None:
        await subject.put("a.md", "b.md")
        deleted = [
            await subject.writer.delete_document(subject.tenant, subject.source, "a.md", reason="gone") for _ in "12"
        ]
        assert deleted == [True, False]
        assert await subject.known() == ["b.md"]

    async def test_containers_are_known_with_their_acls(self, subject: Subject) -> None:
        for name, parent, acl in [
            ("a", None, EVERYONE),
            ("b", "a", None),
            ("c", None, NOTHING_OF_ITS_OWN),
            ("d", None, AclOf(complete=False)),
        ]:
            await subject.writer.put_container(subject.tenant, subject.source, ContainerState(name, parent, acl))
        await subject.writer.delete_container(subject.tenant, subject.source, "c")
        store = subject.store
        assert await store.known_containers(subject.tenant, subject.source, after="", limit=2) == ["a", "b"]
        assert await store.known_containers(subject.tenant, subject.source, after="b", limit=9) == ["d"]
        found = await store.container_acls(subject.tenant, subject.source, ["a", "b", "c", "d", "e"])
        assert found == {"a": EVERYONE, "b": None, "d": AclOf(complete=False)}

    async def test_a_container_says_whether_anything_of_it_changed(self, subject: Subject) -> None:
        states = [
            ContainerState("a", None, EVERYONE),
            ContainerState("a", None, EVERYONE),
            ContainerState("a", None, NOTHING_OF_ITS_OWN),
        ]
        put = [await subject.writer.put_container(subject.tenant, subject.source, state) for state in states]
        assert put == [True, False, True]

    async def test_a_container_without_an_acl_and_a_parent_is_refused(self, subject: Subject) -> None:
        with pytest.raises(Invalid):
            await subject.writer.put_container(subject.tenant, subject.source, ContainerState("a", None, None))

    async def test_a_run_is_begun_once(self, subject: Subject) -> None:
        run_id = f"run-{subject.source}"
        first = await subject.store.start_run(subject.tenant, subject.source, run_id, kind="full")
        assert (first.kind, first.state, first.cursor) == ("full", "running", None)
        again = await subject.store.start_run(subject.tenant, subject.source, run_id, kind="full")
        assert again == first
        with pytest.raises(NotFound):
            await subject.store.run(subject.tenant, "another")

    async def test_a_page_moves_the_cursor_once(self, subject: Subject) -> None:
        store, tenant, run_id = subject.store, subject.tenant, f"run-{subject.source}"
        await store.start_run(tenant, subject.source, run_id, kind="full")
        counts = RunCounts(seen=4, changed=3, deleted=2, failed=1, containers=5)
        moved = [
            await store.commit_page(
                tenant,
                run_id,
                before=before,
                cursor=cursor,
                counts=counts,
                failures=[Failure("a", "a:1", "unreadable")],
            )
            for before, cursor in [(None, "1"), (None, "1"), ("1", "2"), ("1", "3")]
        ]
        assert moved == [True, False, True, False]
        run = await store.run(tenant, run_id)
        assert (run.cursor, run.counts) == ("2", RunCounts(seen=8, changed=6, deleted=4, failed=2, containers=10))

    async def test_a_run_ends_as_it_ended_first(self, subject: Subject) -> None:
        run_id = f"run-{subject.source}"
        await subject.store.start_run(subject.tenant, subject.source, run_id, kind="full")
        await subject.store.finish_run(subject.tenant, run_id, error="the drive is gone")
        await subject.store.finish_run(subject.tenant, run_id, error=None)
        run = await subject.store.run(subject.tenant, run_id)
        assert (run.state, run.error, run.finished_at is None) == ("failed", "the drive is gone", False)

    async def test_a_source_is_removed_when_it_is_empty_and_meant_to_be(self, subject: Subject) -> None:
        store, tenant, source = subject.store, subject.tenant, subject.source
        await subject.put("a.md")
        with pytest.raises(Conflict):
            await store.remove(tenant, source)
        await store.set_state(tenant, source, "removing")
        with pytest.raises(Conflict):
            await store.set_state(tenant, source, "active")
        with pytest.raises(Conflict):
            await store.remove(tenant, source)
        await subject.writer.delete_document(tenant, source, "a.md", reason="the source was removed")
        await store.remove(tenant, source)
        await store.remove(tenant, source)
        with pytest.raises(NotFound):
            await store.source(tenant, source)
        with pytest.raises(NotFound):
            await store.set_state(tenant, source, "removing")

    async def test_another_tenant_sees_nothing_of_it(self, subject: Subject) -> None:
        with pytest.raises(NotFound):
            await subject.store.source(tenant_id("somebody-else"), subject.source)
