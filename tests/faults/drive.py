"""A random company whose shared drive changes: what lies on the disk in the end is what Cortex must hold.

Its layout is the demo's, so that the demo's plain reading of the permission algebra (`tests.demo.oracle`) reads it too.
Every document carries one word that no other has and that changes with every edit: its token.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tests.demo.oracle import ACL_FILE, Oracle, load_oracle

SOURCE = "drive"
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va", "we")
_PHRASES = (
    "the pump in hall two was replaced by the night shift",
    "a leak at the third valve delayed the crane",
    "spare gaskets were ordered on Monday and came on Friday",
    "the meter of boiler six was read twice",
    "nobody signed for the new bearings",
    "the hopper was cleaned before the inspection",
    "its spindle makes a noise when it is cold",
    "the offer for couplings was too high",
    "line four stood still for an hour",
    "the damper opens too late after rain",
)
_TOKEN = re.compile(r"^Reference: (\w+)$", re.MULTILINE)
_PEOPLE = tuple(f"{name}@faults.example" for name in ("ada", "ben", "cleo", "dov", "eve", "finn", "gil", "hana"))
_GUEST = _PEOPLE[-1]
_GROUPS = {
    "fitters": ["user:ada@faults.example", "user:ben@faults.example"],
    "buyers": ["user:cleo@faults.example", "user:dov@faults.example"],
    "leads": ["user:eve@faults.example"],
    "works": ["group:fitters", "group:leads"],
}
_FOLDERS = ("", "plant", "plant/hall-1", "plant/hall-2", "plant/hall-2/locked", "purchase", "purchase/offers", "board")
_PRINCIPALS = (*(f"user:{person}" for person in _PEOPLE), *(f"group:{group}" for group in _GROUPS))


@dataclass(slots=True)
class Drive:
    """`retired` are tokens that nobody may find any more."""

    root: Path
    source: random.Random
    retired: list[str] = field(default_factory=list)
    _made: int = 0

    @property
    def folder(self) -> Path:
        return self.root / "sources" / SOURCE

    @property
    def people(self) -> Sequence[str]:
        return _PEOPLE

    @property
    def groups(self) -> dict[str, list[str]]:
        return _GROUPS

    def is_guest(self, person: str) -> bool:
        return person == _GUEST

    def fill(self, documents: int) -> None:
        company = {
            "people": [{"email": p, "name": p.split("@")[0].title(), "guest": self.is_guest(p)} for p in _PEOPLE],
            "groups": [{"id": name, "members": members} for name, members in _GROUPS.items()],
        }
        for folder in _FOLDERS:
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
            self._protect(folder)
        (self.root / "company.yaml").write_text(yaml.safe_dump(company), encoding="utf-8")
        for _ in range(documents):
            self.add()

    def change(self, count: int) -> None:
        """Edits, deletes, renames and adds so many documents each, and gives one folder other readers."""
        for path in self._some(count):
            self._retire(path)
            path.write_text(self._text(), encoding="utf-8")
        for path in self._some(count):
            self._retire(path)
            path.unlink()
        for path in self._some(count):
            path.rename(path.with_name(f"{path.stem}-renamed{path.suffix}"))
        for _ in range(count):
            self.add()
        self._protect(self.source.choice(_FOLDERS[1:]))

    def add(self) -> None:
        self._made += 1
        path = self.folder / self.source.choice(_FOLDERS) / f"note-{self._made:05}.md"
        path.write_text(self._text(), encoding="utf-8")

    def tokens(self) -> dict[str, str]:
        """By node, `SOURCE/PATH`."""
        return {f"{SOURCE}/{path.relative_to(self.folder)}": token_of(path) for path in self._documents()}

    def oracle(self) -> Oracle:
        return load_oracle(self.root)

    def word(self) -> str:
        """A word that is nowhere else."""
        return "zy" + "".join(self.source.choice(_SYLLABLES) for _ in range(7)) + "k"

    def _documents(self) -> list[Path]:
        return sorted(self.folder.rglob("*.md"))

    def _some(self, count: int) -> list[Path]:
        return self.source.sample(self._documents(), count)

    def _retire(self, path: Path) -> None:
        self.retired.append(token_of(path))

    def _protect(self, folder: str) -> None:
        """The root is everybody's, or nothing below it would be anybody's."""
        acl: dict[str, object] = {"public": "tenant"}
        if folder:
            acl = {"inherit": self.source.choice(("restrict", "restrict", "extend", "none"))}
            acl["allow"] = self.source.sample(_PRINCIPALS, self.source.randint(0, 3))
            if self.source.random() < 0.3:
                acl["deny"] = self.source.sample(_PRINCIPALS, 1)
        (self.folder / folder / ACL_FILE).write_text(yaml.safe_dump(acl), encoding="utf-8")

    def _text(self) -> str:
        paragraphs = ["; ".join(self.source.choices(_PHRASES, k=self.source.randint(3, 9))) + "." for _ in range(3)]
        heading = f"# {self.source.choice(_PHRASES).capitalize()}"
        return "\n\n".join([heading, f"Reference: {self.word()}", *paragraphs, ""])


def token_of(path: Path) -> str:
    found = _TOKEN.search(path.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{path} has no token")
    return found[1]
