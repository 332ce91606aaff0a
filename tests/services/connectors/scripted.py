"""A connector that does what it is told."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from cortex.domain.acl import NOTHING_OF_ITS_OWN
from cortex.domain.change import Change, ContainerState, Cursor, DocumentState, Failure, Upsert, UpsertContainer
from cortex.ports.connector import Capabilities, Config, ConnectorSpec, Deletes, KnownDocuments

SPEC = ConnectorSpec("scripted", "1", Capabilities(incremental=False, deletes=Deletes.SWEEP, acl=False), {})


def document(name: str) -> DocumentState:
    return DocumentState(name, name.encode(), name, None, None, None, None, None, None, ".", None)


@dataclass
class Scripted:
    """`pages` pages of one document each. `errors` are raised, one a call, before anything is fetched."""

    pages: int = 1
    errors: list[BaseException] = field(default_factory=list)
    passes: int = 0
    gate: asyncio.Event | None = None
    entered: asyncio.Event = field(default_factory=asyncio.Event)
    spec = SPEC

    async def check(self, config: Config) -> list[str]:
        return []

    async def fetch(
        self, config: Config, *, cursor: str | None, known: KnownDocuments, full: bool
    ) -> AsyncGenerator[Change, None]:
        page = int(cursor or 0)
        self.passes += page == 0
        self.entered.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.errors:
            raise self.errors.pop(0)
        yield UpsertContainer(ContainerState(".", None, NOTHING_OF_ITS_OWN))
        yield Upsert(document(f"{page}.md"))
        yield Failure("bad.md", "bad.md", "cannot be read")
        yield Cursor(str(page + 1), done=page + 1 == self.pages, seen=1)
