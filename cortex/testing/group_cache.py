"""What every cache of expanded groups must keep to."""

import uuid

from cortex.domain.acl import Asker
from cortex.domain.identity import GroupId, PersonId, TenantId
from cortex.ports.group_cache import GroupCache


def new_tenant() -> TenantId:
    return TenantId(uuid.uuid4())


def new_asker(*, groups: int = 2, guest: bool = False) -> Asker:
    return Asker(PersonId(uuid.uuid4()), frozenset(GroupId(uuid.uuid4()) for _ in range(groups)), guest=guest)


class GroupCacheContract:
    """Subclass as `Test...` and give it a fixture `cache`. It may be shared: every test has tenants of its own."""

    async def test_an_asker_comes_back_whole(self, cache: GroupCache) -> None:
        tenant = new_tenant()
        for asker in (new_asker(), new_asker(groups=0), new_asker(groups=500, guest=True)):
            await cache.put(tenant, asker, generation=await cache.generation(tenant))
            assert await cache.get(tenant, asker.person) == asker

    async def test_who_was_not_put_is_not_there(self, cache: GroupCache) -> None:
        assert await cache.get(new_tenant(), new_asker().person) is None

    async def test_another_tenant_has_none_of_it(self, cache: GroupCache) -> None:
        tenant, other, asker = new_tenant(), new_tenant(), new_asker()
        await cache.put(tenant, asker, generation=await cache.generation(tenant))
        assert await cache.get(other, asker.person) is None

    async def test_a_drop_takes_every_asker_of_the_tenant_and_nobody_elses(self, cache: GroupCache) -> None:
        tenant, other, askers = new_tenant(), new_tenant(), [new_asker() for _ in range(3)]
        for asker in askers:
            await cache.put(tenant, asker, generation=await cache.generation(tenant))
            await cache.put(other, asker, generation=await cache.generation(other))
        await cache.drop(tenant)
        for asker in askers:
            assert await cache.get(tenant, asker.person) is None
            assert await cache.get(other, asker.person) == asker

    async def test_what_was_expanded_before_a_drop_is_not_believed_after_it(self, cache: GroupCache) -> None:
        tenant, asker = new_tenant(), new_asker()
        before = await cache.generation(tenant)
        await cache.drop(tenant)
        await cache.put(tenant, asker, generation=before)
        assert await cache.get(tenant, asker.person) is None
        assert await cache.generation(tenant) != before

    async def test_a_later_expansion_replaces_an_earlier_one(self, cache: GroupCache) -> None:
        tenant, asker = new_tenant(), new_asker()
        now = Asker(asker.person, frozenset(), guest=True)
        for each in (asker, now):
            await cache.put(tenant, each, generation=await cache.generation(tenant))
        assert await cache.get(tenant, asker.person) == now
