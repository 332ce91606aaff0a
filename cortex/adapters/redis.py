"""Redis or Valkey: expanded groups (ports/group_cache.py), rates and quotas (ports/limits.py)."""

import json
import random
import uuid
from typing import Final

from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import RedisError

from cortex.domain.acl import Asker
from cortex.domain.errors import Transient
from cortex.domain.identity import GroupId, PersonId, TenantId

EXPANSION_S: Final = 300
JITTER: Final = 0.2
CONNECTIONS_MAX: Final = 32
GENERATION_S: Final = 30 * 24 * 3600


# Refills by the server's own clock, takes one token or none, and says how long until there is one.
_TAKE: Final = """
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local most, per_s = tonumber(ARGV[1]), tonumber(ARGV[2])
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local passed = math.max(0, now - tonumber(bucket[2] or now))
local tokens = math.min(most, tonumber(bucket[1] or most) + passed * per_s)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = (1 - tokens) / per_s end
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(most / per_s * 1000) + 1000)
return string.format('%.6f', wait)
"""


class RedisBuckets:
    """Implements Buckets."""

    def __init__(self, url: str, *, timeout_s: float = 0.25) -> None:
        self._redis = connected(url, timeout_s=timeout_s)
        self._take = self._redis.register_script(_TAKE)

    async def take(self, key: str, *, per_s: float, most: float) -> float:
        try:
            return float(await self._take(keys=[f"cortex:{key}"], args=[most, per_s]))
        except RedisError as error:
            raise Transient("Redis is out of reach") from error

    async def count(self, key: str, *, keep_s: float) -> int:
        try:
            async with self._redis.pipeline() as pipeline:
                pipeline.incr(f"cortex:{key}")
                pipeline.expire(f"cortex:{key}", int(keep_s) + 60)
                counted, _ = await pipeline.execute()
        except RedisError as error:
            raise Transient("Redis is out of reach") from error
        return int(counted)

    async def close(self) -> None:
        await self._redis.aclose()


class RedisGroupCache:
    """Keys carry the tenant and its generation, so that one increment drops every asker at once."""

    def __init__(self, url: str, *, timeout_s: float = 1.0, jitter: random.Random | None = None) -> None:
        self._redis = connected(url, timeout_s=timeout_s)
        self._jitter = jitter or random.Random()

    async def generation(self, tenant: TenantId) -> int:
        try:
            return int(await self._redis.get(f"cortex:{tenant}:groups") or 0)
        except RedisError as error:
            raise Transient("Redis is out of reach") from error

    async def get(self, tenant: TenantId, person: PersonId) -> Asker | None:
        key = _key(tenant, await self.generation(tenant), person)
        try:
            stored = await self._redis.get(key)
        except RedisError as error:
            raise Transient("Redis is out of reach") from error
        if stored is None:
            return None
        fields = json.loads(stored)
        groups, muted = (frozenset(GroupId(uuid.UUID(group)) for group in fields[name]) for name in ("groups", "muted"))
        return Asker(person, groups, guest=fields["guest"], shared=fields["shared"], muted=muted)

    async def put(self, tenant: TenantId, asker: Asker, *, generation: int) -> None:
        value = json.dumps(
            {
                "groups": sorted(map(str, asker.groups)),
                "guest": asker.guest,
                "shared": asker.shared,
                "muted": sorted(map(str, asker.muted)),
            }
        )
        ttl_s = int(EXPANSION_S * self._jitter.uniform(1 - JITTER, 1 + JITTER))
        try:
            await self._redis.set(_key(tenant, generation, asker.person), value, ex=ttl_s)
        except RedisError as error:
            raise Transient("Redis is out of reach") from error

    async def drop(self, tenant: TenantId) -> None:
        key = f"cortex:{tenant}:groups"
        try:
            async with self._redis.pipeline() as pipeline:
                pipeline.incr(key)
                pipeline.expire(key, GENERATION_S)
                await pipeline.execute()
        except RedisError as error:
            raise Transient("Redis is out of reach") from error

    async def ping(self) -> None:
        """Raises Transient when the server does not answer."""
        try:
            await self._redis.ping()
        except RedisError as error:
            raise Transient("Redis is out of reach") from error

    async def close(self) -> None:
        await self._redis.aclose()


def _key(tenant: TenantId, generation: int, person: PersonId) -> str:
    return f"cortex:{tenant}:asker:{generation}:{person}"


def connected(url: str, *, timeout_s: float) -> Redis:
    """A bounded pool; whoever finds no connection in time is told that the server is out of reach."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=CONNECTIONS_MAX,
        timeout=timeout_s,
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
    )
    return Redis.from_pool(pool)
