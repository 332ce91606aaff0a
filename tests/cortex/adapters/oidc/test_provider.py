"""Discovery, keys that change, and a provider that is away."""

import socket
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any

import pytest

from cortex.adapters.egress import Address, EgressPolicy, Resolve, resolve
from cortex.adapters.oidc.provider import OidcProvider
from cortex.adapters.oidc.settings import OidcSettings
from cortex.domain.errors import Denied, Invalid, Transient
from tests.oidc_provider import AUDIENCE, CLIENT_ID, CLIENT_SECRET, Provider, make_key, provider_on

NOWHERE_PRIVATE = EgressPolicy()


class LaterClock:
    """The real time, and as much later as a test says."""

    def __init__(self) -> None:
        self.later = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.later


class Scene:
    def __init__(self, provider: Provider, stack: AsyncExitStack) -> None:
        self.provider = provider
        self.clock = LaterClock()
        self._stack = stack

    def client(
        self, *, egress: EgressPolicy = NOWHERE_PRIVATE, resolver: Resolve = resolve, **more: Any
    ) -> OidcProvider:
        settings = OidcSettings(
            **{
                "issuer": self.provider.issuer,
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
                "redirect_url": "http://127.0.0.1:1/auth/callback",
                "audience": AUDIENCE,
                **more,
            }
        )
        made = OidcProvider(settings, self.clock, egress=egress, resolver=resolver)
        self._stack.push_async_callback(made.close)
        return made

    def token(self) -> str:
        return self.provider.access_token(exp=int(time.time() + self.clock.later.total_seconds()) + 60)


@pytest.fixture
async def scene() -> AsyncIterator[Scene]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with AsyncExitStack() as stack:
        yield Scene(await stack.enter_async_context(provider_on(port)), stack)


async def test_keys_are_fetched_once_for_many_tokens(scene: Scene) -> None:
    client = scene.client()
    for _ in range(5):
        assert (await client.verify(scene.token())).subject == "ann-1"
    assert scene.provider.asked == ["discovery", "jwks"]


async def test_a_new_key_is_found_and_an_old_one_is_dropped(scene: Scene) -> None:
    client = scene.client()
    old = scene.token()
    await client.verify(old)
    scene.provider.keys = {"second": make_key()}
    scene.clock.later = timedelta(seconds=40)
    assert await client.verify(scene.token())
    with pytest.raises(Denied):
        await client.verify(old)


async def test_made_up_key_ids_cause_one_fetch_a_while(scene: Scene) -> None:
    client = scene.client()
    await client.verify(scene.token())
    for number in range(20):
        forged = scene.provider.sign(scene.provider.claims(AUDIENCE), kid=f"made-up-{number}")
        with pytest.raises(Denied):
            await client.verify(forged)
    assert scene.provider.asked.count("jwks") == 1
    scene.clock.later = timedelta(seconds=40)
    with pytest.raises(Denied):
        await client.verify(scene.provider.sign(scene.provider.claims(AUDIENCE), kid="made-up"))
    assert scene.provider.asked.count("jwks") == 2


async def test_known_keys_hold_while_the_provider_is_away_and_not_for_ever(scene: Scene) -> None:
    client = scene.client()
    await client.verify(scene.token())
    scene.provider.down = True
    scene.clock.later = timedelta(hours=2)
    assert await client.verify(scene.token())
    scene.clock.later = timedelta(hours=25)
    with pytest.raises(Transient):
        await client.verify(scene.token())


async def test_a_provider_that_was_never_there_is_no_reason_to_let_anyone_in(scene: Scene) -> None:
    scene.provider.down = True
    with pytest.raises(Transient):
        await scene.client().verify(scene.token())


async def test_discovery_of_another_issuer_is_refused(scene: Scene) -> None:
    client = scene.client()
    scene.provider.issuer = "https://evil.example"
    with pytest.raises(Transient, match="another issuer"):
        await client.metadata()


async def test_without_an_audience_no_access_token_is_accepted(scene: Scene) -> None:
    with pytest.raises(Denied):
        await scene.client(audience=None).verify(scene.token())


@pytest.mark.parametrize(
    "issuer",
    [
        "http://id.acme.example",
        "http://10.0.0.1",
        "ftp://127.0.0.1",
        "id.acme.example",
        "",
        "https://user:pass@id.acme.example",
        "http://127.0.0.1.evil.example",
    ],
)
def test_an_issuer_is_reached_over_https(issuer: str) -> None:
    with pytest.raises(Invalid, match="CORTEX_OIDC_ISSUER"):
        OidcSettings(issuer=issuer, client_id="x", redirect_url="https://cortex.example/auth/callback")


class Names:
    """A resolver: what each name means, in turn, the last for ever; what is no name of it means itself."""

    def __init__(self, **answers: list[str]) -> None:
        self._answers = {name.replace("_", "."): found for name, found in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[Address]:
        self.asked.append(host)
        turns = self._answers.get(host, [host])
        return [ip_address(turns.pop(0) if len(turns) > 1 else turns[0])]


@pytest.mark.parametrize("inside", ["169.254.169.254", "10.0.0.7", "127.0.0.1"])
async def test_keys_are_not_fetched_from_inside_because_discovery_says_so(scene: Scene, inside: str) -> None:
    """Whoever writes the provider's discovery has no say in what is reached from here."""
    scene.provider.jwks_uri = "https://keys.idp.example/jwks"
    client = scene.client(resolver=Names(keys_idp_example=[inside]))
    with pytest.raises(Transient, match="not fetched") as refused:
        await client.verify(scene.token())
    assert inside not in str(refused.value)
    assert "keys.idp.example" not in str(refused.value)


async def test_a_name_that_means_another_address_a_moment_later_leads_nowhere_else(scene: Scene) -> None:
    """DNS rebinding: the name is asked once, and the connection goes to what was looked at."""
    port = scene.provider.issuer.rpartition(":")[2]
    scene.provider.jwks_uri = f"https://keys.idp.example:{port}/jwks"
    names = Names(keys_idp_example=["127.0.0.2", "127.0.0.1"])
    client = scene.client(egress=EgressPolicy.parsed(["127.0.0.2"]), resolver=names)
    with pytest.raises(Transient):
        await client.verify(scene.token())
    assert names.asked.count("keys.idp.example") == 1


async def test_an_operator_may_allow_what_is_not_public(scene: Scene) -> None:
    port = scene.provider.issuer.rpartition(":")[2]
    scene.provider.jwks_uri = f"http://localhost:{port}/jwks"
    with pytest.raises(Transient):
        await scene.client(resolver=Names(localhost=["127.0.0.1"])).verify(scene.token())
    allowed = EgressPolicy.parsed(["localhost"])
    client = scene.client(egress=allowed, resolver=Names(localhost=["127.0.0.1"]))
    assert (await client.verify(scene.token())).subject == scene.provider.person["sub"]
