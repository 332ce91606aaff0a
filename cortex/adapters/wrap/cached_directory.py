"""A directory whose expansions are cached, and dropped by every write that changes a membership."""

import contextlib
from collections.abc import Sequence

from cortex.domain.acl import Asker, Group, Person
from cortex.domain.errors import Transient
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId
from cortex.ports.directory import Directory, PersonRecord
from cortex.ports.group_cache import GroupCache


class CachedDirectory:
    """Implements Directory. An unreachable cache costs time, never an answer: revocations rest on the re-check."""

    def __init__(self, directory: Directory, cache: GroupCache) -> None:
        self._directory = directory
        self._cache = cache

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
        try:
            if (cached := await self._cache.get(tenant, person)) is not None:
                return cached
            generation = await self._cache.generation(tenant)
        except Transient:
            return await self._directory.expand(tenant, person)
        asker = await self._directory.expand(tenant, person)
        try:
            await self._cache.put(tenant, asker, generation=generation)
        except Transient:
            return asker  # it will be expanded again next time
        return asker


async def drop(cache: GroupCache, tenant: TenantId) -> None:
    """After a membership changed. Entries run out by themselves, and the re-check asks the engine in any case."""
    with contextlib.suppress(Transient):
        await cache.drop(tenant)
