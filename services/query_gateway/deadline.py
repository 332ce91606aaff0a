"""A bound on a dependency's time, and two calls at once."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import TypeVar

from cortex.domain.errors import Transient

A = TypeVar("A")
B = TypeVar("B")


@asynccontextmanager
async def within(timeout_s: float, what: str) -> AsyncIterator[None]:
    """Transient where `what` takes longer."""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError:
        raise Transient(f"{what} did not answer in time", retry_after_s=1.0) from None


async def both(first: Coroutine[None, None, A], second: Coroutine[None, None, B]) -> tuple[A, B]:
    """Both results; if one fails the other is cancelled, and the first failure is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            one, other = group.create_task(first), group.create_task(second)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return one.result(), other.result()
