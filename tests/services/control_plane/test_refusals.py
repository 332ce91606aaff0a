"""What does not hold leaves a line: without the credential, and few whatever comes."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from cortex.domain.credential import Refused
from cortex.domain.errors import Denied, Transient
from cortex.domain.identity import TenantId
from cortex.ports.audit_log import AuditEntry
from cortex.runtime.edge.refusals import KINDS_MAX, OTHERS, Refusals
from tests.services.control_plane.conftest import Site

HOME, OTHER = TenantId(uuid.UUID(int=1)), TenantId(uuid.UUID(int=2))


class Log:
    """Implements AuditLog; the clock beside it stands until it is moved."""

    def __init__(self) -> None:
        self.lines: list[tuple[TenantId, AuditEntry]] = []
        self.away = False
        self.at = datetime(2026, 1, 1, tzinfo=UTC)

    async def append(self, tenant: TenantId, entries: list[AuditEntry]) -> None:
        if self.away:
            raise Transient("away")
        self.lines += [(tenant, entry) for entry in entries]

    def now(self) -> datetime:
        return self.at

    async def home(self) -> TenantId:
        return HOME

    def refusals(self) -> Refusals:
        return Refusals(self, self, home=self.home)

    def times(self) -> list[int]:
        return [int(entry.details["times"]) for _, entry in self.lines]


async def test_the_first_has_its_line_at_once_and_the_rest_of_its_minute_one() -> None:
    log = Log()
    refusals = log.refusals()
    for _ in range(1_000):
        await refusals.note("token.refuse", Refused("the API key does not hold", tenant=OTHER, about="key:7"))
    assert log.lines == [
        (OTHER, AuditEntry("key:7", "token.refuse", "credential", {"reason": "the API key does not hold", "times": 1}))
    ]
    log.at += timedelta(seconds=61)
    await refusals.settle()
    assert log.times() == [1, 999]
    await refusals.note("token.refuse", Refused("the API key does not hold", tenant=OTHER, about="key:7"))
    assert log.times() == [1, 999, 1]


async def test_what_belongs_to_no_tenant_is_told_at_home() -> None:
    log = Log()
    await log.refusals().note("token.refuse", Denied("this is not an API key of this platform"))
    [(tenant, entry)] = log.lines
    assert (tenant, entry.actor) == (HOME, "unknown")


async def test_many_kinds_are_a_bounded_number_of_lines() -> None:
    log = Log()
    refusals = log.refusals()
    for number in range(10 * KINDS_MAX):
        await refusals.note("token.refuse", Refused("no", tenant=OTHER, about=f"key:{number}"))
    await refusals.settle(all_=True)
    assert len(log.lines) == KINDS_MAX + 2
    assert sum(log.times()) == 10 * KINDS_MAX
    assert {entry.actor for _, entry in log.lines[-2:]} == {OTHERS}


async def test_an_audit_that_is_away_lets_nobody_in_and_keeps_nobody_out() -> None:
    log = Log()
    log.away = True
    refusals = log.refusals()
    await refusals.note("token.refuse", Denied("no"))
    await refusals.note("token.refuse", Denied("no"))
    await refusals.settle(all_=True)
    assert log.lines == []


async def refused(site: Site) -> list[tuple[str, str, str]]:
    """Actor, action and reason of the lines, which hold nothing of what was shown."""
    async with site.shared.database.tenant(site.tenant) as connection:
        rows = await connection.exec_driver_sql(
            "SELECT actor, action, details ->> 'reason' AS reason FROM audit"
            " WHERE object = 'credential' ORDER BY sequence"
        )
        return [(row.actor, row.action, row.reason) for row in rows]


@pytest.mark.servers
async def test_keys_and_tokens_that_do_not_hold_are_in_the_audit_without_themselves(site: Site) -> None:
    key = await site.key("read")
    identifier = uuid.UUID(key.split("_")[1])
    wrong = key[:-4] + ("AAAA" if key[-4:] != "AAAA" else "BBBB")
    expired = site.provider.access_token(exp=1, iat=0)
    for token in (wrong, wrong, "ck_what", expired, "not.a.token"):
        assert (await site.client(token).get("/auth/session")).status_code == 401
    assert (await site.client().get("/auth/session")).status_code == 401
    found = await refused(site)
    assert (f"key:{identifier}", "token.refuse", "the API key does not hold") in found
    assert ("unknown", "token.refuse", "the token has expired") in found
    assert len(found) == 4
    assert not any(secret in str(found) for secret in (wrong[-20:], expired[-20:]))


@pytest.mark.servers
async def test_a_sign_in_that_fails_is_in_the_audit(site: Site) -> None:
    site.provider.person = {"sub": "eve", "email": "eve@acme.example", "email_verified": False}
    assert (await site.sign_in(site.client())).status_code == 403
    assert (await site.client().get("/auth/callback", params={"state": "s", "code": "c"})).status_code == 403
    assert [action for _, action, _ in await refused(site)] == ["sign-in.fail", "sign-in.fail"]
