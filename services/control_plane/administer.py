"""Who may administer what: a dependency of the routes."""

from collections.abc import Awaitable, Callable

from fastapi import Request

from cortex.domain.credential import Credential, Role
from cortex.domain.errors import Denied, Unauthenticated
from cortex.ports.authenticator import Authenticator

Check = Callable[[Request], Awaitable[Credential]]


def requires(authenticator: Authenticator, *roles: Role) -> Check:
    """A credential with one of the roles; Denied, with those that would do. Unauthenticated without one that holds."""

    async def check(request: Request) -> Credential:
        try:
            credential = await authenticator.authenticate(request.headers.get("authorization"))
        except Denied as error:
            raise Unauthenticated(str(error)) from error
        if credential.role not in roles:
            raise Denied(f"this takes the role {' or '.join(roles)}; the credential's is {credential.role}")
        return credential

    return check
