"""Who may see what in the demo company, read plainly from its files.

Written from the public contract alone and sharing no code with the product, so that the two can be compared.
It is slow and has no cache of decisions: every call walks the groups and the folders again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import yaml

ACL_FILE = "acl.yaml"
ACL_KEYS = {"allow", "deny", "all_of", "public", "complete", "inherit"}


@dataclass(frozen=True, slots=True)
class Acl:
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    all_of: tuple[tuple[str, ...], ...] = ()
    public: Literal["none", "link", "tenant"] = "none"
    complete: bool = True
    inherit: Literal["restrict", "extend", "none"] = "restrict"

    def principals(self) -> Iterator[str]:
        yield from self.allow
        yield from self.deny
        for one_of in self.all_of:
            yield from one_of


@dataclass(frozen=True, slots=True)
class Person:
    email: str
    name: str
    guest: bool


@dataclass(frozen=True, slots=True)
class Oracle:
    """Nodes are `source/path`; the root folder of a source is the bare `source`."""

    people: dict[str, Person]
    groups: dict[str, frozenset[str]]
    acls: dict[str, Acl]
    documents: dict[str, Path] = field(hash=False)

    def visible(self, email: str, node: str) -> bool:
        """Whether the person may find the document or folder: search, count, be answered from it."""
        person, acl, container = self.people[email], self.acls[node], container_of(node)
        if not self._complete(node) or not self._ok(email, acl):
            return False
        own = (acl.public == "tenant" and not person.guest) or self._is_any(email, acl.allow)
        if acl.inherit == "none" or container is None:
            return own
        if acl.inherit == "extend":
            return own or self.visible(email, container)
        nothing_of_its_own = not acl.allow and acl.public != "tenant"
        return (own or nothing_of_its_own) and self.visible(email, container)

    def openable(self, email: str, node: str) -> bool:
        """Whether the person may open the document when they hold its id: visible, or public by link."""
        acl = self.acls[node]
        by_link = acl.public == "link" and not self.people[email].guest
        return self.visible(email, node) or (by_link and self._complete(node) and self._ok(email, acl))

    def visible_documents(self, email: str) -> frozenset[str]:
        return frozenset(path for path in self.documents if self.visible(email, path))

    def is_member(self, email: str, principal: str) -> bool:
        kind, _, name = principal.partition(":")
        match kind:
            case "user":
                return name == email
            case "group":
                return any(self.is_member(email, member) for member in self.groups[name])
            case "viewers":
                return self.visible(email, name.removesuffix("/."))
        raise ValueError(f"unknown principal: {principal}")

    def knows(self, principal: str) -> bool:
        kind, _, name = principal.partition(":")
        known = {"user": self.people.keys(), "group": self.groups.keys(), "viewers": self.acls.keys()}[kind]
        return name.removesuffix("/.") in known

    def _ok(self, email: str, acl: Acl) -> bool:
        return not self._is_any(email, acl.deny) and all(self._is_any(email, one_of) for one_of in acl.all_of)

    def _is_any(self, email: str, principals: tuple[str, ...]) -> bool:
        return any(self.is_member(email, principal) for principal in principals)

    def _complete(self, node: str) -> bool:
        """An incomplete folder hides all that hangs on it; what stands alone (`none`) does not hang on it."""
        acl, container = self.acls[node], container_of(node)
        if not acl.complete or acl.inherit == "none" or container is None:
            return acl.complete
        return self._complete(container)


def container_of(node: str) -> str | None:
    container, separator, _ = node.rpartition("/")
    return container if separator else None


def load_oracle(demo: Path) -> Oracle:
    company = yaml.safe_load((demo / "company.yaml").read_text(encoding="utf-8"))
    people = [Person(entry["email"], entry["name"], entry.get("guest", False)) for entry in company["people"]]
    acls: dict[str, Acl] = {}
    documents: dict[str, Path] = {}
    for root in sorted(path for path in (demo / "sources").iterdir() if path.is_dir()):
        _load_folder(root, root.name, acls, documents)
    return Oracle(
        people={person.email: person for person in people},
        groups={group["id"]: frozenset(group["members"]) for group in company["groups"]},
        acls=acls,
        documents=documents,
    )


def _load_folder(folder: Path, node: str, acls: dict[str, Acl], documents: dict[str, Path]) -> None:
    described: dict[str, object] = {}
    if (folder / ACL_FILE).exists():
        described = yaml.safe_load((folder / ACL_FILE).read_text(encoding="utf-8"))
    files = described.pop("files", {})
    if not isinstance(files, dict):
        raise ValueError(f"{node}: `files` is not a mapping")
    acls[node] = acl_from(described, where=node)
    entries = {entry.name: entry for entry in sorted(folder.iterdir()) if entry.name != ACL_FILE}
    if unknown := files.keys() - entries.keys():
        raise ValueError(f"{node}: {ACL_FILE} names files that are not there: {sorted(unknown)}")
    for name, entry in entries.items():
        child = f"{node}/{name}"
        if entry.is_dir():
            _load_folder(entry, child, acls, documents)
        else:
            acls[child] = acl_from(files.get(name, {}), where=child)
            documents[child] = entry


def acl_from(described: dict[str, object], *, where: str) -> Acl:
    if unknown := described.keys() - ACL_KEYS:
        raise ValueError(f"{where}: unknown keys {sorted(unknown)}")
    values = yaml.safe_load(yaml.safe_dump(described))
    return Acl(
        allow=tuple(values.get("allow", ())),
        deny=tuple(values.get("deny", ())),
        all_of=tuple(tuple(one_of) for one_of in values.get("all_of", ())),
        public=values.get("public", "none"),
        complete=values.get("complete", True),
        inherit=values.get("inherit", "restrict"),
    )
