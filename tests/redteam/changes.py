"""What happens in a source: memberships, moves, new restrictions, deletions. Each is done there and then pushed."""

import random
from collections.abc import Callable
from dataclasses import replace

import httpx

from tests.e2e.company import done
from tests.redteam.arena import Arena
from tests.redteam.source import PUSHED, group, random_acl, random_members, random_place, user

Change = Callable[[random.Random, Arena], None]


def change_members(chance: random.Random, arena: Arena) -> None:
    names = list(arena.source.groups)
    at = chance.randrange(len(names))
    arena.source.groups[names[at]] = random_members(chance, arena.source, names[:at])
    done(arena.put_group(names[at]))


def patch_members(chance: random.Random, arena: Arena) -> None:
    """By PATCH, one in and one out."""
    name = chance.choice([name for name in arena.source.groups if name.startswith(f"{PUSHED}/")])
    before, person = arena.source.groups[name], user(chance.choice(list(arena.source.people)))
    out = chance.choice(sorted(before)) if before else person
    arena.source.groups[name] = (before - {out}) | {person}
    body = {"add": [person], "remove": [] if out == person else [out]}
    path = f"/v1/sources/{PUSHED}/groups/{name.partition('/')[2]}"
    done(arena.company.admin.request("PATCH", path, json=body))


def change_folder(chance: random.Random, arena: Arena) -> None:
    """Another parent and other permissions: all that lies below moves along. Only earlier folders, so no cycle."""
    names = [name for name in arena.source.folders if name.startswith(f"{PUSHED}/c")]
    at = chance.randrange(len(names))
    found = arena.source.folders[names[at]]
    parent = chance.choice([None, *names[:at]])
    acl = random_acl(chance, arena.source, names[:at]) if chance.random() < 0.6 else found.acl
    arena.source.folders[names[at]] = replace(found, parent=parent, acl=acl)
    done(arena.put_folder(names[at]))


def change_paper(chance: random.Random, arena: Arena) -> None:
    """Moved, or restricted; one that was deleted is left alone."""
    name = chance.choice(_pushed(arena))
    found = arena.source.papers[name]
    if chance.random() < 0.5:
        changed = replace(found, folder=random_place(chance, arena.source))
    else:
        folders = [name for name in arena.source.folders if name.startswith(f"{PUSHED}/c")]
        changed = replace(found, acl=random_acl(chance, arena.source, folders))
    arena.source.papers[name] = changed
    done(arena.put_paper(name))


def delete_paper(chance: random.Random, arena: Arena) -> None:
    name = chance.choice(_pushed(arena))
    arena.source.papers[name] = replace(arena.source.papers[name], gone=True)
    done(arena.delete_paper(name))


def change_guest(chance: random.Random, arena: Arena) -> None:
    person = chance.choice(list(arena.source.people))
    arena.source.people[person] = not arena.source.people[person]
    body = {"name": person, "guest": arena.source.people[person]}
    done(arena.company.admin.put(f"/admin/v1/people/{person}@acme.example", body))


CHANGES: tuple[Change, ...] = (
    change_members,
    patch_members,
    change_folder,
    change_folder,
    change_paper,
    change_paper,
    delete_paper,
    change_guest,
)


def change(chance: random.Random, arena: Arena) -> None:
    chance.choice(CHANGES)(chance, arena)


def _pushed(arena: Arena) -> list[str]:
    return [name for name, paper in arena.source.papers.items() if name.startswith(f"{PUSHED}/") and not paper.gone]


Revocation = Callable[[Arena, str, str], httpx.Response]


def out_of_the_group(arena: Arena, _paper: str, person: str) -> httpx.Response:
    name = f"{PUSHED}/racers"
    arena.source.groups[name] = arena.source.groups[name] - {user(person)}
    return arena.put_group(name)


def out_of_the_acl(arena: Arena, paper: str, person: str) -> httpx.Response:
    found = arena.source.papers[paper]
    allow = tuple(principal for principal in found.acl.allow if principal not in (user(person), _RACERS))
    arena.source.papers[paper] = replace(found, acl=replace(found.acl, allow=allow, public="none", inherit="none"))
    return arena.put_paper(paper)


def out_of_the_folder(arena: Arena, paper: str, person: str) -> httpx.Response:
    """The folder's own permissions change; nothing of the document does."""
    name = arena.source.papers[paper].folder
    assert name is not None
    found = arena.source.folders[name]
    arena.source.folders[name] = replace(found, acl=replace(found.acl, deny=(*found.acl.deny, user(person))))
    return arena.put_folder(name)


def deleted(arena: Arena, paper: str, _person: str) -> httpx.Response:
    arena.source.papers[paper] = replace(arena.source.papers[paper], gone=True)
    return arena.delete_paper(paper)


_RACERS = group(f"{PUSHED}/racers")
REVOCATIONS: dict[str, Revocation] = {
    "membership": out_of_the_group,
    "acl": out_of_the_acl,
    "container": out_of_the_folder,
    "deletion": deleted,
}
