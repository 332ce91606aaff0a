"""A revocation holds from the answer to the write on, whatever is asked meanwhile, on every surface."""

import random

import pytest

from tests.redteam.arena import Arenas
from tests.redteam.changes import REVOCATIONS
from tests.redteam.racing import race

REQUESTS = 200
"""In all, and in each run; the long run has ten thousand."""


@pytest.mark.parametrize("way", REVOCATIONS)
def test_no_request_begun_after_a_revocation_shows_what_was_revoked(
    arenas: Arenas, chance: random.Random, way: str
) -> None:
    raced = race(arenas.ours, way, chance, requests=REQUESTS // len(REVOCATIONS))
    print(f"{way}: {raced.before} requests before, {raced.after} after, {1000 * raced.revocation_s:.0f} ms")
    assert raced.leaks == ()
    assert raced.after >= REQUESTS // len(REVOCATIONS)
