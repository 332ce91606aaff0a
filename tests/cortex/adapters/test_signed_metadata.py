"""Calls between our processes: only what was signed just now, for that tenant, with this platform's key."""

import uuid
from datetime import timedelta

import pytest

from cortex.adapters.signed_metadata import AGE_MAX_S, PERSON_KEY, SIGNATURE_KEY, TENANT_KEY, TIME_KEY, SignedMetadata
from cortex.domain.errors import Denied
from cortex.domain.identity import PersonId, tenant_id
from cortex.testing.sources import FixedClock

ACME, OTHER = tenant_id("acme"), tenant_id("other")


def test_a_signed_call_is_for_its_tenant() -> None:
    signing = SignedMetadata("key", FixedClock())
    assert signing.tenant(dict(signing.sign(ACME))) == ACME
    assert signing.tenant(dict(signing.sign(OTHER))) == OTHER


def test_a_call_for_a_person_names_them() -> None:
    signing, ann = SignedMetadata("key", FixedClock()), PersonId(uuid.UUID(int=7))
    call = dict(signing.sign(ACME, ann))
    assert signing.caller(call) == (ACME, ann)
    with pytest.raises(Denied, match="not signed"):
        signing.caller({**call, PERSON_KEY: str(uuid.UUID(int=8))})
    with pytest.raises(Denied, match="no person"):
        signing.caller(dict(signing.sign(ACME)))


@pytest.mark.parametrize("key", [TENANT_KEY, TIME_KEY, SIGNATURE_KEY])
def test_a_part_that_is_missing_or_altered_is_denied(key: str) -> None:
    signing = SignedMetadata("key", FixedClock())
    call, other = dict(signing.sign(ACME)), dict(SignedMetadata("other", FixedClock()).sign(OTHER))
    for altered in ({**call, key: ""}, {name: value for name, value in call.items() if name != key}):
        with pytest.raises(Denied):
            signing.tenant(altered)
    if key != TIME_KEY:
        with pytest.raises(Denied):
            signing.tenant({**call, key: other[key]})


def test_another_platforms_signature_is_denied() -> None:
    with pytest.raises(Denied, match="not signed by this platform"):
        SignedMetadata("key", FixedClock()).tenant(dict(SignedMetadata("other", FixedClock()).sign(ACME)))


@pytest.mark.parametrize(("late_s", "holds"), [(AGE_MAX_S - 1, True), (AGE_MAX_S + 1, False), (-AGE_MAX_S - 1, False)])
def test_a_recorded_call_is_of_no_use_later(late_s: float, holds: bool) -> None:
    clock = FixedClock()
    signing = SignedMetadata("key", clock)
    call = dict(signing.sign(ACME))
    clock.time += timedelta(seconds=late_s)
    if holds:
        assert signing.tenant(call) == ACME
    else:
        with pytest.raises(Denied, match="check the clocks"):
            signing.tenant(call)
