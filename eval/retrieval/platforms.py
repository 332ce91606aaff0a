"""The platform that is measured: the one that runs on a data folder, or one of its own that is thrown away."""

import random
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from cortex.adapters.local_tokens import LocalClaims
from cortex.cli.gateway import ADMINISTRATOR, Gateway, mint
from cortex.domain.credential import Role
from cortex.domain.errors import NotFound
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.ports import is_free
from cortex.runtime.local.report import report
from eval.local_platform import started

TOKEN_TTL = timedelta(hours=6)
ASKER = "asker@localhost"
PORTS = range(18_080, 28_080)


@dataclass(frozen=True, slots=True)
class Site:
    """Where a platform serves, and the data folder whose key signs tokens for it."""

    url: str
    data: Path

    def administrator(self, tenant: str) -> Gateway:
        return self._gateway(tenant, ADMINISTRATOR, Role.ADMIN)

    def asker(self, tenant: str) -> Gateway:
        """Somebody without any role but being there."""
        return self._gateway(tenant, ASKER, Role.MEMBER)

    def _gateway(self, tenant: str, email: str, role: Role) -> Gateway:
        return Gateway(self.url, mint(self.data, LocalClaims(tenant, email, role), TOKEN_TTL))


def running(data: Path) -> Site | None:
    """The platform that runs on that folder, if one does and has a gateway."""
    folder = data.expanduser().absolute()
    if not folder.is_dir():
        return None
    try:
        found = report(DataFolder(folder))
    except NotFound:
        return None
    return Site(found.url, folder) if found.url else None


@asynccontextmanager
async def own(environment: Mapping[str, str], *, port: int | None = None) -> AsyncIterator[Site]:
    """A platform on a folder of its own. Nothing of it is left."""
    with tempfile.TemporaryDirectory(prefix="cortex-eval-", ignore_cleanup_errors=True) as scratch:
        data = Path(scratch) / "data"
        async with started(data, port=port or free_port(), environment=environment) as platform:
            yield Site(platform.url, data)


def free_port() -> int:
    """By chance, so that two runs on one machine do not choose the same one."""
    source = random.SystemRandom()
    return next(port for port in source.sample(PORTS, len(PORTS)) if is_free(port))
