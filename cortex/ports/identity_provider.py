"""An OpenID Connect provider, as far as signing in needs it."""

from typing import Protocol

from cortex.domain.sign_in import Subject


class IdentityProvider(Protocol):
    """Every method raises Transient while the provider is out of reach."""

    async def authorization_url(self, *, state: str, nonce: str, challenge: str) -> str:
        """Where the browser goes; `challenge` is of PKCE, by S256."""
        ...

    async def exchange(self, code: str, *, verifier: str, nonce: str) -> Subject:
        """Whom the code stands for. Raises Denied when the code, or any part of the token got for it, does not hold."""
        ...

    async def verify(self, access_token: str) -> Subject:
        """Whom a JWT access token for our audience stands for. Raises Denied."""
        ...
