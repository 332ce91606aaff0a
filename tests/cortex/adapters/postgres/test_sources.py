"""Sources in Postgres keep to the contract, and a `files` source over them writes nothing that has not changed."""

from pathlib import Path

import pytest
from sqlalchemy import text

from cortex.domain.identity import source_id
from cortex.ports.source_store import RunCounts
from cortex.testing.source_contract import SourceContract, Subject
from services.connectors.page import Syncing
from services.connectors.registry import connectors
from services.connectors.sources.files.reach import Reach
from tests.cortex.adapters.postgres.conftest import Store

pytestmark = pytest.mark.servers


class TestPostgres(SourceContract):
    @pytest.fixture
    def subject(self, store: Store) -> Subject:
        return Subject(store.sources, store.writer, store.tenant, store.source)


async def waiting(store: Store) -> int:
    """How many events and permission updates wait for this tenant, taken out of their outboxes."""
    async with store.database.tenant(store.tenant) as connection:
        return (await connection.execute(text("DELETE FROM event_outbox"))).rowcount


async def synced(store: Store, name: str, run_id: str) -> RunCounts:
    source = source_id(store.tenant, name)
    syncing = Syncing(store.sources, store.writer, connectors(Reach()))
    await store.sources.start_run(store.tenant, source, run_id, kind="incremental")
    while not await syncing.page(store.tenant, source, run_id):
        pass
    await store.sources.finish_run(store.tenant, run_id, error=None)
    return (await store.sources.run(store.tenant, run_id)).counts


async def test_a_pass_over_what_has_not_changed_writes_nothing(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "drive"
    for path, body in {
        "acl.yaml": "public: tenant",
        "a.md": "---\ntitle: A\n---\ntext",
        "b/acl.yaml": "allow: [user:ann@acme.example]\nfiles: {c.md: {deny: [user:bob@acme.example]}}",
        "b/c.md": "text",
        "b/é.txt": "text",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(body)
    source = source_id(store.tenant, "drive")
    await store.sources.add(store.tenant, source, name="drive", type_="files", config={"path": str(root)})
    assert await synced(store, "drive", f"{source}-1") == RunCounts(seen=3, changed=3, containers=2)
    assert await waiting(store) > 0
    assert await synced(store, "drive", f"{source}-2") == RunCounts(seen=3, changed=0, deleted=0, failed=0)
    assert await waiting(store) == 0
    (root / "a.md").unlink()
    assert await synced(store, "drive", f"{source}-3") == RunCounts(seen=2, changed=0, deleted=1, failed=0)
