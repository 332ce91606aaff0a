"""The control of syncs against a real server, with the connectors' own workflows behind it."""

import socket
import uuid
from collections.abc import AsyncIterator

import pytest
from opentelemetry import baggage, context
from temporalio.client import Client, ScheduleOverlapPolicy
from temporalio.service import RPCError

from cortex.adapters.temporal import TemporalSyncControl, connect
from cortex.domain.errors import NotFound, Transient
from cortex.domain.identity import SourceId, TenantId
from cortex.ports.sync_control import WorkState
from cortex.testing.sources import MemorySources
from tests.services.connectors.scripted import Scripted
from tests.services.connectors.temporal import Bench, bench


@pytest.fixture
async def client(temporal_url: str) -> Client:
    return await connect(temporal_url, namespace="cortex")


@pytest.fixture
def connector() -> Scripted:
    return Scripted()


@pytest.fixture
async def at(client: Client, connector: Scripted) -> AsyncIterator[Bench]:
    async with bench(client, {"scripted": connector}, MemorySources()) as made:
        yield made


@pytest.fixture
def tenant() -> TenantId:
    return TenantId(uuid.uuid4())


async def result(client: Client, workflow_id: str) -> None:
    await client.get_workflow_handle(workflow_id).result()


async def test_a_source_is_synced_and_removed(at: Bench, tenant: TenantId) -> None:
    source = at.sources.add(tenant, name="wiki", config={}, type="scripted")
    assert await at.control.sync_state(tenant, source.id) is WorkState.NONE
    run_id = await at.control.start_sync(tenant, source.id)
    await result(at.client, f"sync-{tenant}-{source.id}")
    assert (await at.sources.run(tenant, run_id)).state == "done"
    assert await at.control.sync_state(tenant, source.id) is WorkState.DONE
    await at.sources.set_state(tenant, source.id, "removing")
    await at.control.start_remove(tenant, source.id)
    await at.control.start_remove(tenant, source.id)
    await result(at.client, f"remove-{tenant}-{source.id}")
    assert await at.control.remove_state(tenant, source.id) is WorkState.DONE
    with pytest.raises(NotFound):
        await at.sources.source(tenant, source.id)


async def test_a_schedule_starts_passes_until_the_source_is_removed(
    at: Bench, tenant: TenantId, connector: Scripted
) -> None:
    source = at.sources.add(tenant, name="wiki", config={}, type="scripted")
    await at.control.sync_every(tenant, source.id, every_s=3600)
    await at.control.sync_every(tenant, source.id, every_s=1)
    schedule = at.client.get_schedule_handle(f"every-{tenant}-{source.id}")
    described = (await schedule.describe()).schedule
    assert [interval.every.total_seconds() for interval in described.spec.intervals] == [1]
    assert described.policy.overlap is ScheduleOverlapPolicy.SKIP
    await connector.entered.wait()
    await at.control.start_remove(tenant, source.id)
    with pytest.raises(RPCError):
        await schedule.describe()
    await result(at.client, f"remove-{tenant}-{source.id}")


async def test_baggage_stays_out_of_temporal(at: Bench, tenant: TenantId) -> None:
    source = at.sources.add(tenant, name="wiki", config={}, type="scripted")
    token = context.attach(baggage.set_baggage("person", "ann"))
    try:
        await at.control.start_sync(tenant, source.id)
    finally:
        context.detach(token)
    await result(at.client, f"sync-{tenant}-{source.id}")
    history = await at.client.get_workflow_handle(f"sync-{tenant}-{source.id}").fetch_history()
    headers = [event.workflow_execution_started_event_attributes.header for event in history.events[:1]]
    assert not any(b"ann" in field.data for header in headers for field in header.fields.values())


async def test_stopping_a_schedule_that_is_not_there_is_fine(client: Client, tenant: TenantId) -> None:
    await TemporalSyncControl(client).sync_every(tenant, SourceId(uuid.uuid4()), every_s=None)


async def test_a_server_that_is_not_there_is_transient() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Transient, match="out of reach"):
        await connect(f"127.0.0.1:{port}", namespace="cortex")
