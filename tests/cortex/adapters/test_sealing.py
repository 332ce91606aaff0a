"""Secrets under keys of their own, those under the platform's, and nothing that opens where it does not belong."""

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from cortex.adapters.sealing import EnvelopeSealer, KeyFile
from cortex.domain.errors import Bug, Conflict, Invalid, NotFound

SECRET, CONTEXT = b"correct horse battery staple", b"tenant/source/token"


@pytest.fixture
def keys(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "keys" / "master.json")


async def test_what_was_sealed_opens_again(keys: KeyFile) -> None:
    sealer = EnvelopeSealer(keys)
    sealed = await sealer.seal(SECRET, CONTEXT)
    assert await sealer.open(sealed, CONTEXT) == SECRET
    assert SECRET not in sealed.ciphertext
    assert "horse" not in repr(sealed)


async def test_the_same_secret_never_looks_the_same(keys: KeyFile) -> None:
    sealer = EnvelopeSealer(keys)
    first, second = [await sealer.seal(SECRET, CONTEXT) for _ in range(2)]
    assert first.nonce != second.nonce
    assert first.wrapped_key != second.wrapped_key
    assert first.ciphertext != second.ciphertext


async def test_a_secret_does_not_open_elsewhere(keys: KeyFile) -> None:
    sealer = EnvelopeSealer(keys)
    sealed = await sealer.seal(SECRET, CONTEXT)
    with pytest.raises(Bug):
        await sealer.open(sealed, b"tenant/another source/token")


@pytest.mark.parametrize("part", ["wrapped_key", "nonce", "ciphertext"])
async def test_an_altered_secret_does_not_open(keys: KeyFile, part: str) -> None:
    sealer = EnvelopeSealer(keys)
    sealed = await sealer.seal(SECRET, CONTEXT)
    altered = bytearray(getattr(sealed, part))
    altered[-1] ^= 1
    with pytest.raises(Bug, match="altered"):
        await sealer.open(replace(sealed, **{part: bytes(altered)}), CONTEXT)  # type: ignore[arg-type]


async def test_a_rotation_wraps_the_data_key_anew_and_leaves_the_ciphertext(keys: KeyFile) -> None:
    sealer = EnvelopeSealer(keys)
    sealed = await sealer.seal(SECRET, CONTEXT)
    assert await sealer.rewrap(sealed, CONTEXT) is None
    assert keys.rotate() == "2"
    assert await sealer.open(sealed, CONTEXT) == SECRET, "the older key stays"
    moved = await sealer.rewrap(sealed, CONTEXT)
    assert moved is not None
    assert (moved.key_id, moved.ciphertext) == ("2", sealed.ciphertext)
    keys.retire("1")
    assert await sealer.open(moved, CONTEXT) == SECRET
    with pytest.raises(NotFound):
        await sealer.open(sealed, CONTEXT)


def test_the_current_key_cannot_be_retired(keys: KeyFile) -> None:
    keys.ring()
    with pytest.raises(Conflict):
        keys.retire("1")
    with pytest.raises(NotFound):
        keys.retire("7")


def test_the_keys_belong_to_their_owner_alone(keys: KeyFile, tmp_path: Path) -> None:
    keys.ring()
    file = tmp_path / "keys" / "master.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    file.chmod(0o644)
    with pytest.raises(Invalid, match="chmod 600"):
        keys.ring()


def test_two_processes_agree_on_the_first_key(keys: KeyFile, tmp_path: Path) -> None:
    assert keys.ring() == KeyFile(tmp_path / "keys" / "master.json").ring()


@pytest.mark.parametrize("content", ["", "{}", json.dumps({"current": "1", "keys": {"1": "c2hvcnQ="}}), "[]"])
def test_a_damaged_file_is_not_replaced(keys: KeyFile, tmp_path: Path, content: str) -> None:
    """A new key in its place would make every stored secret unreadable without a word."""
    keys.ring()
    file = tmp_path / "keys" / "master.json"
    file.write_text(content)
    with pytest.raises(Invalid, match="restore it"):
        keys.ring()
    assert file.read_text() == content
