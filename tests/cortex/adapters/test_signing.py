"""The platform's signature, and heads of the audit that carry it."""

import stat
import uuid
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cortex.adapters.objects import Objects
from cortex.adapters.signed_anchors import SignedAnchors
from cortex.adapters.signing import KEY_FILE, PlatformSigner, key_id, verified
from cortex.domain.audit import Anchor, AuditLine
from cortex.domain.errors import Bug, Invalid
from cortex.domain.identity import TenantId

TENANT, OTHER = TenantId(uuid.uuid4()), TenantId(uuid.uuid4())


def line(sequence: int) -> AuditLine:
    at = datetime(2026, 11, 29, tzinfo=UTC)
    return AuditLine(sequence, at, "ann", "read", "doc", {}, bytes(32), bytes([sequence]) * 32)


def test_a_signature_is_of_one_message_and_one_key(tmp_path: Path) -> None:
    ours, theirs = PlatformSigner(tmp_path / "ours"), PlatformSigner(tmp_path / "theirs")
    signature = ours.sign(b"gone")
    assert verified(ours.public_key, b"gone", signature)
    assert not verified(ours.public_key, b"kept", signature)
    assert not verified(theirs.public_key, b"gone", signature)
    assert not verified(ours.public_key, b"gone", signature[:-1])
    assert ours.key_id == key_id(ours.public_key) != theirs.key_id


def test_the_key_is_made_once_and_belongs_to_its_owner(tmp_path: Path) -> None:
    assert PlatformSigner(tmp_path).public_key == PlatformSigner(tmp_path).public_key
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    (tmp_path / KEY_FILE).write_text("not a key")
    with pytest.raises(Invalid, match="restore it"):
        PlatformSigner(tmp_path)


async def test_the_newest_heads_come_back(tmp_path: Path) -> None:
    anchors = SignedAnchors(Objects((tmp_path / "objects").as_uri()), PlatformSigner(tmp_path / "keys"))
    assert await anchors.newest(TENANT, limit=3) == []
    for sequence in (2, 11, 9):
        await anchors.keep(TENANT, line(sequence))
    await anchors.keep(OTHER, line(99))
    found = await anchors.newest(TENANT, limit=2)
    assert found == [Anchor(11, bytes([11]) * 32), Anchor(9, bytes([9]) * 32)]


async def test_a_head_that_somebody_else_wrote_is_a_broken_invariant(tmp_path: Path) -> None:
    objects = Objects((tmp_path / "objects").as_uri())
    await SignedAnchors(objects, PlatformSigner(tmp_path / "theirs")).keep(TENANT, line(3))
    with pytest.raises(Bug, match="not signed"):
        await SignedAnchors(objects, PlatformSigner(tmp_path / "ours")).newest(TENANT, limit=1)


async def test_a_head_of_another_tenant_vouches_for_nothing_here(tmp_path: Path) -> None:
    objects = Objects((tmp_path / "objects").as_uri())
    anchors = SignedAnchors(objects, PlatformSigner(tmp_path / "keys"))
    await anchors.keep(OTHER, line(3))
    (name,) = [name async for name in objects.keys(f"anchors/{OTHER}")]
    await objects.put(name.replace(str(OTHER), str(TENANT)), await objects.get(name))
    with pytest.raises(Bug, match="not signed"):
        await anchors.newest(TENANT, limit=1)
