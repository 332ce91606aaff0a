"""Who may call what: dependencies of the routes. What they ask can be read off them, for the table in the docs."""

from fastapi import Request

from cortex.domain.credential import Credential, Role, Scope
from cortex.domain.errors import CrossSite, Denied, Unauthenticated
from cortex.ports.authenticator import Authenticator, Presented
from cortex.runtime.edge.guarded import Guard

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class Requires(Guard[Credential]):
    """A credential with one of `roles` and with the scope of what is done: to read, or to write.

    Raises Denied, with what would do. Unauthenticated without a credential that holds.
    """

    def __init__(self, authenticator: Authenticator, roles: frozenset[Role], scope: Scope | None = None) -> None:
        self.roles = roles
        self.scope = scope
        self._authenticator = authenticator

    async def __call__(self, request: Request) -> Credential:
        return await self.admitted(request)

    async def admit(self, request: Request) -> Credential:
        credential = await authenticated(self._authenticator, request)
        scope = self.scope or (Scope.READ if request.method in _SAFE else Scope.WRITE)
        if scope not in credential.scopes:
            raise Denied(f"this takes a credential with the scope {scope}")
        if credential.role not in self.roles:
            wanted = " or ".join(role for role in Role if role in self.roles)
            raise Denied(f"this takes the role {wanted}; the credential's is {credential.role}")
        return credential


def requires(authenticator: Authenticator, *roles: Role) -> Requires:
    return Requires(authenticator, frozenset(roles))


def anyone(authenticator: Authenticator) -> Requires:
    """Whoever is signed in, about themselves."""
    return Requires(authenticator, frozenset(Role))


async def authenticated(authenticator: Authenticator, request: Request) -> Credential:
    try:
        return await authenticator.authenticate(Presented.of(request.method, request.headers))
    except CrossSite:
        raise
    except Denied as error:
        raise Unauthenticated(str(error)) from error
