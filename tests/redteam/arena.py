"""Tenants whose content came out of simulated sources, and what each of their people may be shown of them."""

import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import httpx
import yaml

from cortex.domain.identity import container_id, document_id, source_id
from tests.demo.oracle import Acl
from tests.e2e.company import Company, Someone, done
from tests.redteam.source import CANARY, PUSHED, READ, SimulatedSource

ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_TELLING = re.compile(f"{CANARY}|{ID}")


@dataclass(frozen=True, slots=True)
class Arena:
    """One tenant. Every write goes through the routes that a source would use."""

    source: SimulatedSource
    company: Company
    folder: Path
    _ids: dict[str, str] = field(default_factory=dict)

    def build(self) -> None:
        for person, guest in self.source.people.items():
            body = {"name": person, "guest": guest}
            done(self.company.admin.put(f"/admin/v1/people/{person}@acme.example", body))
        for name in self.source.groups:
            done(self.put_group(name))
        for name in self.source.folders:
            if name.startswith(f"{PUSHED}/"):
                done(self.put_folder(name))
        for name in self.source.papers:
            if name.startswith(f"{PUSHED}/"):
                done(self.put_paper(name))
        self._write_files()
        self.company.add_files(READ, {"path": str(self.folder)})
        self.company.synced(READ)
        self.settled()

    def settled(self) -> None:
        """Nothing waits to be indexed."""
        self.company.indexed(PUSHED)

    def put_group(self, name: str) -> httpx.Response:
        members = sorted(self.source.groups[name])
        if "/" in name:
            source, _, external = name.partition("/")
            return self.company.admin.put(f"/v1/sources/{source}/groups/{external}", {"members": members})
        return self.company.admin.put(f"/admin/v1/groups/{name}", {"name": name, "members": members})

    def put_folder(self, name: str) -> httpx.Response:
        found = self.source.folders[name]
        body: dict[str, object] = {"acl": described(found.acl)}
        if found.parent is not None:
            body["parent"] = external(found.parent)
        return self.company.admin.put(f"/v1/sources/{PUSHED}/containers/{external(name)}", body)

    def put_paper(self, name: str) -> httpx.Response:
        found = self.source.papers[name]
        body: dict[str, object] = {"title": found.title, "content": found.text, "acl": described(found.acl)}
        body |= {"url": f"https://notes.example/{found.canary}", "author": "p0@acme.example"}
        if found.folder is not None:
            body["container"] = external(found.folder)
        return self.company.admin.put(self._place(name), body)

    def delete_paper(self, name: str) -> httpx.Response:
        return self.company.admin.delete(self._place(name))

    def person(self, name: str) -> Someone:
        return self.company.person(name)

    def id(self, name: str) -> str:
        if name not in self._ids:
            source, _, rest = name.partition("/")
            tenant = self.company.tenant
            self._ids[name] = str(document_id(tenant, source_id(tenant, source), rest))
        return self._ids[name]

    def folder_id(self, name: str) -> str:
        """The id of a folder, which filters and facets name."""
        source, _, rest = name.partition("/")
        return str(container_id(self.company.tenant, source_id(self.company.tenant, source), rest))

    @property
    def names(self) -> dict[str, str]:
        """Of documents, by id."""
        return {self.id(name): name for name in self.source.papers}

    def some_people(self, chance: random.Random, count: int) -> list[str]:
        """A guest among them, where there is one: what is shared with the tenant is not for guests."""
        people = chance.sample(list(self.source.people), len(self.source.people))
        guests = [person for person in people if self.source.people[person]]
        return list(dict.fromkeys([*guests[:1], *people]))[:count]

    def visible(self, person: str) -> frozenset[str]:
        return frozenset(name for name in self.source.papers if self.source.visible(person, name))

    def openable(self, person: str) -> frozenset[str]:
        return frozenset(name for name in self.source.papers if self.source.openable(person, name))

    def telling(self, names: frozenset[str] | set[str]) -> set[str]:
        """Canaries and ids of those documents."""
        return {self.source.papers[name].canary for name in names} | {self.id(name) for name in names}

    def _place(self, name: str) -> str:
        return f"/v1/sources/{PUSHED}/documents/{quote(external(name))}"

    def _write_files(self) -> None:
        for name, found in self.source.folders.items():
            if not name.startswith(f"{READ}/"):
                continue
            place = self.folder / external(name)
            place.mkdir(parents=True, exist_ok=True)
            inside = {key: paper for key, paper in self.source.papers.items() if paper.folder == name}
            for key, paper in inside.items():
                (self.folder / external(key)).write_text(paper.text, encoding="utf-8")
            files = {Path(key).name: described(paper.acl) for key, paper in inside.items()}
            text = yaml.safe_dump({**described(found.acl), "files": files})
            (place / "acl.yaml").write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Arenas:
    """Two tenants with equal ids in their sources. Whatever tells of a document of either is known here."""

    ours: Arena
    theirs: Arena
    retired: set[str] = field(default_factory=set)

    def both(self) -> tuple[Arena, Arena]:
        return self.ours, self.theirs

    def telling(self) -> set[str]:
        return set().union(*(arena.telling(frozenset(arena.source.papers)) for arena in self.both())) | self.retired

    def leaked(self, arena: Arena, shown: str, *, allowed: frozenset[str], said: str = "") -> set[str]:
        """What a text tells that it may not; `said` is what the asker sent, which may come back."""
        told = set(_TELLING.findall(shown)) & self.telling()
        return told - arena.telling(allowed) - set(_TELLING.findall(said))


def external(name: str) -> str:
    return name.partition("/")[2]


def described(acl: Acl) -> dict[str, object]:
    return {
        "allow": list(acl.allow),
        "deny": list(acl.deny),
        "all_of": [list(one_of) for one_of in acl.all_of],
        "public": acl.public,
        "complete": acl.complete,
        "inherit": acl.inherit,
    }
