"""Which person of ours somebody is whom an identity provider vouches for."""

from dataclasses import dataclass
from typing import Protocol

from cortex.domain.credential import Role
from cortex.domain.identity import PersonId, TenantId
from cortex.domain.sign_in import Subject
from cortex.ports.audit_log import LeavesLine


@dataclass(frozen=True, slots=True)
class Signed:
    """`new`: this was the first time, so the person was linked or made."""

    person_id: PersonId
    email: str
    role: Role
    new: bool = False


class Identities(LeavesLine, Protocol):
    async def sign_in(
        self, tenant: TenantId, subject: Subject, *, email: str | None, role: Role | None, make: bool
    ) -> Signed:
        """By issuer and subject; at the first time by `email`, which is trusted or None, else a new person if `make`.

        An address whose person is known to this issuer by another subject was reassigned: it makes a new person.
        `role` None leaves the stored one. A first time and a changed role leave lines in the audit. Raises Denied
        (inactive, unknown, or nothing to know them by), Transient.
        """
        ...

    async def unlink(self, tenant: TenantId, person: PersonId) -> int:
        """Forgets who the person is to providers, and ends their sessions; how many providers there were.

        Their next sign-in links by address again.
        """
        ...
