"""The list of collections and aliases on disk, replaced in one step.

It keeps the requests that made each collection, as they came: the engine remembers too little of them to answer
for a collection's configuration. Names never become paths.
"""

import base64
import binascii
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

VERSION = 1


class ManifestDamaged(Exception):
    """The file is not what `save` writes; the message names it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """`create` and the values of `indexes` are serialised protobuf requests."""

    directory: str
    create: bytes
    indexes: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Manifest:
    collections: Mapping[str, Entry] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)


def load(path: Path) -> Manifest:
    if not path.exists():
        return Manifest()
    try:
        stored = json.loads(path.read_text())
        if stored["version"] != VERSION:
            raise ManifestDamaged(f"{path} has version {stored['version']}; this server reads {VERSION}")
        return Manifest(
            collections={
                name: Entry(
                    directory=entry["directory"],
                    create=base64.b64decode(entry["create"], validate=True),
                    indexes={key: base64.b64decode(value, validate=True) for key, value in entry["indexes"].items()},
                )
                for name, entry in stored["collections"].items()
            },
            aliases=dict(stored["aliases"]),
        )
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError, binascii.Error) as error:
        raise ManifestDamaged(f"{path} cannot be read: {error}") from error


def save(path: Path, manifest: Manifest) -> None:
    """Old or new, whatever happens in between: written beside, synced, renamed over."""
    stored = {
        "version": VERSION,
        "collections": {
            name: {
                "directory": entry.directory,
                "create": base64.b64encode(entry.create).decode(),
                "indexes": {key: base64.b64encode(value).decode() for key, value in entry.indexes.items()},
            }
            for name, entry in manifest.collections.items()
        },
        "aliases": dict(manifest.aliases),
    }
    beside = path.with_suffix(".new")
    with beside.open("w") as file:
        json.dump(stored, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
