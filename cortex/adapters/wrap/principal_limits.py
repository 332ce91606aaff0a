"""Rates and quotas of principals over shared counters, and over this process's own while those are out of reach."""

from collections import OrderedDict
from datetime import datetime
from math import ceil
from typing import Final

from cortex.domain.credential import Credential
from cortex.domain.errors import Throttled, Transient
from cortex.domain.identity import PersonId, TenantId
from cortex.domain.limits import Bucket, Limits, taken, until_midnight_s
from cortex.ports.authenticator import Authenticator, Presented
from cortex.ports.clock import Clock
from cortex.ports.limits import Buckets, LimitStore, PrincipalLimits

KEPT_S: Final = 30.0
KEYS_MAX: Final = 10_000


class LocalBuckets:
    """Implements Buckets for one process. Bounded: the key that was used least lately starts anew."""

    def __init__(self, clock: Clock, *, keys_max: int = KEYS_MAX) -> None:
        self._clock = clock
        self._keys_max = keys_max
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._counts: OrderedDict[str, int] = OrderedDict()

    async def take(self, key: str, *, per_s: float, most: float) -> float:
        now_s = self._clock.now().timestamp()
        self._buckets[key], wait_s = taken(self._buckets.get(key), now_s=now_s, per_s=per_s, most=most)
        _bound(self._buckets, key, self._keys_max)
        return wait_s

    async def count(self, key: str, *, keep_s: float) -> int:
        self._counts[key] = self._counts.get(key, 0) + 1
        _bound(self._counts, key, self._keys_max)
        return self._counts[key]


class CountedLimits:
    """Implements PrincipalLimits. A tenant's limits are read anew every half minute."""

    def __init__(self, store: LimitStore, buckets: Buckets, clock: Clock) -> None:
        self._store = store
        self._buckets = buckets
        self._local = LocalBuckets(clock)
        self._clock = clock
        self._known: dict[TenantId, tuple[Limits, datetime]] = {}

    async def request(self, tenant: TenantId, person: PersonId) -> None:
        limits = await self._limits(tenant)
        key, per_s = f"{tenant}:rate:{person}", limits.requests_per_minute / 60
        try:
            wait_s = await self._buckets.take(key, per_s=per_s, most=limits.requests_at_once)
        except Transient:
            wait_s = await self._local.take(key, per_s=per_s, most=limits.requests_at_once)
        if wait_s > 0:
            most = f"{limits.requests_per_minute} requests a minute"
            raise Throttled(f"more than {most}; ask again in {ceil(wait_s)} s", retry_after_s=wait_s)

    async def question(self, tenant: TenantId, person: PersonId) -> None:
        most = (await self._limits(tenant)).questions_per_day
        if most is None:
            return
        now = self._clock.now()
        key, left_s = f"{tenant}:questions:{person}:{now.date()}", until_midnight_s(now)
        try:
            asked = await self._buckets.count(key, keep_s=left_s)
        except Transient:
            asked = await self._local.count(key, keep_s=left_s)
        if asked > most:
            raise Throttled(f"the {most} questions of today are used up; ask again tomorrow", retry_after_s=left_s)

    async def _limits(self, tenant: TenantId) -> Limits:
        now = self._clock.now()
        known, read_at = self._known.get(tenant, (None, now))
        if known is not None and (now - read_at).total_seconds() < KEPT_S:
            return known
        try:
            limits = await self._store.limits(tenant)
        except Transient:
            limits = known or Limits()
        self._known[tenant] = (limits, now)
        return limits


class LimitedAuthenticator:
    """Implements Authenticator: who has shown who they are has made a request."""

    def __init__(self, authenticator: Authenticator, limits: PrincipalLimits) -> None:
        self._authenticator = authenticator
        self._limits = limits

    async def authenticate(self, presented: Presented) -> Credential:
        credential = await self._authenticator.authenticate(presented)
        await self._limits.request(credential.tenant_id, credential.person_id)
        return credential


def _bound(kept: OrderedDict[str, Bucket] | OrderedDict[str, int], key: str, most: int) -> None:
    kept.move_to_end(key)
    if len(kept) > most:
        kept.popitem(last=False)
