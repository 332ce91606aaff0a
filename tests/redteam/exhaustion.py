"""Every person, every document, every way: verdicts through the routes, counted."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import partial

from tests.e2e.waiting import eventually
from tests.redteam.arena import Arena, Arenas
from tests.redteam.looking import LOOKS, MODES, found

THREADS = 4
QUIET_WITHIN_S = 30.0


@dataclass(frozen=True, slots=True)
class Asked:
    """`verdicts` are of one person on one document by one surface; `hidden` of those that were `allowed`."""

    verdicts: int = 0
    allowed: int = 0
    leaks: int = 0
    hidden: int = 0
    looks: int = 0

    def __add__(self, other: "Asked") -> "Asked":
        return Asked(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Asked)))


def ask_everything(arenas: Arenas, chance: random.Random) -> Asked:
    """Both tenants, all their people. To be called once it is quiet: what is hidden is counted."""
    asked = Asked()
    for arena in arenas.both():
        arena.settled()
        people = list(arena.source.people)
        seeds = [chance.getrandbits(32) for _ in people]
        with ThreadPoolExecutor(THREADS) as threads:
            for one in threads.map(partial(_of, arenas, arena), people, seeds):
                asked += one
    return asked


def _of(arenas: Arenas, arena: Arena, person: str, seed: int) -> Asked:
    asked = Asked()
    for mode in MODES:
        asked += _searched(arena, person, mode)
    for one in _opened(arenas, arena, person):
        asked += one
    for look in LOOKS:
        for seen in look(arena.person(person), arena, random.Random(seed)):
            allowed = arena.openable(person) if seen.opened else arena.visible(person)
            leaked = arenas.leaked(arena, seen.text, allowed=allowed, said=seen.said)
            asked += Asked(leaks=len(leaked), looks=1)
    return asked


def _searched(arena: Arena, person: str, mode: str) -> Asked:
    """Grants may take a moment to reach the index; what is hidden after that counts."""
    expected = {arena.id(name) for name in arena.visible(person)}
    shown: set[str] = set()

    def all_are_found() -> None:
        nonlocal shown
        shown = found(arena.person(person), mode)
        assert shown >= expected

    try:
        eventually(all_are_found, within_s=QUIET_WITHIN_S)
    except AssertionError:
        print(f"{person} does not find {sorted(expected - shown)} by {mode}")
    return _counted(expected, shown, among=len(arena.source.papers))


def _opened(arenas: Arenas, arena: Arena, person: str) -> Iterator[Asked]:
    """Documents of both tenants, by id: their blocks, and their files."""
    expected = {arena.id(name) for name in arena.openable(person)}
    every = [identifier for one in arenas.both() for identifier in one.names]
    for path in ("/v1/documents/{}", "/v1/documents/{}/original"):
        statuses = {identifier: arena.person(person).get(path.format(identifier)).status_code for identifier in every}
        assert set(statuses.values()) <= {200, 404}, statuses
        yield _counted(expected, {i for i, status in statuses.items() if status == 200}, among=len(every))


def _counted(expected: set[str], shown: set[str], *, among: int) -> Asked:
    return Asked(verdicts=among, allowed=len(expected), leaks=len(shown - expected), hidden=len(expected - shown))
