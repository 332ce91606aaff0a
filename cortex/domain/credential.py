"""Who asks: always from a verified credential, never from a body."""

import enum
from dataclasses import dataclass

from cortex.domain.acl import Asker
from cortex.domain.errors import Denied
from cortex.domain.identity import PersonId, TenantId


class Role(enum.StrEnum):
    """Roles give administration, never content."""

    MEMBER = "member"
    OWNER = "owner"
    ADMIN = "admin"
    AUDITOR = "auditor"


class Scope(enum.StrEnum):
    """What a credential may be used for, within what its person and role allow. `scim` is never implied."""

    READ = "read"
    WRITE = "write"
    SCIM = "scim"


PERSONAL = frozenset({Scope.READ, Scope.WRITE})
"""Of whoever signs in themselves."""


class Refused(Denied):
    """A credential that was shown does not hold.

    `tenant` is whose it would be, where that is known; `about` names it for the audit, and is no secret.
    """

    def __init__(self, message: str, *, tenant: TenantId | None = None, about: str = "") -> None:
        super().__init__(message)
        self.tenant = tenant
        self.about = about


@dataclass(frozen=True, slots=True)
class Credential:
    """What a verified credential says. `email` is for audit lines and logs of administration only."""

    tenant_id: TenantId
    person_id: PersonId
    email: str
    role: Role
    scopes: frozenset[Scope] = PERSONAL


@dataclass(frozen=True, slots=True)
class Reader:
    """A credential with the person's groups expanded."""

    credential: Credential
    asker: Asker

    @property
    def tenant_id(self) -> TenantId:
        return self.credential.tenant_id
