"""`acl.yaml`: who may see a folder and, under `files`, single files of it. Any doubt hides what it is about.

The keys are those of contracts (allow, deny, all_of, public, complete, inherit). A mistake in the folder's own keys
hides the folder; one in a file's entry hides that file; an entry for a file that is not there hides the files that
have none, since one of them may be the one that was meant.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cortex.domain.acl import Acl, AclOf, parse_acl
from cortex.domain.errors import Invalid
from services.connectors.sources.files.plain_yaml import At, Item, Plain, load_mapping

NAME = "acl.yaml"
HIDDEN: Acl = AclOf(complete=False)
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Problem:
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class FolderAcl:
    """`own` is None where the folder says nothing; `rest` is for files that `files` does not name."""

    own: Acl | None = None
    files: Mapping[str, Acl] = field(default_factory=dict)
    rest: Acl | None = None
    problems: tuple[Problem, ...] = ()

    def of_file(self, name: str) -> Acl | None:
        return self.files.get(name, self.rest)


def hidden(message: str, *, line: int = 1) -> FolderAcl:
    """The whole folder, hidden."""
    return FolderAcl(own=HIDDEN, rest=HIDDEN, problems=(Problem(line, message),))


def read_acl(data: bytes, *, files: Iterable[str]) -> FolderAcl:
    """What `data` says of a folder that holds `files`. Never raises."""
    try:
        items = load_mapping(data)
    except At as error:
        return hidden(str(error), line=error.line)
    entries = items.pop("files", None)
    try:
        own = _acl(items) if items else None
    except At as error:
        return hidden(str(error), line=error.line)
    if entries is None:
        return FolderAcl(own=own)
    if not isinstance(entries.value, dict):
        return hidden("files: expected file names with their keys", line=entries.key_line)
    return _with_files(own, entries.items, frozenset(files))


def _with_files(own: Acl | None, entries: Mapping[str, Item], present: frozenset[str]) -> FolderAcl:
    acls: dict[str, Acl] = {}
    problems: list[Problem] = []
    rest: Acl | None = None
    for name, item in entries.items():
        if name not in present:
            rest = HIDDEN
            message = f"files: no file {name!r} in this folder; until this is mended, files without an entry are hidden"
            problems.append(Problem(item.key_line, message))
            continue
        try:
            if not isinstance(item.value, dict):
                raise At(item.key_line, "expected keys such as allow: [...]")
            acls[name] = _acl(item.items)
        except At as error:
            acls[name] = HIDDEN
            problems.append(Problem(error.line, f"files: {name!r}: {error}; the file is hidden"))
    return FolderAcl(own, acls, rest, tuple(problems))


def _acl(items: Mapping[str, Item]) -> Acl:
    """Key by key first, so that a mistake has a line."""
    for key, item in items.items():
        _checked(key, item)
    return parse_acl({key: _typed(key, item.value) for key, item in items.items()})


def _checked(key: str, item: Item) -> None:
    try:
        parse_acl({key: _typed(key, item.value)})
    except Invalid as error:
        raise At(_line(key, item), str(error).removeprefix("acl.").removeprefix("acl: ")) from error


def _line(key: str, item: Item) -> int:
    """Of the first item of a list that is wrong by itself, else of the key."""
    if isinstance(item.value, list):
        for line, value in zip(item.lines, item.value, strict=True):
            try:
                parse_acl({key: [value]})
            except Invalid:
                return line
    return item.key_line


def _typed(key: str, value: Plain) -> object:
    return _BOOLEANS.get(value, value) if key == "complete" and isinstance(value, str) else value
