"""The demo company's files, typed: people, groups, sources and questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from cortex.domain.errors import Invalid

FOLDER = Path(__file__).parents[3] / "demo"


@dataclass(frozen=True, slots=True)
class DemoPerson:
    email: str
    name: str
    title: str
    guest: bool


@dataclass(frozen=True, slots=True)
class DemoGroup:
    id: str
    name: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DemoSource:
    name: str
    title: str
    folder: Path


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """`expect` are paths `SOURCE/PATH`, one of which must be cited among the first three; `must_not` never."""

    id: str
    question: str
    asker: str
    abstain: bool
    expect: tuple[str, ...]
    must_not: tuple[str, ...]
    answer_contains: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DemoCompany:
    name: str
    people: tuple[DemoPerson, ...]
    groups: tuple[DemoGroup, ...]
    sources: tuple[DemoSource, ...]
    questions: tuple[DemoQuestion, ...]

    def person(self, email: str) -> DemoPerson:
        return next(person for person in self.people if person.email == email)


def load(folder: Path = FOLDER) -> DemoCompany:
    """Raises Invalid when the folder is not there: it comes with the repository, not with the package."""
    if not (folder / "company.yaml").is_file():
        raise Invalid(f"{folder}: the demo company is not here; run `cortex demo` from a clone of the repository")
    company = _read(folder / "company.yaml")
    return DemoCompany(
        name=str(company["name"]),
        people=tuple(
            DemoPerson(str(p["email"]), str(p["name"]), str(p.get("title", "")), bool(p.get("guest", False)))
            for p in _rows(company["people"])
        ),
        groups=tuple(DemoGroup(str(g["id"]), str(g["name"]), _texts(g["members"])) for g in _rows(company["groups"])),
        sources=tuple(_source(path) for path in sorted((folder / "sources").glob("*.yaml"))),
        questions=tuple(_question(entry) for entry in _rows(yaml.safe_load(_text(folder / "questions.yaml")))),
    )


def _source(path: Path) -> DemoSource:
    fields = _read(path)
    return DemoSource(str(fields["name"]), str(fields["title"]), path.with_suffix("").absolute())


def _question(entry: Mapping[str, object]) -> DemoQuestion:
    return DemoQuestion(
        id=str(entry["id"]),
        question=str(entry["question"]),
        asker=str(entry["asker"]),
        abstain=bool(entry.get("abstain", False)),
        expect=_texts(entry.get("expect", [])),
        must_not=_texts(entry.get("must_not", [])),
        answer_contains=_texts(entry.get("answer_contains", [])),
    )


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _read(path: Path) -> Mapping[str, object]:
    found = yaml.safe_load(_text(path))
    if not isinstance(found, dict):
        raise Invalid(f"{path}: expected a mapping")
    return found


def _rows(value: object) -> list[Mapping[str, object]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in value) if isinstance(value, list) else ()
