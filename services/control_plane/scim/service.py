"""What a SCIM request does: read, change and list people and groups, each change in the audit."""

import json
import re
import uuid
from collections.abc import Sequence
from typing import Any, Protocol

from fastapi import Request, Response
from pydantic import ValidationError
from scim2_models import Context, Error, Meta, PatchOp, Resource, SCIMException, SearchRequest, User

from cortex.domain.credential import Credential
from cortex.domain.errors import Invalid, NotFound
from cortex.domain.identity import GroupId, PersonId, TenantId
from cortex.domain.storable import all_storable
from cortex.ports.audit_log import AuditEntry
from cortex.ports.provisioning import GroupKey, GroupState, Stale, UserKey
from services.control_plane.identity_ports import IdentityPorts
from services.control_plane.scim.errors import MEDIA_TYPE, PreconditionFailed, error_response
from services.control_plane.scim.resources import (
    POLICY,
    ScimGroup,
    ScimUser,
    group_name,
    group_resource,
    member_ids,
    user_resource,
    user_state,
)
from services.control_plane.scim.search import Listed, list_json, one_of, parameterised, search

TRIES_MAX = 3
_VERSION = re.compile(r'(?:W/)?"([0-9]{1,18})"')


class Collection(Listed, Protocol):
    """One type of resource: what each method of HTTP does to it. `base` is the address of /scim/v2."""

    @property
    def name(self) -> str: ...

    async def read(self, tenant: TenantId, identifier: uuid.UUID) -> Resource[Any]: ...

    async def make(self, tenant: TenantId, wanted: Resource[Any]) -> Resource[Any]: ...

    async def replace(
        self, tenant: TenantId, identifier: uuid.UUID, wanted: Resource[Any], *, version: int | None
    ) -> Resource[Any]: ...

    async def remove(self, tenant: TenantId, identifier: uuid.UUID, *, version: int | None) -> None: ...


class Users:
    """Implements Collection."""

    name = "user"
    model = ScimUser

    def __init__(self, ports: IdentityPorts, base: str, *, by: str) -> None:
        self._users = ports.users
        self._base = base
        self.by = by

    async def count(self, tenant: TenantId) -> int:
        return await self._users.count(tenant)

    async def some(
        self, tenant: TenantId, *, narrowed: tuple[str, str] | None, offset: int, limit: int
    ) -> Sequence[Resource[Any]]:
        only = None if narrowed is None else (UserKey(narrowed[0]), narrowed[1])
        found = await self._users.users(tenant, only=only, offset=offset, limit=limit)
        return [user_resource(record, base=self._base) for record in found]

    def narrows(self, attribute: str) -> str | None:
        keys = {"id": UserKey.ID, "username": UserKey.USER_NAME, "externalid": UserKey.EXTERNAL_ID}
        return (keys | dict.fromkeys(("emails", "emails.value"), UserKey.EMAIL)).get(attribute)

    async def read(self, tenant: TenantId, identifier: uuid.UUID) -> Resource[Any]:
        return user_resource(await self._users.user(tenant, PersonId(identifier)), base=self._base)

    async def make(self, tenant: TenantId, wanted: Resource[Any]) -> Resource[Any]:
        user = _user(wanted)
        user.active = user.active is not False
        users = self._users.audited(_line(self, "make"))
        return user_resource(await users.make(tenant, user_state(user, active=True)), base=self._base)

    async def replace(
        self, tenant: TenantId, identifier: uuid.UUID, wanted: Resource[Any], *, version: int | None
    ) -> Resource[Any]:
        person = PersonId(identifier)
        before = await self._users.user(tenant, person)
        state = user_state(_user(wanted), active=before.state.active)
        users = self._users.audited(_line(self, "replace", person))
        record = await users.replace(tenant, person, state, version=version)
        return user_resource(record, base=self._base)

    async def remove(self, tenant: TenantId, identifier: uuid.UUID, *, version: int | None) -> None:
        users = self._users.audited(_line(self, "remove", identifier))
        await users.remove(tenant, PersonId(identifier), version=version)


class Groups:
    """Implements Collection. `members` False leaves them out where nobody asks for them: there may be many."""

    name = "group"
    model = ScimGroup

    def __init__(self, ports: IdentityPorts, base: str, *, by: str, members: bool = True) -> None:
        self._groups = ports.groups
        self._base = base
        self.by = by
        self._members = members

    async def count(self, tenant: TenantId) -> int:
        return await self._groups.count(tenant)

    async def some(
        self, tenant: TenantId, *, narrowed: tuple[str, str] | None, offset: int, limit: int
    ) -> Sequence[Resource[Any]]:
        only = None if narrowed is None else (GroupKey(narrowed[0]), narrowed[1])
        found = await self._groups.groups(tenant, only=only, members=self._members, offset=offset, limit=limit)
        return [group_resource(record, base=self._base) for record in found]

    def narrows(self, attribute: str) -> str | None:
        keys = {"id": GroupKey.ID, "displayname": GroupKey.NAME, "externalid": GroupKey.EXTERNAL_ID}
        return (keys | dict.fromkeys(("members", "members.value"), GroupKey.MEMBER)).get(attribute)

    async def read(self, tenant: TenantId, identifier: uuid.UUID) -> Resource[Any]:
        record = await self._groups.group(tenant, GroupId(identifier), members=self._members)
        return group_resource(record, base=self._base)

    async def make(self, tenant: TenantId, wanted: Resource[Any]) -> Resource[Any]:
        groups = self._groups.audited(_line(self, "make"))
        return group_resource(await groups.make(tenant, await self._state(tenant, wanted)), base=self._base)

    async def replace(
        self, tenant: TenantId, identifier: uuid.UUID, wanted: Resource[Any], *, version: int | None
    ) -> Resource[Any]:
        state = await self._state(tenant, wanted)
        groups = self._groups.audited(_line(self, "replace", identifier))
        record = await groups.replace(tenant, GroupId(identifier), state, version=version)
        return group_resource(record, base=self._base)

    async def remove(self, tenant: TenantId, identifier: uuid.UUID, *, version: int | None) -> None:
        groups = self._groups.audited(_line(self, "remove", identifier))
        await groups.remove(tenant, GroupId(identifier), version=version)

    async def _state(self, tenant: TenantId, wanted: Resource[Any]) -> GroupState:
        assert isinstance(wanted, ScimGroup)
        members = await self._groups.members(tenant, member_ids(wanted))
        return GroupState(group_name(wanted), wanted.external_id, members)


def _line(kind: Users | Groups, act: str, identifier: uuid.UUID | None = None) -> AuditEntry:
    """Of what is made the store knows the id."""
    return AuditEntry(kind.by, f"scim.{kind.name}.{act}", "" if identifier is None else str(identifier))


class Scim:
    """One request. Errors of the models are answered here, ours by the route."""

    def __init__(self, ports: IdentityPorts, credential: Credential, request: Request, *, base: str) -> None:
        self._ports = ports
        self._credential = credential
        self._tenant = credential.tenant_id
        self._request = request
        self._base = base

    def users(self) -> Users:
        return Users(self._ports, self._base, by=self._credential.email)

    def groups(self) -> Groups:
        return Groups(self._ports, self._base, by=self._credential.email, members=self._wants_members())

    async def get(self, kind: Collection, identifier: str) -> Response:
        shown = parameterised(SearchRequest, kind.model).model_validate(self._query())
        return self._answer(await kind.read(self._tenant, known(identifier)), Context.RESOURCE_QUERY_RESPONSE, shown)

    async def listed(self, kinds: Sequence[Listed]) -> Response:
        return await self._search(kinds, self._query(), context=Context.DEFAULT)

    async def searched(self, kinds: Sequence[Listed]) -> Response:
        return await self._search(kinds, await self._body(), context=Context.SEARCH_REQUEST)

    async def make(self, kind: Collection) -> Response:
        wanted = kind.model.model_validate(
            await self._body(), scim_ctx=Context.RESOURCE_CREATION_REQUEST, scim_policy=POLICY
        )
        made = await kind.make(self._tenant, wanted)
        answer = self._answer(made, Context.RESOURCE_CREATION_RESPONSE, status=201)
        answer.headers["Location"] = str(meta_of(made).location)
        return answer

    async def replace(self, kind: Collection, identifier: str) -> Response:
        wanted = kind.model.model_validate(
            await self._body(), scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST, scim_policy=POLICY
        )
        stored = await kind.read(self._tenant, known(identifier))
        wanted.replace(stored)
        return await self._changed(kind, identifier, wanted, version=self._if_match())

    async def patch(self, kind: Collection, identifier: str) -> Response:
        """All of it or nothing. What somebody else changed meanwhile is read again, and patched again."""
        operations = parameterised(PatchOp, kind.model).model_validate(
            await self._body(), scim_ctx=Context.RESOURCE_PATCH_REQUEST, scim_policy=POLICY
        )
        for tried in range(1, TRIES_MAX + 1):
            stored = await kind.read(self._tenant, known(identifier))
            version = _version(stored)
            if self._if_match() not in (None, version):
                raise PreconditionFailed("it was changed meanwhile; read again")
            if not operations.patch(stored, scim_policy=POLICY):
                break
            try:
                return await self._changed(kind, identifier, stored, version=version)
            except Stale:
                if tried == TRIES_MAX:
                    raise
        return self._answer(stored, Context.RESOURCE_PATCH_RESPONSE)

    async def remove(self, kind: Collection, identifier: str) -> Response:
        try:
            await kind.remove(self._tenant, known(identifier), version=self._if_match())
        except Stale as error:
            raise PreconditionFailed(str(error)) from error
        return Response(status_code=204)

    async def _changed(
        self, kind: Collection, identifier: str, wanted: Resource[Any], *, version: int | None
    ) -> Response:
        try:
            changed = await kind.replace(self._tenant, known(identifier), wanted, version=version)
        except Stale as error:
            if self._if_match() is not None:
                raise PreconditionFailed(str(error)) from error
            raise
        return self._answer(changed, Context.RESOURCE_REPLACEMENT_RESPONSE)

    async def _search(self, kinds: Sequence[Listed], given: object, *, context: Context) -> Response:
        model = one_of(kinds)
        request = parameterised(SearchRequest, model).model_validate(given, scim_ctx=context)
        found = await search(kinds, self._tenant, request)
        return Response(list_json(found, model, request), media_type=MEDIA_TYPE)

    def _answer(
        self, resource: Resource[Any], context: Context, shown: SearchRequest[Any] | None = None, *, status: int = 200
    ) -> Response:
        shown = shown or parameterised(SearchRequest, type(resource)).model_validate(self._query())
        body = resource.model_dump_json(scim_ctx=context, response_parameters=shown)
        return Response(
            body, status_code=status, media_type=MEDIA_TYPE, headers={"ETag": str(meta_of(resource).version)}
        )

    async def _body(self) -> object:
        try:
            given: object = json.loads(await self._request.body())
        except ValueError:
            raise SCIMException(detail="the body is not JSON") from None
        if not all_storable(given):
            raise SCIMException(detail="the body contains NUL or half of a surrogate pair; send well-formed Unicode")
        return given

    def _query(self) -> dict[str, str]:
        return dict(self._request.query_params)

    def _if_match(self) -> int | None:
        """The version that a change is meant for. `*` is any."""
        given = self._request.headers.get("if-match")
        if given is None or given.strip() == "*":
            return None
        match = _VERSION.fullmatch(given.strip())
        if match is None:
            raise Invalid('If-Match: send the ETag of one version, such as W/"3"')
        return int(match[1])

    def _wants_members(self) -> bool:
        if self._request.method != "GET":
            return True
        query = {name.lower(): value.lower() for name, value in self._request.query_params.items()}
        asked = [part.strip() for part in query.get("attributes", "").split(",") if part.strip()]
        left_out = [part.strip() for part in query.get("excludedattributes", "").split(",")]
        if "members" in query.get("filter", ""):
            return True
        return any("members" in part for part in asked) if asked else "members" not in left_out


def refused(error: SCIMException | ValidationError) -> Response:
    """What the models say of a request, without the values that it held."""
    if isinstance(error, SCIMException):
        return error_response(error.status, error.detail, scim_type=error.scim_type or None)
    found = Error.from_validation_errors(error.errors(include_url=False, include_input=False))[0]
    return error_response(found.status or 400, found.detail or "the request is wrong", scim_type=found.scim_type)


def known(identifier: str) -> uuid.UUID:
    """Ids that are none of ours are unknown, and not wrong."""
    try:
        return uuid.UUID(identifier)
    except ValueError:
        raise NotFound("there is no such resource") from None


def _user(wanted: Resource[Any]) -> User[Any]:
    assert isinstance(wanted, User)
    return wanted


def meta_of(resource: Resource[Any]) -> Meta:
    assert resource.meta is not None, "what is read from the store has it"
    return resource.meta


def _version(resource: Resource[Any]) -> int:
    match = _VERSION.fullmatch(str(meta_of(resource).version))
    return int(match[1]) if match else 0
