"""What there is: the provider's configuration, the types of resources and their schemas."""

from collections.abc import Sequence
from typing import Any

from scim2_models import (
    AuthenticationScheme,
    Bulk,
    ChangePassword,
    Context,
    EnterpriseUser,
    ETag,
    Filter,
    ListResponse,
    Meta,
    Pagination,
    Patch,
    Resource,
    ResourceType,
    Schema,
    ServiceProviderConfig,
    Sort,
)

from cortex.domain.errors import NotFound
from services.control_plane.scim.resources import ScimGroup, ScimUser
from services.control_plane.scim.search import PAGE_DEFAULT, PAGE_MAX, parameterised


def configuration(base: str) -> str:
    scheme = AuthenticationScheme(
        type=AuthenticationScheme.Type.oauthbearertoken,
        name="API key",
        description="Authorization: Bearer with an API key of the scope scim",
        primary=True,
    )
    found = ServiceProviderConfig(
        patch=Patch(supported=True),
        bulk=Bulk(supported=False, max_operations=0, max_payload_size=0),
        filter=Filter(supported=True, max_results=PAGE_MAX),
        change_password=ChangePassword(supported=False),
        sort=Sort(supported=False),
        etag=ETag(supported=True),
        authentication_schemes=[scheme],
        pagination=Pagination(cursor=False, index=True, default_page_size=PAGE_DEFAULT, max_page_size=PAGE_MAX),
        meta=Meta(resource_type="ServiceProviderConfig", location=f"{base}/ServiceProviderConfig"),
    )
    return found.model_dump_json(scim_ctx=Context.RESOURCE_QUERY_RESPONSE)


def resource_types(base: str) -> str:
    return _all(_resource_types(base), ResourceType)


def resource_type(base: str, name: str) -> str:
    return _one(_resource_types(base), name)


def schemas(base: str) -> str:
    return _all(_schemas(base), Schema)


def schema(base: str, name: str) -> str:
    return _one(_schemas(base), name)


def _resource_types(base: str) -> list[Any]:
    found = [ResourceType.from_resource(model) for model in (ScimUser, ScimGroup)]
    for kind, name in zip(found, ("User", "Group"), strict=True):
        kind.meta = Meta(resource_type="ResourceType", location=f"{base}/ResourceTypes/{name}")
    return found


def _schemas(base: str) -> list[Any]:
    models = (ScimUser, EnterpriseUser, ScimGroup, ServiceProviderConfig, ResourceType, Schema)
    found = [model.to_schema() for model in models]
    for one in found:
        one.meta = Meta(resource_type="Schema", location=f"{base}/Schemas/{one.id}")
    return found


def _all(found: Sequence[Any], model: object) -> str:
    listed = parameterised(ListResponse, model)(
        total_results=len(found), start_index=1, items_per_page=len(found), resources=found
    )
    body: str = listed.model_dump_json(scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
    return body


def _one(found: Sequence[Resource[Any]], name: str) -> str:
    for resource in found:
        if resource.id == name:
            return resource.model_dump_json(scim_ctx=Context.RESOURCE_QUERY_RESPONSE)
    raise NotFound(f"there is no {name!r} here")
