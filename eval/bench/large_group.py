"""A large group that arrives page by page: how long a page takes, what looking at it costs, and how much memory it is.

    python -m eval.bench large_group [--members 1000000] [--page 10000] [--json]

Starts Postgres, SpiceDB and Valkey by themselves and writes as the push route does, into a group that had another
member; nobody of the new ones is known before. Looks whether the switch was one: until the last page the old member is
in and none of the new, and then the other way round. Afterwards an administrator's first pages of groups and of people
are read, and a member's groups, which no cache holds yet.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from cortex.adapters.clock import SystemClock
from cortex.adapters.objects import Objects
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.directory import PostgresDirectory
from cortex.adapters.postgres.people import PostgresPeople
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.postgres.source_writer import PostgresSourceWriter
from cortex.adapters.postgres.sources import PostgresSources
from cortex.adapters.postgres.tenants import PostgresTenants
from cortex.adapters.redis import RedisGroupCache
from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.domain.acl import UserRef, parse_acl
from cortex.domain.change import DocumentState
from cortex.domain.identity import DocumentId, TenantId, source_id
from cortex.ports.permission_engine import Check
from cortex.ports.source_writer import GroupPage
from cortex.runtime.local import ServerName
from tests.local_servers import LocalServers

SOURCE, GROUP = "wiki", "crew"
ROWS = 100
OLD = UserRef("old@acme.example")


@dataclass(frozen=True, slots=True)
class Desk:
    """What a write and a look take."""

    database: Database
    engine: SpiceDbEngine
    directory: PostgresDirectory
    writer: PostgresSourceWriter
    people: PostgresPeople
    tenant: TenantId

    async def sees(self, document: DocumentId, person: UserRef) -> bool:
        record = await self.directory.put_person(self.tenant, person.email, name="x", guest=False)
        [answer] = await self.engine.check(self.tenant, record.id, [Check(document)], at_least_as_fresh=None)
        return answer


@asynccontextmanager
async def desk(urls: Mapping[str, str], folder: Path) -> AsyncIterator[Desk]:
    database = Database.connect(urls["CORTEX_DATABASE_URL"], connections_max=4)
    engine = SpiceDbEngine(urls["CORTEX_SPICEDB_URL"], key=urls["CORTEX_SPICEDB_KEY"], timeout_s=30.0)
    permissions, groups = PermissionApplier(database, engine), RedisGroupCache(urls["CORTEX_REDIS_URL"])
    tenant = await PostgresTenants(database).make(f"t-{uuid.uuid4().hex[:12]}", title="A bench")
    await PostgresSources(database, SystemClock()).add(
        tenant, source_id(tenant, SOURCE), name=SOURCE, type_="push", config={}
    )
    writer = PostgresSourceWriter(
        database, Objects(folder.as_uri()), permissions, SystemClock(), groups, pipeline_version="1"
    )
    directory = PostgresDirectory(database, permissions, SystemClock())
    people = PostgresPeople(database, permissions, groups, SystemClock())
    yield Desk(database, engine, directory, writer, people, tenant)
    await groups.close()
    await engine.close()
    await database.close()


async def measured(desk: Desk, *, members: int, page: int) -> dict[str, float]:
    source = source_id(desk.tenant, SOURCE)
    await desk.writer.put_group(desk.tenant, source, GROUP, [OLD], version=None)
    acl = parse_acl({"allow": [f"group:{SOURCE}/{GROUP}"]})
    state = DocumentState(
        external_id="a.md",
        data=b"a",
        name="a.md",
        mime="text/markdown",
        title="A",
        url=None,
        author=None,
        created_at=None,
        updated_at=None,
        container=None,
        acl=acl,
    )
    document = (await desk.writer.put_document(desk.tenant, source, state)).document_id
    took_s: list[float] = []
    for first in range(0, members, page):
        some = [UserRef(f"person{n}@acme.example") for n in range(first, min(first + page, members))]
        last = first + page >= members
        if last:
            assert await desk.sees(document, OLD), "the old members left before the last page"
            assert not await desk.sees(document, UserRef("person0@acme.example")), "members came before the last page"
        began = time.perf_counter()
        await desk.writer.put_group_page(desk.tenant, source, GROUP, some, GroupPage(1, last))
        took_s.append(time.perf_counter() - began)
        if len(took_s) % 10 == 0:
            print(f"{first + page:,} members, last page {took_s[-1]:.2f} s", file=sys.stderr, flush=True)
    assert not await desk.sees(document, OLD), "the old members are still there"
    assert await desk.sees(document, UserRef(f"person{members - 1}@acme.example")), "the last member is missing"
    return {
        "members": members,
        "pages": len(took_s),
        "page_p50_s": round(statistics.median(took_s), 2),
        "page_max_s": round(max(took_s), 2),
        "last_page_with_switch_s": round(took_s[-1], 2),
        "all_s": round(sum(took_s), 1),
    }


async def looked(desk: Desk, *, members: int) -> dict[str, float]:
    """Seconds of an administrator's first pages, and of the groups of one member."""
    person = await desk.directory.person(desk.tenant, "person0@acme.example")
    looks: Mapping[str, Callable[[], Awaitable[object]]] = {
        "groups_page_s": lambda: desk.people.groups(desk.tenant, after="", limit=ROWS),
        "people_page_s": lambda: desk.people.people(desk.tenant, after="", limit=ROWS),
        "expansion_s": lambda: desk.directory.expand(desk.tenant, person.id),
    }
    took_s: dict[str, float] = {}
    for name, look in looks.items():
        began = time.perf_counter()
        await look()
        took_s[name] = round(time.perf_counter() - began, 3)
    [group] = await desk.people.groups(desk.tenant, after="", limit=ROWS)
    assert group.members == members, "the group is not counted right"
    return took_s


def pss_mb(word: str) -> float:
    """Of this process's children whose command names it."""
    found = 0
    for process in psutil.Process().children(recursive=True):
        try:
            if any(word in part for part in process.cmdline()):
                found += process.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return round(found / 2**20)


async def run(members: int, page: int) -> dict[str, float]:
    servers = LocalServers()
    try:
        urls = dict[str, str]()
        for name in (ServerName.POSTGRES, ServerName.SPICEDB, ServerName.VALKEY):
            urls |= await asyncio.to_thread(servers.urls, name)
        with tempfile.TemporaryDirectory() as folder:
            async with desk(urls, Path(folder)) as opened:
                figures = await measured(opened, members=members, page=page)
                figures |= await looked(opened, members=members)
        own = psutil.Process().memory_full_info().pss
        memory = {"spicedb_mb": pss_mb("spicedb_local"), "postgres_mb": pss_mb("postgres")}
        return figures | memory | {"writer_mb": round(own / 2**20)}
    finally:
        await asyncio.to_thread(servers.close)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--members", type=int, default=1_000_000)
    parser.add_argument("--page", type=int, default=10_000)
    parser.add_argument("--json", action="store_true", help="one object and nothing else on stdout")
    arguments = parser.parse_args()
    found = asyncio.run(run(arguments.members, arguments.page))
    print(json.dumps(found) if arguments.json else "\n".join(f"{name:26} {value}" for name, value in found.items()))
