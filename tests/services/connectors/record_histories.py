"""Writes the histories that the replay test reads: `python -m tests.services.connectors.record_histories`.

Run it when a workflow's code changes in a way that is meant, after making sure that the old histories still replay
(with `workflow.patched`) or that no execution begun under the old code can be alive any more.
"""

import asyncio
import json
from pathlib import Path

from temporalio.client import Client

from cortex.domain.errors import Invalid, Transient
from cortex.domain.identity import tenant_id
from cortex.ports.sync_control import TASK_QUEUE, SourceWork, remove_id, sync_id
from cortex.testing.sources import MemorySources
from services.connectors import limits
from tests.services.connectors.scripted import Scripted
from tests.services.connectors.temporal import Bench, bench, time_skipping

TENANT = tenant_id("acme")
FOLDER = Path(__file__).parent / "histories"


def anonymous(value: object) -> object:
    """Without the paths and names of the machine that recorded it."""
    if isinstance(value, dict):
        places = {"stackTrace": "", "identity": "recorder"}
        return {key: places.get(key) if key in places else anonymous(item) for key, item in value.items()}
    return [anonymous(item) for item in value] if isinstance(value, list) else value


async def write(client: Client, workflow_id: str, name: str, *, run_id: str | None = None) -> None:
    history = await client.get_workflow_handle(workflow_id, run_id=run_id).fetch_history()
    compact = json.dumps(anonymous(history.to_json_dict()), separators=(",", ":"))
    (FOLDER / f"{name}.json").write_text(compact + "\n")


async def sync(at: Bench, connector: Scripted, name: str) -> None:
    source = at.sources.add(TENANT, name=name, config={}, type="scripted")
    await at.synced(source)
    await write(at.client, sync_id(TENANT, source.id), name.replace("-", "_"))


async def continued(at: Bench, connector: Scripted) -> None:
    """The first of two executions."""
    connector.pages = limits.PAGES_PER_EXECUTION + 1
    source = at.sources.add(TENANT, name="sync-continued", config={}, type="scripted")
    connector.gate = asyncio.Event()
    await at.control.start_sync(TENANT, source.id)
    await connector.entered.wait()
    first = (await at.client.get_workflow_handle(sync_id(TENANT, source.id)).describe()).run_id
    connector.gate.set()
    await at.settled(source)
    await write(at.client, sync_id(TENANT, source.id), "sync_continued", run_id=first)


async def queued(at: Bench, connector: Scripted) -> None:
    connector.gate = asyncio.Event()
    connector.entered.clear()
    source = at.sources.add(TENANT, name="sync-queued", config={}, type="scripted")
    await at.control.start_sync(TENANT, source.id)
    await connector.entered.wait()
    await at.control.start_sync(TENANT, source.id, full=True)
    connector.gate.set()
    await at.settled(source)
    await write(at.client, sync_id(TENANT, source.id), "sync_queued")


async def removed(at: Bench) -> None:
    source = at.sources.add(TENANT, name="sync", config={}, type="scripted")
    identifier = remove_id(TENANT, source.id)
    work = SourceWork(str(TENANT), str(source.id))
    await at.client.start_workflow("RemoveWorkflow", work, id=identifier, task_queue=TASK_QUEUE)
    await at.removed(source)
    await write(at.client, identifier, "remove")


async def main() -> None:
    connector = Scripted(pages=3)
    sources = MemorySources()
    async with await time_skipping() as environment, bench(environment.client, {"scripted": connector}, sources) as at:
        connector.errors = [Transient("busy")]
        await sync(at, connector, "sync")
        connector.errors = [Invalid("mend this")]
        await sync(at, connector, "sync-failed")
        connector.pages = 1
        await queued(at, connector)
        await removed(at)
        connector.entered.clear()
        await continued(at, connector)


if __name__ == "__main__":
    asyncio.run(main())
