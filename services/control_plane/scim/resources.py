"""Records as SCIM's resources, and what a client sent as states. Pure."""

import uuid
from collections.abc import Iterable
from typing import Annotated, Any

from scim2_models import (
    Context,
    Email,
    EnterpriseUser,
    GroupMember,
    GroupMembership,
    Meta,
    Mutability,
    Reference,
    ScimPolicy,
    User,
)
from scim2_models import Group as CoreGroup

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
_NOT_ATTRIBUTES = frozenset({"schemas", "id", "meta", "userName", "externalId", "active", "password", "groups"})
_CHARACTERS_MAX = 1_000


class ScimMember(GroupMember):
    """What a member is called follows from who it is."""

    display: Annotated[str | None, Mutability.read_only] = None


class ScimGroup(CoreGroup):
    __schema__ = CoreGroup.__schema__

    members: list[ScimMember] | None = None  # type: ignore[assignment]  # narrower, and read as such


def user_resource(record: UserRecord, *, base: str) -> User[Any]:
    """Whoever no client has written yet gets the attributes that are known of them."""
    state = record.state
    attributes = dict(state.attributes)
    if not attributes:
        attributes = {"displayName": state.name}
        if state.email is not None:
            attributes["emails"] = [{"value": state.email, "primary": True}]
    resource = ScimUser.model_validate(attributes, scim_policy=POLICY)
    resource.id = str(record.id)
    resource.user_name, resource.external_id, resource.active = state.user_name, state.external_id, state.active
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


def user_state(resource: User[Any]) -> UserState:
    """Raises Invalid with the place."""
    dumped = resource.model_dump(scim_ctx=Context.DEFAULT)
    attributes = {name: value for name, value in dumped.items() if name not in _NOT_ATTRIBUTES}
    user_name = _short(resource.user_name, place="userName")
    return UserState(
        user_name=user_name,
        name=_name(resource) or user_name,
        email=_email(resource.emails or (), user_name),
        external_id=resource.external_id and _short(resource.external_id, place="externalId"),
        active=resource.active is not False,
        attributes=attributes,
    )


def group_resource(record: GroupRecord, *, base: str) -> ScimGroup:
    members = [
        ScimMember(
            value=str(member.id),
            ref=Reference(f"{base}/{USERS if isinstance(member, Person) else GROUPS}/{member.id}"),
            type="User" if isinstance(member, Person) else "Group",
            display=name or None,
        )
        for member, name in sorted(record.names.items(), key=lambda item: str(item[0].id))
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
