"""What a `files` source is told: which folder, what of it, and how much at a time."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from cortex.domain.acl import Acl, parse_acl
from cortex.domain.errors import Invalid

MIB = 1 << 20
NORMALISED_AS = "2"  # raised when `normalise` gives something else for the same bytes: every file is then read again

SCHEMA: Mapping[str, object] = {
    "type": "object",
    "required": ["path"],
    "additionalProperties": False,
    "properties": {
        "path": {"type": "string", "description": "Absolute path of the folder, as the connectors service sees it"},
        "acl": {"type": "object", "description": "Who may see the root folder, where it has no acl.yaml"},
        "include": {"type": "array", "items": {"type": "string"}, "description": "Patterns of files; * crosses /"},
        "exclude": {"type": "array", "items": {"type": "string"}, "description": "Patterns of files and folders"},
        "url_prefix": {"type": "string", "description": "Where people open the files; the path is appended"},
        "follow_symlinks": {"const": False, "description": "Links are never followed"},
        "bytes_max": {"type": "integer", "minimum": 1, "default": 32 * MIB, "description": "Of one file"},
        "page_size": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50, "description": "Changes a page"},
        "every_s": {"type": "integer", "minimum": 10, "default": 300, "description": "Time between two syncs"},
    },
}


@dataclass(frozen=True, slots=True)
class FilesConfig:
    path: Path
    acl: Acl | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    url_prefix: str | None = None
    bytes_max: int = 32 * MIB
    page_size: int = 50
    page_bytes: int = 8 * MIB

    def takes_file(self, path: str) -> bool:
        return (not self.include or _matches(path, self.include)) and not _matches(path, self.exclude)

    def takes_folder(self, path: str) -> bool:
        return not _matches(path, self.exclude)

    def digest(self) -> str:
        """Of what besides a file's own bytes goes into its document."""
        return hashlib.sha256(f"{NORMALISED_AS}\x00{self.url_prefix}".encode()).hexdigest()[:8]


def _matches(path: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def _patterns(config: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = config.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise Invalid(f"config.{key}: expected a list of patterns such as '*.md'")
    return tuple(value)


def _number(config: Mapping[str, object], key: str, *, default: int, most: int) -> int:
    value = config.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise Invalid(f"config.{key}: expected a whole number from 1 to {most}")
    return value


def _text(config: Mapping[str, object], key: str) -> str | None:
    value = config.get(key)
    if value is not None and not isinstance(value, str):
        raise Invalid(f"config.{key}: expected a text")
    return value or None


def parse_config(config: Mapping[str, object]) -> FilesConfig:
    """Raises Invalid with the key and the mend."""
    known = SCHEMA["properties"]
    assert isinstance(known, Mapping)
    if unknown := sorted(str(key) for key in config if key not in known):
        raise Invalid(f"config: unknown key {unknown[0]!r}; known: {', '.join(sorted(known))}")
    path = _text(config, "path")
    if path is None or not Path(path).is_absolute():
        raise Invalid("config.path: expected the absolute path of a folder")
    if config.get("follow_symlinks", False) is not False:
        raise Invalid(
            "config.follow_symlinks: only false: through a link, a file would get the permissions of a folder that it "
            "does not lie in; add a second source for what the links point to"
        )
    url_prefix = _text(config, "url_prefix")
    if url_prefix is not None and not url_prefix.startswith(("https://", "http://")):
        raise Invalid("config.url_prefix: expected an address that starts with https:// or http://")
    return FilesConfig(
        path=Path(path),
        acl=parse_acl(config["acl"], place="config.acl") if config.get("acl") is not None else None,
        include=_patterns(config, "include"),
        exclude=_patterns(config, "exclude"),
        url_prefix=url_prefix,
        bytes_max=_number(config, "bytes_max", default=32 * MIB, most=1024 * MIB),
        page_size=_number(config, "page_size", default=50, most=1000),
    )
