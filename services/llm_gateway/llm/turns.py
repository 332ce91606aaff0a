"""How often an engine is asked at once, and whether it is asked at all just after it failed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from cortex.domain.engine import EngineSpec
from cortex.domain.errors import Transient

ENGINES_KNOWN_MAX = 1_000


class Turns:
    """For one process. Engines are known by their address and model, whosever they are."""

    def __init__(self, *, turn_s_max: float, rest_s: float) -> None:
        self._turn_s_max = turn_s_max
        self._rest_s = rest_s
        self._running: dict[tuple[str, str], asyncio.Semaphore] = {}
        self._resting: dict[tuple[str, str], float] = {}

    def rests(self, spec: EngineSpec) -> bool:
        return self._resting.get((spec.url, spec.model), 0.0) > _now()

    def failed(self, spec: EngineSpec) -> None:
        """Others are not made to wait for the same failure."""
        if len(self._resting) >= ENGINES_KNOWN_MAX:
            self._resting.clear()
        self._resting[spec.url, spec.model] = _now() + self._rest_s

    @asynccontextmanager
    async def turn(self, spec: EngineSpec) -> AsyncIterator[None]:
        """Raises Transient where the engine stays busy."""
        if len(self._running) >= ENGINES_KNOWN_MAX:
            self._running = {known: one for known, one in self._running.items() if one.locked()}
        running = self._running.setdefault((spec.url, spec.model), asyncio.Semaphore(spec.calls_max))
        try:
            async with asyncio.timeout(self._turn_s_max):
                await running.acquire()
        except TimeoutError:
            raise Transient(f"engine {spec.name}: busy") from None
        try:
            yield
        finally:
            running.release()


def _now() -> float:
    return asyncio.get_running_loop().time()
