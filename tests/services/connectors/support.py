"""A source in a temporary folder, and passes over it without Temporal."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cortex.domain.change import Failure
from cortex.domain.identity import tenant_id
from cortex.ports.source_store import Run, Source
from cortex.ports.sync_control import RunKind
from cortex.testing.sources import MemorySources
from services.connectors.page import Syncing
from services.connectors.registry import Connectors
from services.connectors.sources.files import FilesConnector
from services.connectors.sources.files.reach import Reach
from services.connectors.sources.files.source import OpenTree
from services.connectors.sources.files.tree import LocalTree

TENANT = tenant_id("acme")
PAGES_MAX = 10_000


@dataclass
class Folder:
    """A `files` source over `root`, and what Cortex holds of it."""

    root: Path
    sources: MemorySources = field(default_factory=MemorySources)
    open_tree: Callable[[Path], OpenTree] = LocalTree
    steps_max: int = 1000
    config: dict[str, object] = field(default_factory=dict)
    runs: Iterator[int] = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        config = {"path": str(self.root), "acl": {"public": "tenant"}} | self.config
        self.source: Source = self.sources.add(TENANT, name="drive", config=config)

    def write(self, path: str, text: str | bytes = "text\n") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    @property
    def connectors(self) -> Connectors:
        return {"files": FilesConnector(self.open_tree, reach=Reach(), steps_max=self.steps_max)}

    @property
    def syncing(self) -> Syncing:
        return Syncing(self.sources, self.sources, self.connectors)

    async def sync(self, kind: RunKind = RunKind.INCREMENTAL) -> Run:
        """One whole pass."""
        run_id = f"run-{next(self.runs)}"
        await self.sources.start_run(TENANT, self.source.id, run_id, kind=kind)
        for _ in range(PAGES_MAX):
            if await self.syncing.page(TENANT, self.source.id, run_id):
                break
        else:
            raise AssertionError("the pass does not end")
        await self.sources.finish_run(TENANT, run_id, error=None)
        return await self.sources.run(TENANT, run_id)

    def paths(self) -> list[str]:
        return sorted(self.sources.documents(self.source))

    def failures(self, run: Run) -> list[Failure]:
        return self.sources.failures(TENANT, run.id)

    def places(self, run: Run) -> list[str]:
        return sorted(failure.place for failure in self.failures(run))
