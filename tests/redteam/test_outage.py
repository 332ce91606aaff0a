"""The permission engine dies while people ask: nothing comes, and above all nothing that may not be seen."""

import random

import httpx

from tests.e2e.waiting import eventually
from tests.redteam.arena import Arena, Arenas

BACK_WITHIN_S = 90.0
ASKED_MAX = 2_000


def test_an_engine_that_does_not_answer_hides(arenas: Arenas, chance: random.Random) -> None:
    arena = arenas.ours
    person = chance.choice(list(arena.source.people))
    closed = [name for name in arena.source.papers if name not in arena.openable(person)]
    before = arena.company.platform.kill("spicedb")
    refused = 0
    for _ in range(ASKED_MAX):
        response = _open(arena, person, chance.choice(closed))
        refused += response.status_code == 503
        assert response.status_code in (404, 503), response.text
        process = arena.company.platform.process("spicedb")
        if refused and process.restarts > before and process.state == "ready":
            break
    assert refused, "the engine was back before anybody asked"

    def back() -> None:
        assert _open(arena, person, closed[0]).status_code == 404

    eventually(back, within_s=BACK_WITHIN_S)


def _open(arena: Arena, person: str, paper: str) -> httpx.Response:
    return arena.person(person).get(f"/v1/documents/{arena.id(paper)}")
