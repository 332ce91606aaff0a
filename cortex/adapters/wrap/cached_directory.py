"""A directory whose expansions are cached, and dropped by every write that changes a membership.

However many requests of one person come at once, they cost one expansion. Those who asked lately are expanded anew in
the background after a change, so that they do not wait for it.
"""

import asyncio
import contextlib
import copy
from collections import OrderedDict
from collections.abc import Sequence
from typing import Self

from cortex.domain.acl import Asker, Group, Person
from cortex.domain.errors import CortexError, NotFound, Transient
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId
from cortex.ports.audit_log import AuditEntry
from cortex.ports.directory import Directory, PersonRecord
from cortex.ports.group_cache import GroupCache

RECENT_MAX = 500

Flight = tuple[TenantId, PersonId, int | None]


class CachedDirectory:
    """Implements Directory. An unreachable cache costs time, never an answer: revocations rest on the re-check."""

    def __init__(self, directory: Directory, cache: GroupCache, *, recent_max: int = RECENT_MAX) -> None:
        self._directory = directory
        self._cache = cache
        self._recent_max = recent_max
        self._recent: OrderedDict[tuple[TenantId, PersonId], None] = OrderedDict()
        self._warmed: dict[TenantId, int] = {}
        self._flights: dict[Flight, asyncio.Future[Asker]] = {}

    def audited(self, entry: AuditEntry) -> Self:
        """Shares what is cached with the one that it is made of."""
        made = copy.copy(self)
        made._directory = self._directory.audited(entry)
        return made

    async def person(self, tenant: TenantId, email: str) -> PersonRecord:
        return await self._directory.person(tenant, email)

    async def put_person(self, tenant: TenantId, email: str, *, name: str, guest: bool) -> PersonRecord:
        record = await self._directory.put_person(tenant, email, name=name, guest=guest)
        await drop(self._cache, tenant)
        return record

    async def put_group(
        self, tenant: TenantId, source: SourceId | None, external: str, members: Sequence[Person | Group], *, name: str
    ) -> GroupId:
        group = await self._directory.put_group(tenant, source, external, members, name=name)
        await drop(self._cache, tenant)
        return group

    async def expand(self, tenant: TenantId, person: PersonId) -> Asker:
        self._note(tenant, person)
        return await self._expanded(tenant, person)

    async def warm(self) -> int:
        """Expands those who asked lately, of tenants whose memberships changed since the last call; how many."""
        count = 0
        for tenant in {tenant for tenant, _ in self._recent}:
            generation = await self._cache.generation(tenant)
            before = self._warmed.get(tenant, generation)
            self._warmed[tenant] = generation
            if before != generation:
                count += await self._warm(tenant)
        return count

    async def _warm(self, tenant: TenantId) -> int:
        people = [person for of, person in reversed(self._recent) if of == tenant]
        for person in people:
            try:
                await self._expanded(tenant, person)
            except NotFound:
                self._recent.pop((tenant, person), None)
        return len(people)

    async def _expanded(self, tenant: TenantId, person: PersonId) -> Asker:
        try:
            if (cached := await self._cache.get(tenant, person)) is not None:
                return cached
            # Part of the flight's name: what begins after a write must not get what began before it.
            generation = await self._cache.generation(tenant)
        except Transient:
            return await self._alone((tenant, person, None))
        return await self._alone((tenant, person, generation))

    async def _alone(self, flight: Flight) -> Asker:
        """The first to come expands, the others wait for it; where it is broken off, one of them takes its place."""
        while (others := self._flights.get(flight)) is not None:
            try:
                return await asyncio.shield(others)
            except asyncio.CancelledError:
                if not others.cancelled():
                    raise
        landed: asyncio.Future[Asker] = asyncio.get_running_loop().create_future()
        self._flights[flight] = landed
        try:
            asker = await self._expand_and_keep(flight)
            landed.set_result(asker)
        except CortexError as error:
            landed.set_exception(error)
            landed.exception()  # nobody may be waiting
            raise
        finally:
            del self._flights[flight]
            landed.cancel()
        return asker

    async def _expand_and_keep(self, flight: Flight) -> Asker:
        tenant, person, generation = flight
        if generation is None:
            return await self._directory.expand(tenant, person)
        with contextlib.suppress(Transient):
            if (cached := await self._cache.get(tenant, person)) is not None:
                return cached  # a flight landed since this one was found missing
        asker = await self._directory.expand(tenant, person)
        with contextlib.suppress(Transient):
            await self._cache.put(tenant, asker, generation=generation)
        return asker

    def _note(self, tenant: TenantId, person: PersonId) -> None:
        self._recent[tenant, person] = None
        self._recent.move_to_end((tenant, person))
        if len(self._recent) > self._recent_max:
            self._recent.popitem(last=False)


async def drop(cache: GroupCache, tenant: TenantId) -> None:
    """After a membership changed. Entries run out by themselves, and the re-check asks the engine in any case."""
    with contextlib.suppress(Transient):
        await cache.drop(tenant)
