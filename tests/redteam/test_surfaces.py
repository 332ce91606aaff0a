"""What is shown is among what may be seen, on every surface; and once quiet, what may be seen is found."""

import json
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from cortex.domain.credential import Role
from tests.e2e.waiting import eventually
from tests.redteam import looking
from tests.redteam.arena import Arena, Arenas
from tests.redteam.changes import change
from tests.redteam.looking import FACETS, LOOKS, MODES, Look, Seen
from tests.redteam.routes import ROUTES, route_of, shows
from tests.redteam.source import folders_above
from tests.redteam.watching import Watched

THREADS = 4
CHANGES = 8
LOOKERS = 2
"""How many people of each tenant take each look; the long run sends all of them."""
QUIET_WITHIN_S = 20.0


def test_the_two_tenants_are_worth_attacking(arenas: Arenas) -> None:
    """Neither everything nor nothing may be seen, links open what is not found, and some texts are in both tenants."""
    for arena in arenas.both():
        pairs = [(p, d) for p in arena.source.people for d in arena.source.papers]
        visible = sum(arena.source.visible(p, d) for p, d in pairs)
        assert 0.03 < visible / len(pairs) < 0.8
        assert any(arena.openable(p) - arena.visible(p) for p in arena.source.people)
    assert arenas.ours.telling(frozenset(arenas.ours.source.papers)) & arenas.theirs.telling(
        frozenset(arenas.theirs.source.papers)
    )


def test_nothing_is_shown_that_may_not_be_seen(arenas: Arenas, chance: random.Random) -> None:
    for arena in arenas.both():
        look_at_everything(arenas, arena, chance)


def test_what_may_be_seen_is_found(arenas: Arenas) -> None:
    for arena in arenas.both():
        everybody_finds_all(arena)


def test_what_may_be_opened_opens_and_nothing_else(arenas: Arenas, chance: random.Random) -> None:
    """Every document of both tenants, by its id."""
    every = {identifier: name for arena in arenas.both() for identifier, name in arena.names.items()}
    for arena in arenas.both():
        for person in arena.some_people(chance, LOOKERS):
            allowed = {arena.id(name) for name in arena.openable(person)}
            with ThreadPoolExecutor(THREADS) as threads:
                opened = zip(every, threads.map(arena.person(person).opens, every), strict=True)
            assert {identifier for identifier, opens in opened if opens} == allowed, person


def test_facets_count_what_may_be_seen(arenas: Arenas) -> None:
    for arena in arenas.both():
        for person in arena.source.people:
            body = looking.search(arena.person(person), facets=FACETS).json()
            visible = arena.visible(person)
            for facet in body["facets"].values():
                assert facet["of_top"] <= len(visible), person
                assert all(value["count"] <= len(visible) for value in facet["values"]), person
            counted = {value["value"]: value["count"] for value in body["facets"]["container_id"]["values"]}
            assert counted == by_folder(arena, person), person


def test_a_folder_that_may_not_be_seen_narrows_to_nothing(arenas: Arenas, chance: random.Random) -> None:
    """As one that never was: else it would say of what may be seen where it lies."""
    for arena in arenas.both():
        for person in arena.some_people(chance, LOOKERS):
            below = by_folder(arena, person)
            for folder in arena.source.folders:
                identifier = arena.folder_id(folder)
                body = looking.search(arena.person(person), filters={"container_ids": [identifier]}).json()
                assert len(body["results"]) == below.get(identifier, 0), (person, folder)


@pytest.mark.parametrize("role", [Role.ADMIN, Role.OWNER, Role.AUDITOR])
def test_roles_show_no_content(arenas: Arenas, chance: random.Random, role: Role) -> None:
    """Who administers, owns the source or audits it sees what is shared with the tenant, and no more."""
    arena, name = arenas.ours, "admin" if role is Role.ADMIN else f"the-{role}"
    someone = arena.company.person(name, role=role)
    arena.source.people[name] = False
    try:
        for look in LOOKS:
            for seen in look(someone, arena, chance):
                check(arenas, arena, name, seen)
    finally:
        del arena.source.people[name]


def test_every_route_that_shows_content_is_looked_at_through_every_arm(arenas: Arenas, chance: random.Random) -> None:
    """Else a route that came later would be asked nothing, and an arm would be asked by some surfaces alone."""
    arena = arenas.ours
    person = chance.choice(list(arena.source.people))
    watched = Watched(arena.company, person)
    modes: dict[str, set[str]] = {}
    try:
        for look in LOOKS:
            for seen in look(watched, arena, chance):
                check(arenas, arena, person, seen)
                asked = watched.asked[-1]
                if asked.url.path == "/v1/search" and seen.status == 200:
                    mode = json.loads(asked.content)["mode"]
                    modes.setdefault(seen.surface.removesuffix(f" {mode}"), set()).add(mode)
    finally:
        watched.close()
    assert {route for route in map(route_of, watched.asked) if route} >= set(filter(shows, ROUTES))
    assert len(modes) >= 5
    assert modes == {surface: set(MODES) for surface in modes}


def test_it_stays_so_while_the_source_changes(arenas: Arenas, chance: random.Random) -> None:
    """Looked at right after each change, when cache and index still lag; then found anew once it is quiet."""
    both = [(arena, random.Random(chance.getrandbits(32))) for arena in arenas.both()]
    with ThreadPoolExecutor(len(both)) as threads:
        for done in [threads.submit(change_and_look, arenas, arena, own) for arena, own in both]:
            done.result()
    for arena in arenas.both():
        arena.settled()
        look_at_everything(arenas, arena, chance)
        everybody_finds_all(arena)


def change_and_look(arenas: Arenas, arena: Arena, chance: random.Random) -> None:
    for _ in range(CHANGES):
        change(chance, arena)
        person = chance.choice(list(arena.source.people))
        for look in chance.sample(LOOKS, 2):
            for seen in look(arena.person(person), arena, chance):
                check(arenas, arena, person, seen)


def look_at_everything(arenas: Arenas, arena: Arena, chance: random.Random) -> None:
    """Several people at once, each with a seed of their own."""
    looks = [(look, person, chance.getrandbits(32)) for look in LOOKS for person in arena.some_people(chance, LOOKERS)]
    side_by_side(arena, [partial(take, arenas, arena, look, person, seed) for look, person, seed in looks])


def take(arenas: Arenas, arena: Arena, look: Look, person: str, seed: int) -> None:
    for seen in look(arena.person(person), arena, random.Random(seed)):
        check(arenas, arena, person, seen)


def everybody_finds_all(arena: Arena) -> None:
    finding = [partial(finds_all, arena, person) for person in arena.source.people]
    side_by_side(arena, [partial(eventually, found, within_s=QUIET_WITHIN_S) for found in finding])


def side_by_side(arena: Arena, works: Sequence[Callable[[], object]]) -> None:
    for person in arena.source.people:
        arena.person(person)  # made once, and not by whichever thread comes first
    with ThreadPoolExecutor(THREADS) as threads:
        for done in [threads.submit(work) for work in works]:
            done.result()


def check(arenas: Arenas, arena: Arena, person: str, seen: Seen) -> None:
    allowed = arena.openable(person) if seen.opened else arena.visible(person)
    leaked = arenas.leaked(arena, seen.text, allowed=allowed, said=seen.said)
    assert leaked == set(), f"{seen.surface} shows {person} what they may not see: {sorted(leaked)}"
    assert seen.status < 500 or seen.surface == "/readyz", seen


def finds_all(arena: Arena, person: str) -> None:
    for mode in MODES:
        found = {arena.names[identifier] for identifier in looking.found(arena.person(person), mode)}
        assert found == arena.visible(person), (person, mode)


def by_folder(arena: Arena, person: str) -> dict[str, int]:
    """How much the person may see of what lies in each folder, of folders that they may see."""
    counts: dict[str, int] = {}
    for name in arena.visible(person):
        for folder in filter(partial(arena.source.viewers, person), folders_above(arena.source, name)):
            counts[arena.folder_id(folder)] = counts.get(arena.folder_id(folder), 0) + 1
    return counts
