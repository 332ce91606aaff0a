"""The permission algebra (contracts.md): what a source says about who may open a thing.

`Acl` is what arrives, with principals by name. `ResolvedAcl` holds ids and is what Postgres, SpiceDB and the index are
made from. `visible` is the plain reading of the algebra; the SpiceDB schema and the index filter are tested against it.
"""

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cortex.domain.errors import Invalid
from cortex.domain.identity import ContainerId, GroupId, PersonId, external_id, normalise_email, slug

PRINCIPALS_MAX = 20_000
ALL_OF_MAX = 8


class Inherit(enum.StrEnum):
    RESTRICT = "restrict"
    EXTEND = "extend"
    NONE = "none"


class Public(enum.StrEnum):
    NONE = "none"
    LINK = "link"
    TENANT = "tenant"


@dataclass(frozen=True, slots=True, order=True)
class UserRef:
    """`user:EMAIL`"""

    email: str

    def __str__(self) -> str:
        return f"user:{self.email}"


@dataclass(frozen=True, slots=True, order=True)
class GroupRef:
    """`group:SOURCE/ID`, or `group:ID` of the directory where `source` is None."""

    source: str | None
    external: str

    def __str__(self) -> str:
        return f"group:{self.source}/{self.external}" if self.source else f"group:{self.external}"


@dataclass(frozen=True, slots=True, order=True)
class ViewersRef:
    """`viewers:SOURCE/CONTAINER`: whoever may see that container."""

    source: str
    container: str

    def __str__(self) -> str:
        return f"viewers:{self.source}/{self.container}"


PrincipalRef = UserRef | GroupRef | ViewersRef


def parse_principal(text: object, *, place: str) -> PrincipalRef:
    """A principal by name; raises Invalid that names `place`."""
    if not isinstance(text, str):
        raise Invalid(f"a principal is a text such as 'user:ann@acme.example', not {type(text).__name__}", place=place)
    kind, separator, rest = text.partition(":")
    try:
        if separator and kind == "user":
            return UserRef(normalise_email(rest))
        if separator and kind == "group":
            source, slash, identifier = rest.partition("/")
            return GroupRef(slug(source), external_id(identifier)) if slash else GroupRef(None, external_id(rest))
        if separator and kind == "viewers":
            source, slash, identifier = rest.partition("/")
            if slash:
                return ViewersRef(slug(source), external_id(identifier))
    except Invalid as error:
        raise Invalid(f"principal {text!r}: {error}", place=place) from error
    raise Invalid(
        f"principal {text!r}: use user:EMAIL, group:ID, group:SOURCE/ID or viewers:SOURCE/CONTAINER", place=place
    )


P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class AclOf(Generic[P]):
    """The algebra over principals of type `P`. Sets are what they look like: order and repeats mean nothing."""

    allow: frozenset[P] = frozenset()
    deny: frozenset[P] = frozenset()
    all_of: frozenset[frozenset[P]] = frozenset()
    public: Public = Public.NONE
    complete: bool = True
    inherit: Inherit = Inherit.RESTRICT

    def principals(self) -> frozenset[P]:
        return self.allow | self.deny | frozenset().union(*self.all_of)


Acl = AclOf[PrincipalRef]
NOTHING_OF_ITS_OWN: Acl = AclOf()
_KEYS = frozenset(["allow", "deny", "all_of", "public", "complete", "inherit"])
E = TypeVar("E", bound=enum.StrEnum)


def _choice(kind: type[E], value: object, *, place: str) -> E:
    try:
        return kind(str(value))
    except ValueError:
        raise Invalid(f"{value!r} is not one of {', '.join(kind)}", place=place) from None


def _principals(value: object, *, place: str, viewers: bool = False) -> frozenset[PrincipalRef]:
    if not isinstance(value, list):
        raise Invalid("expected a list of principals", place=place)
    if len(value) > PRINCIPALS_MAX:
        raise Invalid(f"{len(value)} principals; at most {PRINCIPALS_MAX}, use a group", place=place)
    found = frozenset(parse_principal(item, place=f"{place}[{n}]") for n, item in enumerate(value))
    if not viewers and any(isinstance(principal, ViewersRef) for principal in found):
        raise Invalid("viewers: may stand in allow only", place=place)
    return found


def parse_acl(value: object, *, place: str = "acl") -> Acl:
    """The JSON or YAML form of contracts.md; raises Invalid with the place and the mend."""
    if not isinstance(value, Mapping):
        raise Invalid(f"expected a mapping with {', '.join(sorted(_KEYS))}", place=place)
    if unknown := sorted(str(key) for key in value if key not in _KEYS):
        raise Invalid(f"unknown key {unknown[0]!r}; known: {', '.join(sorted(_KEYS))}", place=place)
    sets = value.get("all_of", [])
    if not isinstance(sets, list) or len(sets) > ALL_OF_MAX:
        raise Invalid(f"expected a list of at most {ALL_OF_MAX} lists of principals", place=f"{place}.all_of")
    complete = value.get("complete", True)
    if not isinstance(complete, bool):
        raise Invalid("expected true or false", place=f"{place}.complete")
    return AclOf(
        allow=_principals(value.get("allow", []), place=f"{place}.allow", viewers=True),
        deny=_principals(value.get("deny", []), place=f"{place}.deny"),
        all_of=frozenset(_principals(item, place=f"{place}.all_of[{n}]") for n, item in enumerate(sets)),
        public=_choice(Public, value.get("public", "none"), place=f"{place}.public"),
        complete=complete,
        inherit=_choice(Inherit, value.get("inherit", "restrict"), place=f"{place}.inherit"),
    )


def acl_json(acl: Acl) -> dict[str, object]:
    """The canonical JSON form: sorted, every key present. Equal ACLs give equal text."""
    return {
        "allow": sorted(map(str, acl.allow)),
        "deny": sorted(map(str, acl.deny)),
        "all_of": sorted(sorted(map(str, group)) for group in acl.all_of),
        "public": acl.public.value,
        "complete": acl.complete,
        "inherit": acl.inherit.value,
    }


@dataclass(frozen=True, slots=True, order=True)
class Person:
    id: PersonId


@dataclass(frozen=True, slots=True, order=True)
class Group:
    id: GroupId


@dataclass(frozen=True, slots=True, order=True)
class Viewers:
    id: ContainerId


Principal = Person | Group | Viewers
ResolvedAcl = AclOf[Principal]


def resolve(acl: Acl, look_up: Callable[[PrincipalRef], Principal]) -> ResolvedAcl:
    """The same algebra over ids."""
    return AclOf(
        allow=frozenset(map(look_up, acl.allow)),
        deny=frozenset(map(look_up, acl.deny)),
        all_of=frozenset(frozenset(map(look_up, group)) for group in acl.all_of),
        public=acl.public,
        complete=acl.complete,
        inherit=acl.inherit,
    )


@dataclass(frozen=True, slots=True)
class Node:
    """A document's or container's ACL and the container that it lies in.

    `approved`: an administrator has agreed to its being shared with everyone (sharing.py).
    """

    acl: ResolvedAcl
    parent: ContainerId | None = None
    approved: bool = False

    @property
    def guarded(self) -> bool:
        """Whether its grants to everyone are subject to the tenant's policy.

        Under `restrict` they only narrow what the container has granted, and the container's own are guarded.
        """
        return not self.approved and (self.parent is None or self.acl.inherit is not Inherit.RESTRICT)


@dataclass(frozen=True, slots=True)
class Asker:
    """A person with all groups they are in, nested ones included. Guests are not part of `public: tenant`.

    `shared`: the tenant's policy shows what is shared with everyone. `muted`: groups of nearly everybody whose grants
    count as such sharing; what they deny or require holds all the same.
    """

    person: PersonId
    groups: frozenset[GroupId] = field(default=frozenset())
    guest: bool = False
    shared: bool = True
    muted: frozenset[GroupId] = field(default=frozenset())


def visible(node: Node, containers: Mapping[ContainerId, Node], asker: Asker) -> bool:
    """Contracts.md, read literally; unknown containers and cycles hide."""
    return _sound(node, containers, frozenset()) and _view(node, containers, asker, frozenset())


def openable(node: Node, containers: Mapping[ContainerId, Node], asker: Asker) -> bool:
    """Visible, or opened by its id through `public: link`."""
    shown = asker.shared or node.approved
    by_link = node.acl.public is Public.LINK and shown and not asker.guest and _ok(node.acl, asker)
    return visible(node, containers, asker) or (by_link and _sound(node, containers, frozenset()))


def _named(principals: frozenset[Principal], asker: Asker, *, muted: frozenset[GroupId] = frozenset[GroupId]()) -> bool:
    groups = {principal.id for principal in principals if isinstance(principal, Group)}
    return Person(asker.person) in principals or not groups.isdisjoint(asker.groups - muted)


def _ok(acl: ResolvedAcl, asker: Asker) -> bool:
    return not _named(acl.deny, asker) and all(_named(group, asker) for group in acl.all_of)


def _sound(node: Node, containers: Mapping[ContainerId, Node], seen: frozenset[ContainerId]) -> bool:
    """Complete, and so is every container that it is reached through."""
    if not node.acl.complete:
        return False
    if node.acl.inherit is Inherit.NONE or node.parent is None:
        return True
    parent = containers.get(node.parent)
    return parent is not None and node.parent not in seen and _sound(parent, containers, seen | {node.parent})


def _view(node: Node, containers: Mapping[ContainerId, Node], asker: Asker, seen: frozenset[ContainerId]) -> bool:
    def container_visible(identifier: ContainerId) -> bool:
        container = containers.get(identifier)
        if container is None or identifier in seen:
            return False
        deeper = seen | {identifier}
        return _sound(container, containers, deeper) and _view(container, containers, asker, deeper)

    acl = node.acl
    if not _ok(acl, asker):
        return False
    own = (
        (acl.public is Public.TENANT and not asker.guest and (asker.shared or not node.guarded))
        or _named(acl.allow, asker, muted=asker.muted if node.guarded else frozenset())
        or any(container_visible(principal.id) for principal in acl.allow if isinstance(principal, Viewers))
    )
    if acl.inherit is Inherit.NONE or node.parent is None:
        return own
    if acl.inherit is Inherit.EXTEND:
        return own or container_visible(node.parent)
    unrestricted = not acl.allow and acl.public is not Public.TENANT
    return (own or unrestricted) and container_visible(node.parent)
