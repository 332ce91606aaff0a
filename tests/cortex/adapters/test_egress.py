"""What may be fetched, by every way in which an address that is not public can be written or reached."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from cortex.adapters.egress import Address, EgressPolicy, GuardedTransport, guarded_client, is_public, resolve
from cortex.domain.errors import Denied, Invalid, Transient
from cortex.runtime.http import serving
from cortex.runtime.local.ports import is_free

PUBLIC = "93.184.215.14"
TIMEOUT_S = 5.0


class Names:
    """Answers in turn, and again and again with the last."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self._answers = {name.replace("_", "."): list(found) for name, found in answers.items()}

    async def __call__(self, host: str, port: int) -> Sequence[Address]:
        turns = self._answers.get(host)
        if turns is None:
            return [ip_address(host)]
        found = turns.pop(0) if len(turns) > 1 else turns[0]
        return [ip_address(one) for one in found]


class Recorded(httpx.AsyncBaseTransport):
    """Where connections would have gone."""

    def __init__(self, *responses: httpx.Response) -> None:
        self.requests: list[httpx.Request] = []
        self._responses = list(responses)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self._responses.pop(0) if self._responses else httpx.Response(200, text="fetched")


def client(recorded: Recorded, names: Names, *allowed: str) -> httpx.AsyncClient:
    transport = GuardedTransport(EgressPolicy.parsed(allowed), recorded, resolver=names)
    return httpx.AsyncClient(transport=transport, follow_redirects=True)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.9.10", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1",
        "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::",
        "2001:db8::1", "fec0::1",
    ],
)  # fmt: skip
def test_what_is_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_what_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://[::1]:8080/", "https://169.254.169.254/latest/meta-data"])
async def test_an_address_that_is_not_public_is_refused_before_anything_connects(url: str) -> None:
    recorded = Recorded()
    async with client(recorded, Names()) as fetching:
        with pytest.raises(Denied, match="CORTEX_EGRESS_ALLOWED"):
            await fetching.get(url)
    assert recorded.requests == []


@pytest.mark.parametrize("name", ["0x7f000001", "2130706433", "0177.0.0.1", "127.1"])
async def test_other_spellings_of_loopback_are_seen_through(name: str) -> None:
    """The resolver of the system reads them; what it makes of them is what is looked at."""
    try:
        found = await resolve(name, 80)
    except Transient:
        return
    assert [address for address in found if is_public(address)] == []


async def test_one_address_of_a_name_that_is_not_public_spoils_the_name() -> None:
    recorded = Recorded()
    async with client(recorded, Names(evil_example=[[PUBLIC, "10.0.0.1"]])) as fetching:
        with pytest.raises(Denied):
            await fetching.get("https://evil.example/")
    assert recorded.requests == []


async def test_a_name_that_changes_its_mind_is_not_asked_again() -> None:
    recorded = Recorded()
    async with client(recorded, Names(rebinding_example=[[PUBLIC], ["127.0.0.1"]])) as fetching:
        assert (await fetching.get("https://rebinding.example/path?q=1")).text == "fetched"
    (sent,) = recorded.requests
    assert str(sent.url) == f"https://{PUBLIC}/path?q=1"
    assert sent.headers["host"] == "rebinding.example"
    assert sent.extensions["sni_hostname"] == "rebinding.example"


async def test_a_redirect_is_looked_at_like_any_other_request() -> None:
    recorded = Recorded(httpx.Response(302, headers={"location": "http://169.254.169.254/"}))
    async with client(recorded, Names(nice_example=[[PUBLIC]])) as fetching:
        with pytest.raises(Denied):
            await fetching.get("http://nice.example/")
    assert len(recorded.requests) == 1


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://nice.example/", "gopher://nice.example/"])
async def test_other_schemes_are_refused(url: str) -> None:
    transport = GuardedTransport(EgressPolicy(), Recorded(), resolver=Names(nice_example=[[PUBLIC]]))
    with pytest.raises(Denied):
        await transport.handle_async_request(httpx.Request("GET", url))


async def test_an_administrator_may_allow_names_and_networks() -> None:
    names = Names(wiki_internal=[["10.2.3.4"]], other_internal=[["10.9.9.9"]], git_internal=[["192.168.7.7"]])
    for host, fetched in (("wiki.internal", True), ("other.internal", False), ("git.internal", True)):
        recorded = Recorded()
        async with client(recorded, names, "10.2.0.0/16", "git.internal") as fetching:
            if fetched:
                await fetching.get(f"http://{host}/")
            else:
                with pytest.raises(Denied):
                    await fetching.get(f"http://{host}/")
        assert len(recorded.requests) == fetched


@pytest.mark.parametrize("entry", ["10.0.0.1/8", "a/b", "http://x", ""])
def test_a_wrong_allowance_is_refused(entry: str) -> None:
    with pytest.raises(Invalid, match="egress"):
        EgressPolicy.parsed([entry])


def _port() -> int:
    return next(port for port in range(19_100, 19_400) if is_free(port))


@asynccontextmanager
async def server() -> AsyncIterator[str]:
    async def page(request: Request) -> Response:
        return PlainTextResponse(request.headers["host"])

    async def away(request: Request) -> Response:
        return RedirectResponse("http://127.0.0.2/")

    port = _port()
    async with serving(Starlette(routes=[Route("/", page), Route("/away", away)]), port=port):
        yield f"http://127.0.0.1:{port}"


async def test_over_a_real_connection() -> None:
    """Loopback is what a server that one can start oneself is on, so that it has to be allowed here."""
    async with server() as url:
        allowed = EgressPolicy.parsed(["127.0.0.1"])
        async with guarded_client(allowed, timeout_s=TIMEOUT_S) as fetching:
            assert (await fetching.get(url)).text == url.removeprefix("http://")
            with pytest.raises(Denied):
                await fetching.get(f"{url}/away")
        async with guarded_client(EgressPolicy(), timeout_s=TIMEOUT_S) as fetching:
            with pytest.raises(Denied):
                await fetching.get(url)
    await asyncio.sleep(0)
