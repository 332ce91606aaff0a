"""Who asks: always from a verified credential, never from a body."""

import enum
from dataclasses import dataclass

from cortex.domain.acl import Asker
from cortex.domain.identity import PersonId, TenantId


class Role(enum.StrEnum):
    """Roles give administration, never content."""

    MEMBER = "member"
    OWNER = "owner"
    ADMIN = "admin"
    AUDITOR = "auditor"


@dataclass(frozen=True, slots=True)
class Credential:
    """What a verified token says. `email` is for audit lines and logs of administration only."""

    tenant_id: TenantId
    person_id: PersonId
    email: str
    role: Role


@dataclass(frozen=True, slots=True)
class Reader:
    """A credential with the person's groups expanded."""

    credential: Credential
    asker: Asker

    @property
    def tenant_id(self) -> TenantId:
        return self.credential.tenant_id
