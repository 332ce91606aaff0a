"""A simulated source, and its oracle: could this person open it there?

Read from the public contract alone, in names and not in ids, and sharing no code with the product. Things are called
`SOURCE/EXTERNAL_ID`, as principals name them. Every document holds a word of its own, its canary, beside words that all
of them share: whatever shows the canary has shown the document.
"""

import random
import string
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tests.demo.oracle import Acl

PUSHED = "notes"
READ = "docs"
"""The push source, and the one that is read from a folder."""
CANARY = r"canary[a-z]{9}"
UNKNOWN = f"{PUSHED}/nowhere"
"""A container that documents lie in and nobody has ever written."""


@dataclass(frozen=True, slots=True)
class Folder:
    parent: str | None
    acl: Acl


@dataclass(frozen=True, slots=True)
class Paper:
    """A document; `gone` once it is deleted."""

    folder: str | None
    acl: Acl
    canary: str
    gone: bool = False

    @property
    def title(self) -> str:
        return f"Harbour memo {self.canary}"

    @property
    def text(self) -> str:
        return (
            f"# {self.title}\n\nThe harbour memo says that the {self.canary} crane is greased on Mondays.\n\n"
            f"Whoever greases the {self.canary} crane signs the harbour book.\n"
        )


@dataclass(slots=True)
class SimulatedSource:
    """`people` says who is a guest; members of `groups` are principals, and so is everything in an ACL."""

    people: dict[str, bool] = field(default_factory=dict)
    groups: dict[str, frozenset[str]] = field(default_factory=dict)
    folders: dict[str, Folder] = field(default_factory=dict)
    papers: dict[str, Paper] = field(default_factory=dict)

    def visible(self, person: str, paper: str) -> bool:
        """Whether the person may find it: search, count, be answered from it."""
        found = self.papers[paper]
        return not found.gone and self._visible(person, found.folder, found.acl)

    def openable(self, person: str, paper: str) -> bool:
        """Whether it opens by its id."""
        found = self.papers[paper]
        by_link = found.acl.public == "link" and not self.people[person]
        linked = by_link and self._whole(found.folder, found.acl) and self._permitted(person, found.acl)
        return not found.gone and (linked or self.visible(person, paper))

    def viewers(self, person: str, folder: str) -> bool:
        found = self.folders.get(folder)
        return found is not None and self._visible(person, found.parent, found.acl)

    def _visible(self, person: str, parent: str | None, acl: Acl) -> bool:
        if not self._whole(parent, acl) or not self._permitted(person, acl):
            return False
        own = (acl.public == "tenant" and not self.people[person]) or self._any(person, acl.allow)
        if acl.inherit == "none" or parent is None:
            return own
        if acl.inherit == "extend":
            return own or self.viewers(person, parent)
        silent = not acl.allow and acl.public != "tenant"
        return (own or silent) and self.viewers(person, parent)

    def _whole(self, parent: str | None, acl: Acl) -> bool:
        if not acl.complete or acl.inherit == "none" or parent is None:
            return acl.complete
        above = self.folders.get(parent)
        return above is not None and self._whole(above.parent, above.acl)

    def _permitted(self, person: str, acl: Acl) -> bool:
        return not self._any(person, acl.deny) and all(self._any(person, one_of) for one_of in acl.all_of)

    def _any(self, person: str, principals: tuple[str, ...]) -> bool:
        return any(self.is_among(person, principal) for principal in principals)

    def is_among(self, person: str, principal: str) -> bool:
        kind, _, name = principal.partition(":")
        if kind == "user":
            return principal == user(person)
        if kind == "viewers":
            return self.viewers(person, name)
        return any(self.is_among(person, member) for member in self.groups.get(name, ()))


def user(person: str) -> str:
    return f"user:{person}@acme.example"


def group(name: str) -> str:
    return f"group:{name}"


def canary(chance: random.Random) -> str:
    return "canary" + "".join(chance.choices(string.ascii_lowercase, k=9))


@dataclass(frozen=True, slots=True)
class Size:
    people: int = 6
    groups: int = 5
    folders: int = 6
    papers: int = 24
    files: int = 4


def random_source(chance: random.Random, size: Size, *, twins: SimulatedSource | None = None) -> SimulatedSource:
    """`twins`: another tenant's source; half of the documents are its documents, text and all."""
    made = SimulatedSource()
    made.people = {f"p{n}": n % 4 == 3 for n in range(size.people)}
    for n in range(size.groups):
        # Groups of the directory have no source in their name. Earlier ones alone are nested: no cycle.
        name = f"d{n}" if n % 3 == 2 else f"{PUSHED}/g{n}"
        made.groups[name] = random_members(chance, made, list(made.groups))
    for n in range(size.folders):
        above = chance.choice([None, *made.folders])
        made.folders[f"{PUSHED}/c{n}"] = Folder(above, random_acl(chance, made, list(made.folders)))
    for n in range(size.papers):
        key = f"{PUSHED}/doc{n}"
        own = twins.papers[key].canary if twins is not None and n % 2 else canary(chance)
        made.papers[key] = Paper(random_place(chance, made), random_acl(chance, made, list(made.folders)), own)
    _add_certain(chance, made)
    _add_files(chance, made, size.files)
    return made


def _add_certain(chance: random.Random, made: SimulatedSource) -> None:
    """What every member sees and no guest; what opens by its id and is found by nobody; and what the index shows and
    the re-check alone takes away.

    A denial of a folder is not one of what extends it, for that may have grants of its own.
    """
    made.papers[f"{PUSHED}/open"] = Paper(None, Acl(public="tenant"), canary(chance))
    made.papers[f"{PUSHED}/linked"] = Paper(None, Acl(public="link"), canary(chance))
    crew = f"{PUSHED}/crew"
    made.groups[crew] = frozenset(map(user, made.people))
    made.folders[f"{PUSHED}/loose"] = Folder(None, Acl(allow=(group(crew),), deny=(user("p0"), user("p1"))))
    for n in range(4):
        acl = Acl(inherit="extend", allow=(user("p1"),) if n == 3 else ())
        made.papers[f"{PUSHED}/loose{n}"] = Paper(f"{PUSHED}/loose", acl, canary(chance))


def _add_files(chance: random.Random, made: SimulatedSource, count: int) -> None:
    made.folders[f"{READ}/."] = Folder(None, Acl(public="tenant"))
    for room in ("attic", "cellar"):
        acl = replace(random_acl(chance, made, []), complete=True)
        made.folders[f"{READ}/{room}"] = Folder(f"{READ}/.", acl)
        for n in range(count // 2):
            name = f"{READ}/{room}/f{n}.md"
            made.papers[name] = Paper(f"{READ}/{room}", random_acl(chance, made, []), canary(chance))


def random_members(chance: random.Random, made: SimulatedSource, below: list[str]) -> frozenset[str]:
    people = {user(person) for person in made.people if chance.random() < 0.3}
    return frozenset(people | {group(name) for name in below if chance.random() < 0.35})


def random_place(chance: random.Random, made: SimulatedSource) -> str | None:
    folders = [name for name in made.folders if name.startswith(f"{PUSHED}/c")]
    return chance.choice([None, UNKNOWN, *folders, *folders])


def random_acl(chance: random.Random, made: SimulatedSource, folders: list[str]) -> Acl:
    """`folders` are those whose viewers it may name."""
    named = [*map(user, made.people), *map(group, made.groups), *map(group, made.groups)]

    def some(most: int, *, least: int = 0) -> tuple[str, ...]:
        return tuple(sorted(set(chance.choices(named, k=chance.randint(least, most)))))

    allow = some(3)
    if folders and chance.random() < 0.2:
        allow = (*allow, f"viewers:{chance.choice(folders)}")
    return Acl(
        allow=allow,
        deny=some(2) if chance.random() < 0.3 else (),
        all_of=tuple(some(4, least=1) for _ in range(chance.choice((0, 0, 0, 0, 1, 2)))),
        public=chance.choice(("none", "none", "link", "tenant")),
        complete=chance.random() > 0.08,
        inherit=chance.choice(("restrict", "restrict", "extend", "none")),
    )


def folders_above(source: SimulatedSource, paper: str) -> Iterator[str]:
    place = source.papers[paper].folder
    while place is not None and place in source.folders:
        yield place
        place = source.folders[place].parent
