"""The cache of groups over a real Valkey keeps to the contract, and is Transient when it is away."""

import random
import uuid
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from cortex.adapters.redis import EXPANSION_S, JITTER, RedisGroupCache
from cortex.domain.errors import Transient
from cortex.testing.group_cache import GroupCacheContract, new_asker, new_tenant

pytestmark = pytest.mark.servers


@pytest.fixture
async def cache(redis_url: str) -> AsyncIterator[RedisGroupCache]:
    cache = RedisGroupCache(redis_url)
    yield cache
    await cache.close()


class TestValkey(GroupCacheContract):
    """Over a server that other tests share."""


async def test_entries_run_out_at_different_times(redis_url: str) -> None:
    """So that a tenant's askers are not all expanded anew at once."""
    cache, tenant = RedisGroupCache(redis_url, jitter=random.Random(uuid.uuid4().int)), new_tenant()
    for _ in range(20):
        await cache.put(tenant, new_asker(), generation=0)
    async with Redis.from_url(redis_url) as client:
        left = {await client.ttl(key) async for key in client.scan_iter(f"cortex:{tenant}:asker:*")}
    await cache.close()
    assert len(left) > 5
    assert min(left) >= EXPANSION_S * (1 - JITTER) - 2
    assert max(left) <= EXPANSION_S * (1 + JITTER)


async def test_a_server_that_is_away_is_transient() -> None:
    cache, tenant, asker = RedisGroupCache("redis://127.0.0.1:1/0", timeout_s=0.5), new_tenant(), new_asker()
    for call in (
        cache.get(tenant, asker.person),
        cache.put(tenant, asker, generation=0),
        cache.generation(tenant),
        cache.drop(tenant),
        cache.ping(),
    ):
        with pytest.raises(Transient):
            await call
    await cache.close()


async def test_a_server_that_answers_is_well(cache: RedisGroupCache) -> None:
    await cache.ping()
