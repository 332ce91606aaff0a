"""Routes of SCIM 2.0 under /scim/v2, for an API key with the scope `scim`."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Request, Response, params

from cortex.domain.credential import Credential, Role, Scope
from cortex.domain.errors import NotFound
from services.control_plane.administer import Requires
from services.control_plane.identity_ports import IdentityPorts
from services.control_plane.scim.errors import MEDIA_TYPE, ScimRoute, error_response

if TYPE_CHECKING:
    from services.control_plane.scim.service import Collection, Scim

PREFIX = "/scim/v2"
_DISCOVERY = frozenset({"ServiceProviderConfig", "ResourceTypes", "Schemas"})
_COLLECTIONS = frozenset({"Users", "Groups"})
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


class Calls:
    """Loads the models at the first request: they take a third of a second, and most platforms never need them."""

    def __init__(self, ports: IdentityPorts) -> None:
        self._ports = ports

    async def __call__(
        self, request: Request, credential: Credential, act: Callable[["Scim"], Awaitable[Response]]
    ) -> Response:
        await asyncio.to_thread(import_module, "services.control_plane.scim.service")
        from pydantic import ValidationError
        from scim2_models import SCIMException

        from services.control_plane.scim.service import Scim, refused

        try:
            return await act(Scim(self._ports, credential, request, base=self.base(request)))
        except (SCIMException, ValidationError) as error:
            return refused(error)
        except RecursionError:
            return error_response(400, "this is nested too deeply", scim_type="invalidSyntax")

    async def discover(self, request: Request, what: str, name: str | None = None) -> Response:
        await asyncio.to_thread(import_module, "services.control_plane.scim.discovery")
        from services.control_plane.scim import discovery

        base = self.base(request)
        match what:
            case "ServiceProviderConfig":
                body = discovery.configuration(base)
            case "ResourceTypes":
                body = discovery.resource_types(base) if name is None else discovery.resource_type(base, name)
            case _:
                body = discovery.schemas(base) if name is None else discovery.schema(base, name)
        return Response(body, media_type=MEDIA_TYPE)

    def base(self, request: Request) -> str:
        return (self._ports.site.origin or f"{request.url.scheme}://{request.url.netloc}") + PREFIX


def scim_router(ports: IdentityPorts) -> APIRouter:
    router = APIRouter(prefix=PREFIX, tags=["scim"], route_class=ScimRoute)
    provisioning = Depends(Requires(ports.authenticator, frozenset(Role), Scope.SCIM))
    calls = Calls(ports)
    _add_discovery(router, calls, provisioning)
    _add_collection(router, calls, provisioning, path="/Users", pick=lambda scim: scim.users())
    _add_collection(router, calls, provisioning, path="/Groups", pick=lambda scim: scim.groups())
    _add_rest(router, calls, provisioning)
    return router


def _add_discovery(router: APIRouter, calls: Calls, provisioning: params.Depends) -> None:
    @router.get("/ServiceProviderConfig")
    async def get_configuration(request: Request, credential: Annotated[Credential, provisioning]) -> Response:
        return await calls.discover(request, "ServiceProviderConfig")

    @router.get("/ResourceTypes")
    async def list_resource_types(request: Request, credential: Annotated[Credential, provisioning]) -> Response:
        return await calls.discover(request, "ResourceTypes")

    @router.get("/ResourceTypes/{name}")
    async def get_resource_type(
        name: str, request: Request, credential: Annotated[Credential, provisioning]
    ) -> Response:
        return await calls.discover(request, "ResourceTypes", name)

    @router.get("/Schemas")
    async def list_schemas(request: Request, credential: Annotated[Credential, provisioning]) -> Response:
        return await calls.discover(request, "Schemas")

    @router.get("/Schemas/{name}")
    async def get_schema(name: str, request: Request, credential: Annotated[Credential, provisioning]) -> Response:
        return await calls.discover(request, "Schemas", name)


def _add_collection(
    router: APIRouter, calls: Calls, provisioning: params.Depends, *, path: str, pick: "Callable[[Scim], Collection]"
) -> None:
    @router.get(path)
    async def list_resources(request: Request, credential: Annotated[Credential, provisioning]) -> Response:
        return await calls(request, credential, lambda scim: scim.listed([pick(scim)]))

    @router.post(path, status_code=201)
    async def make_resource(request: Request, credential: Annotated[Credential, provisioning]) -> Response:
        return await calls(request, credential, lambda scim: scim.make(pick(scim)))

    @router.post(f"{path}/.search")
    async def search_resources(request: Request, credential: Annotated[Credential, provisioning]) -> Response:
        return await calls(request, credential, lambda scim: scim.searched([pick(scim)]))

    @router.get(f"{path}/{{identifier}}")
    async def get_resource(
        identifier: str, request: Request, credential: Annotated[Credential, provisioning]
    ) -> Response:
        return await calls(request, credential, lambda scim: scim.get(pick(scim), identifier))

    @router.put(f"{path}/{{identifier}}")
    async def replace_resource(
        identifier: str, request: Request, credential: Annotated[Credential, provisioning]
    ) -> Response:
        return await calls(request, credential, lambda scim: scim.replace(pick(scim), identifier))

    @router.patch(f"{path}/{{identifier}}")
    async def patch_resource(
        identifier: str, request: Request, credential: Annotated[Credential, provisioning]
    ) -> Response:
        return await calls(request, credential, lambda scim: scim.patch(pick(scim), identifier))

    @router.delete(f"{path}/{{identifier}}", status_code=204)
    async def remove_resource(
        identifier: str, request: Request, credential: Annotated[Credential, provisioning]
    ) -> Response:
        return await calls(request, credential, lambda scim: scim.remove(pick(scim), identifier))


def _add_rest(router: APIRouter, calls: Calls, provisioning: params.Depends) -> None:
    @router.post("/.search")
    async def search_everything(request: Request, credential: Annotated[Credential, provisioning]) -> Response:
        return await calls(request, credential, lambda scim: scim.searched([scim.users(), scim.groups()]))

    @router.api_route("/{rest:path}", methods=_METHODS, include_in_schema=False)
    async def anything_else(rest: str, credential: Annotated[Credential, provisioning]) -> Response:
        first, _, more = rest.partition("/")
        if first in _DISCOVERY or (first in _COLLECTIONS and "/" not in more):
            return error_response(405, "this method is not supported here")
        raise NotFound("there is nothing here")
