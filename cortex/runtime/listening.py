"""Where a service is listened for over HTTP, and under which names."""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from cortex.runtime.identity_settings import LOOPBACK, IdentitySettings

LOOPBACK_NAMES = frozenset({LOOPBACK, "localhost", "[::1]"})


@dataclass(frozen=True, slots=True)
class Listening:
    """Local tokens are accepted on loopback and nowhere else. `web_folder`: the built browser application."""

    port: int
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    web_folder: Path | None = None

    @property
    def url(self) -> str:
        """What browsers open."""
        return self.identity.public_url or f"http://{LOOPBACK}:{self.port}"

    @property
    def names(self) -> frozenset[str]:
        """The hosts that requests may name."""
        public = urlsplit(self.identity.public_url or "").hostname
        return LOOPBACK_NAMES | ({public} if public else set())
