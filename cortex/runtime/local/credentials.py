"""Passwords and keys of the local servers: generated once, kept in `secrets.json`, readable by the owner alone."""

import json
import secrets
from dataclasses import asdict, dataclass, field, fields

from cortex.domain.errors import Invalid
from cortex.runtime.local.folder import DataFolder, write_private


def _generate() -> str:
    return secrets.token_hex(24)  # letters and digits: needs no quoting in any address or configuration file


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Credentials:
    postgres_admin: str = field(default_factory=_generate)
    postgres_service: str = field(default_factory=_generate)
    postgres_replay: str = field(default_factory=_generate)
    nats: str = field(default_factory=_generate)
    valkey: str = field(default_factory=_generate)
    spicedb: str = field(default_factory=_generate)
    qdrant: str = field(default_factory=_generate)
    # Signs what Cortex's own processes say to each other about tenant and asker.
    internal: str = field(default_factory=_generate)


def load_or_create(folder: DataFolder) -> Credentials:
    """What is stored; a credential that a newer version of Cortex wants is generated and added."""
    path = folder.credentials_file
    stored: dict[str, str] = {}
    if path.exists():
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise Invalid(f"{path} is not JSON: restore it, or move the data folder away to start anew") from error
        names = {entry.name for entry in fields(Credentials)}
        stored = {name: str(value) for name, value in content.items() if name in names}
    credentials = Credentials(**stored)
    if asdict(credentials) != stored:
        write_private(path, json.dumps(asdict(credentials), indent=2))
    return credentials
