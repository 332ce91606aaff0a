"""A platform of its own for a measurement, on a data folder that is thrown away."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from cortex.adapters.local_tokens import LocalClaims
from cortex.cli.gateway import ADMINISTRATOR, TENANT, Gateway, mint
from cortex.domain.credential import Role
from cortex.runtime.local import PlatformOptions, platform
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.platform import RunningPlatform
from cortex.runtime.local.report import PlatformReport, report

TOKEN_TTL = timedelta(hours=2)
MODELS = Path(__file__).absolute().parents[1] / ".cortex" / "models"


@dataclass(frozen=True, slots=True)
class LocalPlatform:
    running: RunningPlatform
    data: Path
    url: str

    def gateway(self, *, email: str = ADMINISTRATOR, role: Role = Role.MEMBER) -> Gateway:
        return Gateway(self.url, mint(self.data, LocalClaims(TENANT, email, role), TOKEN_TTL))

    def report(self) -> PlatformReport:
        """State and memory of every process."""
        return report(DataFolder(self.data))


@asynccontextmanager
async def started(
    data: Path, *, port: int, environment: Mapping[str, str], disposable: bool = True
) -> AsyncIterator[LocalPlatform]:
    """The model is that of the repository, unless `environment` names another. `disposable`: nothing is kept."""
    variables = {"CORTEX_MODELS_DIR": str(MODELS), **environment}
    options = PlatformOptions(data=data, port=port, environment=variables, disposable=disposable)
    async with platform(options) as running:
        yield LocalPlatform(running, data, f"http://127.0.0.1:{port}")
