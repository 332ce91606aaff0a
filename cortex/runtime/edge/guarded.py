"""Who asks is settled before anything reads the body: what a stranger sends costs no memory and no parsing."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Generic, TypeVar, cast

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

_ADMITTED = "cortex.admitted"
Admitted = TypeVar("Admitted")


class Guard(ABC, Generic[Admitted]):
    """A dependency of routes that looks at the head of a request alone. It decides once for each request."""

    @abstractmethod
    async def admit(self, request: Request) -> Admitted:
        """Raises what the request is refused with. Must not read the body."""

    async def admitted(self, request: Request) -> Admitted:
        known: dict[Guard[Any], object] = request.scope.setdefault(_ADMITTED, {})
        if self not in known:
            known[self] = await self.admit(request)
        return cast(Admitted, known[self])


class GuardedRoute(APIRoute):
    """FastAPI reads and parses the body before it asks dependencies; here those that are guards are asked first."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle, guards = super().get_route_handler(), list(guards_of(self.dependant))

        async def guarded(request: Request) -> Response:
            for guard in guards:
                await guard.admitted(request)
            return await handle(request)

        return guarded


def guards_of(dependant: Dependant) -> Iterator[Guard[Any]]:
    for inner in dependant.dependencies:
        call: object = inner.call
        if isinstance(call, Guard):
            yield call
        yield from guards_of(inner)
