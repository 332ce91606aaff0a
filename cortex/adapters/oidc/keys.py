"""The provider's keys: kept for a while, fetched again when a token names one that is not among them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from cortex.adapters.oidc.settings import OidcSettings
from cortex.adapters.oidc.tokens import Head, fitting_key
from cortex.domain.errors import Denied, Transient
from cortex.ports.clock import Clock

Key = Mapping[str, Any]
KEYS_MAX = 100


class Keys:
    """Tokens with made-up key ids cause one fetch each `rotation_s`, however many there are."""

    def __init__(self, fetch: Callable[[], Awaitable[Sequence[Key]]], clock: Clock, settings: OidcSettings) -> None:
        self._fetch = fetch
        self._clock = clock
        self._settings = settings
        self._lock = asyncio.Lock()
        self._keys: Sequence[Key] = ()
        self._fetched_at: datetime | None = None
        self._tried_at: datetime | None = None

    async def key(self, head: Head) -> Key:
        """Raises Denied when the provider has no such key; Transient when it cannot be asked and was not lately."""
        found = fitting_key(head, self._keys) if self._age_s() <= self._settings.keys_fresh_s else None
        if found is not None:
            return found
        async with self._lock:
            await self._refresh(head)
        found = fitting_key(head, self._keys)
        if found is None:
            raise Denied("the token is signed with a key that the identity provider does not have")
        return found

    async def _refresh(self, head: Head) -> None:
        """Whoever waited for the lock may find the key there."""
        fresh = self._age_s() <= self._settings.keys_fresh_s
        tried = self._tried_at
        lately = tried is not None and (self._clock.now() - tried).total_seconds() < self._settings.rotation_s
        if (fresh and fitting_key(head, self._keys) is not None) or (lately and self._usable()):
            return
        self._tried_at = self._clock.now()
        try:
            self._keys = (await self._fetch())[:KEYS_MAX]
            self._fetched_at = self._clock.now()
        except Transient:
            if not self._usable():
                raise

    def _usable(self) -> bool:
        return self._age_s() <= self._settings.keys_stale_s

    def _age_s(self) -> float:
        if self._fetched_at is None:
            return float("inf")
        return (self._clock.now() - self._fetched_at).total_seconds()
