"""Who a request comes from."""

from typing import Protocol

from cortex.domain.credential import Credential


class Authenticator(Protocol):
    async def authenticate(self, authorization: str | None) -> Credential:
        """From the Authorization header as it came. Raises Denied for none, a wrong or an expired one; Transient."""
        ...
