"""Records as SCIM's resources, and what a client sent as states. Pure."""

import uuid
from collections.abc import Iterable
from typing import Annotated, Any, Union

from pydantic import Field
from scim2_models import (
    URN,
    CaseExact,
    ComplexAttribute,
    Context,
    Email,
    EnterpriseUser,
    GroupMembership,
    Meta,
    Mutability,
    Reference,
    Required,
    Resource,
    ScimPolicy,
    User,
)

from cortex.domain.acl import Person
from cortex.domain.errors import Invalid
from cortex.domain.identity import normalise_email
from cortex.ports.provisioning import GroupRecord, UserRecord, UserState

ScimUser = User[EnterpriseUser]
USERS, GROUPS = "Users", "Groups"
# What Entra sends: attributes beyond the schema, paths that select what is not there yet, and values to be removed.
POLICY = ScimPolicy(
    unknown=ScimPolicy.Unknown.ignore,
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)
# Kept in columns of their own, computed, or not kept at all.
_NOT_ATTRIBUTES = frozenset({"schemas", "id", "meta", "userName", "externalId", "password", "groups"})
_CHARACTERS_MAX = 1_000


class ScimMember(ComplexAttribute):
    """What a member is called follows from who it is, and is not kept here."""

    value: Annotated[str | None, Mutability.immutable, CaseExact.true] = None
    ref: Annotated[Reference[Union["User", "Group"]] | None, Mutability.immutable] = Field(  # type: ignore[type-arg]
        None, serialization_alias="$ref", validation_alias="$ref"
    )
    type: Annotated[str | None, Mutability.immutable] = Field(None, examples=["User", "Group"])


class Group(Resource[Any]):
    """Of the directory."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

    display_name: Annotated[str | None, Required.true] = None
    members: list[ScimMember] | None = None


ScimGroup = Group


def user_resource(record: UserRecord, *, base: str) -> User[Any]:
    """Whoever no client has written yet gets the attributes that are known of them."""
    state = record.state
    attributes = dict(_known(state) if state.attributes is None else state.attributes)
    resource = ScimUser.model_validate(attributes, scim_policy=POLICY)
    resource.id = str(record.id)
    resource.user_name, resource.external_id = state.user_name, state.external_id
    resource.active = state.active if "active" in attributes else None  # which a client may have taken away
    resource.groups = [
        GroupMembership(
            value=str(group.id),
            ref=Reference(f"{base}/{GROUPS}/{group.id}"),
            display=group.name,
            type="direct" if group.direct else "indirect",
        )
        for group in record.groups
    ] or None
    resource.meta = _meta(record, "User", f"{base}/{USERS}/{record.id}")
    return resource


def _known(state: UserState) -> dict[str, object]:
    emails = [] if state.email is None else [{"value": state.email, "primary": True}]
    return {"displayName": state.name, "emails": emails, "active": state.active}


def user_state(resource: User[Any], *, active: bool) -> UserState:
    """Raises Invalid with the place. `active` is what holds where the resource leaves it open."""
    dumped = resource.model_dump(scim_ctx=Context.DEFAULT)
    attributes = {name: value for name, value in dumped.items() if name not in _NOT_ATTRIBUTES}
    user_name = _short(resource.user_name, place="userName")
    return UserState(
        user_name=user_name,
        name=_name(resource) or user_name,
        email=_email(resource.emails or (), user_name),
        external_id=resource.external_id and _short(resource.external_id, place="externalId"),
        active=active if resource.active is None else resource.active,
        attributes=attributes,
    )


def group_resource(record: GroupRecord, *, base: str) -> ScimGroup:
    members = [
        ScimMember(
            value=str(member.id),
            ref=Reference(f"{base}/{USERS if isinstance(member, Person) else GROUPS}/{member.id}"),
            type="User" if isinstance(member, Person) else "Group",
        )
        for member in sorted(record.state.members, key=lambda member: str(member.id))
    ]
    return ScimGroup(
        id=str(record.id),
        display_name=record.state.name,
        external_id=record.state.external_id,
        members=members or None,
        meta=_meta(record, "Group", f"{base}/{GROUPS}/{record.id}"),
    )


def member_ids(resource: ScimGroup) -> list[uuid.UUID]:
    found = []
    for number, member in enumerate(resource.members or ()):
        try:
            found.append(uuid.UUID(member.value or ""))
        except ValueError:
            raise Invalid(f"members[{number}].value: {member.value!r} is nobody's id here") from None
    return found


def group_name(resource: ScimGroup) -> str:
    return _short(resource.display_name, place="displayName")


def _meta(record: UserRecord | GroupRecord, kind: str, location: str) -> Meta:
    return Meta(
        resource_type=kind,
        created=record.created_at,
        last_modified=record.updated_at,
        location=location,
        version=f'W/"{record.version}"',
    )


def _name(resource: User[Any]) -> str | None:
    """The first that is given of what people call them."""
    name = resource.name
    joined = " ".join(filter(None, (name.given_name, name.family_name))) if name else ""
    given = resource.display_name or (name and name.formatted) or joined or resource.nick_name
    return _short(given, place="displayName") if given else None


def _email(emails: Iterable[Email], user_name: str) -> str | None:
    """The one that stands for the person: the primary one, of work, the first, or the user name if it is one."""
    ranked = sorted(emails, key=lambda email: (email.primary is not True, email.type != "work"))
    for candidate in [*(email.value for email in ranked if email.value), user_name]:
        try:
            return normalise_email(candidate)
        except Invalid:
            continue
    return None


def _short(text: str | None, *, place: str) -> str:
    if not text or not text.strip() or len(text) > _CHARACTERS_MAX or "\x00" in text:
        raise Invalid(f"{place}: expected 1 to {_CHARACTERS_MAX} characters")
    return text
