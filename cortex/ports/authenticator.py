"""Who a request comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Protocol

from cortex.domain.credential import Credential
from cortex.domain.errors import Denied

_UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True, slots=True)
class Presented:
    """What a request shows of itself. Hidden from `repr`: it holds secrets."""

    authorization: str | None = field(default=None, repr=False)
    cookies: Mapping[str, str] = field(default_factory=dict, repr=False)
    unsafe: bool = False
    host: str | None = None
    origin: str | None = None
    csrf_token: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, method: str, headers: Mapping[str, str]) -> "Presented":
        """From a request's method and its headers, whose names are looked up in lower case."""
        return cls(
            authorization=headers.get("authorization"),
            cookies=cookies_of(headers.get("cookie")),
            unsafe=method.upper() in _UNSAFE,
            host=headers.get("host"),
            origin=headers.get("origin"),
            csrf_token=headers.get("x-csrf-token"),
        )

    def bearer(self) -> str | None:
        """The token of `Authorization: Bearer`; None without the header. Raises Denied for another scheme."""
        if self.authorization is None:
            return None
        scheme, _, token = self.authorization.partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Denied("send Authorization: Bearer TOKEN")
        return token.strip()


def cookies_of(header: str | None) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header or "").items()}
    except CookieError:
        return {}


class Authenticator(Protocol):
    async def authenticate(self, presented: Presented) -> Credential:
        """Raises Denied for no credential and for one that does not hold; Transient."""
        ...
