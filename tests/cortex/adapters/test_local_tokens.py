"""Local tokens: who holds the key file may be anyone, for as long as the token lasts; nobody else may be anybody."""

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jwt
import pytest

from cortex.adapters.local_tokens import ISSUER, LocalAuthenticator, LocalClaims, LocalTokens
from cortex.domain.acl import Asker, Group, Person
from cortex.domain.credential import Role
from cortex.domain.errors import Denied, Invalid, NotFound
from cortex.domain.identity import GroupId, PersonId, SourceId, TenantId, tenant_id
from cortex.ports.authenticator import Presented
from cortex.ports.directory import PersonRecord
from cortex.testing.sources import FixedClock
from tests.unlined import Unlined

ANN = LocalClaims("acme", "ann@acme.example", Role.MEMBER)
HOUR = timedelta(hours=1)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2031, 5, 1, tzinfo=UTC))


@pytest.fixture
def tokens(tmp_path: Path, clock: FixedClock) -> LocalTokens:
    return LocalTokens(tmp_path / "token.key", clock)


def test_a_token_says_who_it_was_made_for(tokens: LocalTokens) -> None:
    for claims in (ANN, LocalClaims("acme", "olga@acme.example", Role.OWNER)):
        assert tokens.verify(tokens.mint(claims, ttl=HOUR)) == claims


def test_it_ends_with_its_time_by_the_platforms_clock(tokens: LocalTokens, clock: FixedClock) -> None:
    token = tokens.mint(ANN, ttl=HOUR)
    clock.time += HOUR - timedelta(seconds=1)
    assert tokens.verify(token) == ANN
    clock.time += timedelta(seconds=1)
    with pytest.raises(Denied, match="expired; `cortex token EMAIL`"):
        tokens.verify(token)


def test_a_key_is_made_once_and_is_its_owners_alone(tokens: LocalTokens, tmp_path: Path, clock: FixedClock) -> None:
    assert (tmp_path / "token.key").stat().st_mode & 0o777 == 0o600
    again = LocalTokens(tmp_path / "token.key", clock)
    assert again.verify(tokens.mint(ANN, ttl=HOUR)) == ANN


def test_a_key_that_others_may_read_is_refused(tokens: LocalTokens, tmp_path: Path, clock: FixedClock) -> None:
    (tmp_path / "token.key").chmod(0o640)
    with pytest.raises(Invalid, match="chmod 600"):
        LocalTokens(tmp_path / "token.key", clock)


def test_a_key_that_is_too_short_is_refused(tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "token.key"
    path.touch(mode=0o600)
    with pytest.raises(Invalid, match="too short"):
        LocalTokens(path, clock)


def forged(key: str, *, algorithm: str = "HS256", changes: Mapping[str, object] | None = None) -> str:
    payload = {"iss": ISSUER, "tenant": "acme", "sub": "ann@acme.example", "role": "member", "iat": 1, "exp": 9e9}
    return jwt.encode({**payload, **(changes or {})}, key, algorithm=algorithm)


def test_another_key_makes_no_token(tokens: LocalTokens) -> None:
    for token in ("", "a.b.c", forged("k" * 43), forged("", algorithm="none")):
        with pytest.raises(Denied, match="not made by this platform"):
            tokens.verify(token)


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "elsewhere"},
        {"role": "root"},
        {"tenant": "../acme"},
        {"sub": "nobody"},
        {"exp": "never"},
        {"tenant": 7},
        {"role": None},
    ],
)
def test_even_with_the_key_claims_must_make_sense(
    tokens: LocalTokens, tmp_path: Path, changes: dict[str, object]
) -> None:
    key = (tmp_path / "token.key").read_text().strip()
    assert tokens.verify(forged(key)) == ANN
    with pytest.raises(Denied):
        tokens.verify(forged(key, changes=changes))


class Known(Unlined):
    """Implements Directory and Tenants in memory."""

    def __init__(self) -> None:
        self.people: dict[tuple[TenantId, str], PersonRecord] = {}
        self.tenants: list[str] = []

    async def make(self, name: str, *, title: str) -> TenantId:
        self.tenants.append(name)
        return tenant_id(name)

    async def person(self, tenant: TenantId, email: str) -> PersonRecord:
        try:
            return self.people[tenant, email]
        except KeyError:
            raise NotFound("unknown") from None

    async def put_person(self, tenant: TenantId, email: str, *, name: str, guest: bool) -> PersonRecord:
        record = PersonRecord(PersonId(uuid.uuid5(tenant, email)), email, name, guest, active=True)
        self.people[tenant, email] = record
        return record

    async def put_group(
        self, tenant: TenantId, source: SourceId | None, external: str, members: list[Person | Group], *, name: str
    ) -> GroupId:
        raise NotImplementedError

    async def expand(self, tenant: TenantId, person: PersonId) -> Asker:
        raise NotImplementedError


async def test_a_bearer_is_known_from_their_first_request_on(tokens: LocalTokens) -> None:
    known = Known()
    authenticator = LocalAuthenticator(tokens, known, known)  # type: ignore[arg-type]
    shown = Presented(f"bearer {tokens.mint(ANN, ttl=HOUR)}")
    first, second = await authenticator.authenticate(shown), await authenticator.authenticate(shown)
    assert first == second
    assert (first.tenant_id, first.email, first.role) == (tenant_id("acme"), "ann@acme.example", Role.MEMBER)
    assert known.tenants == ["acme"]
    assert not known.people[first.tenant_id, first.email].guest


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic YTpi", "Bearer nonsense"])
async def test_anything_else_is_denied_with_what_to_do(tokens: LocalTokens, header: str | None) -> None:
    known = Known()
    with pytest.raises(Denied, match=r"cortex token EMAIL|Authorization: Bearer TOKEN"):
        await LocalAuthenticator(tokens, known, known).authenticate(Presented(header))  # type: ignore[arg-type]
    assert known.people == {}
