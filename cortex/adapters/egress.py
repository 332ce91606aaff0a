"""Fetching what somebody else named: only from public addresses, unless an administrator says otherwise.

A name is resolved once, every address that it has is looked at, and the connection goes to one of those: a name that
answers otherwise a moment later (DNS rebinding) changes nothing. A redirect is a request like any other.
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from types import TracebackType
from typing import Self

import httpx

from cortex.domain.errors import Denied, Invalid, Transient

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]

SCHEMES = frozenset({"http", "https"})
REDIRECTS_MAX = 5
# What `is_global` leaves open: carriers' translation (NAT64) and 6to4 lead to any IPv4 address, and networks may still
# have site-local addresses of their own.
_LEFT_OPEN = (
    ip_network("64:ff9b::/96"),
    ip_network("64:ff9b:1::/48"),
    ip_network("2002::/16"),
    ip_network("fec0::/10"),
)


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """`hosts` by name and `networks` by address are allowed though they are not public."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    @classmethod
    def parsed(cls, allowed: Sequence[str]) -> Self:
        """From names, addresses and networks, as `wiki.internal` or `10.2.0.0/16`."""
        hosts, networks = set(), []
        for entry in allowed:
            try:
                networks.append(ip_network(entry))
            except ValueError:
                if not entry or "/" in entry or ":" in entry:
                    raise Invalid(f"egress: {entry!r} is neither a host's name nor a network") from None
                hosts.add(_plain(entry))
        return cls(frozenset(hosts), tuple(networks))

    def naming(self, host: str) -> "EgressPolicy":
        """The same, and a host that the operator has configured as such: nobody from outside named it."""
        return EgressPolicy(self.hosts | {_plain(host)}, self.networks)

    def permits(self, host: str, address: Address) -> bool:
        if _plain(host) in self.hosts or any(address in network for network in self.networks):
            return True
        return is_public(address)


def _plain(host: str) -> str:
    return host.lower().rstrip(".")


def is_public(address: Address) -> bool:
    """No loopback, private, link-local (where clouds keep their metadata), multicast or reserved address."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if any(address in network for network in _LEFT_OPEN):
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved


async def resolve(host: str, port: int) -> Sequence[Address]:
    """Every address of the name. Raises Transient."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Transient(f"{host} has no address") from error
    return list(dict.fromkeys(ip_address(str(entry[4][0]).partition("%")[0]) for entry in found))


class GuardedTransport(httpx.AsyncBaseTransport):
    """Raises Denied for what must not be fetched. `resolver` is replaced by tests alone."""

    def __init__(self, policy: EgressPolicy, inner: httpx.AsyncBaseTransport, *, resolver: Resolve = resolve) -> None:
        self._policy = policy
        self._inner = inner
        self._resolve = resolver

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        if url.scheme not in SCHEMES or not url.host:
            raise Denied(f"only http and https are fetched, not {url.scheme or 'this'}")
        address = await self._checked(url.host, url.port or (443 if url.scheme == "https" else 80))
        pinned = httpx.Request(
            method=request.method,
            url=url.copy_with(host=str(address)),
            headers=request.headers,
            stream=request.stream,
            # The certificate is the name's, not the address's.
            extensions={**request.extensions, "sni_hostname": url.host},
        )
        return await self._inner.handle_async_request(pinned)

    async def _checked(self, host: str, port: int) -> Address:
        """All of a name's addresses must be permitted: which one is taken is nobody's to choose."""
        found = await self._resolve(host, port)
        if not found or not all(self._policy.permits(host, address) for address in found):
            raise Denied(f"{host} is not a public address; an administrator may allow it in CORTEX_EGRESS_ALLOWED")
        return found[0]

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        place: TracebackType | None = None,
    ) -> None:
        await self._inner.__aexit__(kind, error, place)

    async def aclose(self) -> None:
        await self._inner.aclose()


def guarded(policy: EgressPolicy, *, resolver: Resolve = resolve) -> GuardedTransport:
    """Over the network, past any proxy."""
    return GuardedTransport(policy, httpx.AsyncHTTPTransport(trust_env=False), resolver=resolver)


def guarded_client(policy: EgressPolicy, *, timeout_s: float, resolver: Resolve = resolve) -> httpx.AsyncClient:
    """The one client for addresses that came from outside, and past any proxy. Whoever reads a body bounds it."""
    transport = guarded(policy, resolver=resolver)
    return httpx.AsyncClient(
        transport=transport, timeout=timeout_s, trust_env=False, follow_redirects=True, max_redirects=REDIRECTS_MAX
    )
