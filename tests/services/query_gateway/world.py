"""A small tenant in memory, with the gateway around it."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime

import httpx
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from cortex.domain.answer import SourceLabel
from cortex.domain.chunk import Chunk, Span
from cortex.domain.document import Anchor, Block, BlockKind
from cortex.domain.identity import ChunkId, ContainerId, DocumentId
from cortex.domain.vector import (
    ScoredPoint,
)
from cortex.ports.document_reader import LiveDocument, StoredChunk
from cortex.ports.tracer import Tracer
from cortex.runtime.edge.untraced import Untraced
from services.query_gateway.health import Probe
from services.query_gateway.http import Ports, create_app
from services.query_gateway.settings import Settings
from tests.services.query_gateway.fakes import (
    NOON,
    SOURCE,
    TENANT,
    Answers,
    Audit,
    Authenticator,
    Directory,
    Documents,
    Index,
    Languages,
    ManualClock,
    Models,
    Objects,
    Permissions,
    Point,
    Quoting,
    Terms,
    auth,
)
from tests.services.query_gateway.keeping import (
    Conversations,
    Feedback,
    Narrowing,
    Profiles,
    Suggested,
    SynonymGroups,
)


@dataclass
class World:
    """Everyone may see every document until a test says otherwise."""

    settings: Settings = field(default_factory=Settings)
    clock: ManualClock = field(default_factory=ManualClock)
    directory: Directory = field(default_factory=Directory)
    models: Models = field(default_factory=Models)
    index: Index = field(default_factory=Index)
    documents: Documents = field(default_factory=Documents)
    permissions: Permissions = field(default_factory=Permissions)
    objects: Objects = field(default_factory=Objects)
    audit: Audit = field(default_factory=Audit)
    generator: Quoting = field(default_factory=Quoting)
    tracer: Tracer = field(default_factory=Untraced)
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    probes: dict[str, Probe] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.answers = Answers(self.clock)
        self.conversations = Conversations(self.answers)
        self.narrowing = Narrowing(self.documents)
        self.synonyms = SynonymGroups()
        self.feedback = Feedback(self.answers)

    def add(
        self,
        name: str,
        text: str,
        *,
        score: float = 0.5,
        revision: int = 1,
        indexed: int = 1,
        principals: frozenset[str] = frozenset(["t"]),
        updated_at: datetime | None = NOON,
        title: str | None = None,
        ordinal: int = 0,
        url: str | None = None,
        mime: str = "text/markdown",
        containers: tuple[ContainerId, ...] = (),
        source: SourceLabel = SOURCE,
        author: str = "Ann",
    ) -> DocumentId:
        """One more chunk of the document; the first call makes the document."""
        document = DocumentId(uuid.uuid5(TENANT, name))
        chunk_id = ChunkId(uuid.uuid5(document, f"{revision}/{ordinal}"))
        self.documents.rows.setdefault(
            document,
            LiveDocument(
                document_id=document,
                source=source,
                external_id=f"{name}.md",
                title=title or name,
                url=url if url is not None else f"https://wiki.acme.example/{name}",
                author=author,
                mime=mime,
                created_at=updated_at,
                updated_at=updated_at,
                indexed_revision=indexed,
                raw_key=f"raw/{name}",
            ),
        )
        self.objects.held[f"raw/{name}"] = text.encode()
        self.documents.pages.setdefault(document, []).append(Block(ordinal, BlockKind.PARAGRAPH, text))
        chunk = Chunk(ordinal, text, (Span(ordinal, 0, len(text)),), (), "en", 9)
        anchors = (Anchor(revision, ordinal, 0, len(text)),)
        self.documents.stored[chunk_id] = StoredChunk(chunk_id, document, revision, chunk, anchors)
        scored = ScoredPoint(
            chunk_id=chunk_id,
            document_id=document,
            revision=revision,
            acl_revision=1,
            source_id=source.id,
            source_type=source.type,
            container_ids=containers,
            embedded_sha256=f"{name}/{ordinal}",
            language="en",
            updated_at=updated_at,
            score=score,
        )
        self.index.points[chunk_id] = Point(scored, principals, score, score)
        return document

    def many(self, count: int, *, word: str = "number") -> list[DocumentId]:
        """Documents in falling order of score."""
        return [self.add(f"doc-{n:03}", f"Text {word} {n}.", score=1.0 - n / 1000) for n in range(count)]

    def app(self) -> FastAPI:
        """A process of its own: tasks and metrics are new, the stores stay."""
        self.registry = CollectorRegistry()
        ports = Ports(
            authenticator=Authenticator(),
            directory=self.directory,  # type: ignore[arg-type]  # people are not looked up by the gateway
            models=self.models,
            terms=Terms(),
            languages=Languages(),
            index=self.index,
            documents=self.documents,
            permissions=self.permissions,
            objects=self.objects,
            answers=self.answers,
            conversations=self.conversations,
            shares=self.conversations,
            feedback=self.feedback,
            suggestions=Suggested(self.documents),
            narrowing=self.narrowing,
            synonyms=self.synonyms,
            profiles=Profiles(),
            audit=self.audit,
            generator=self.generator,
            clock=self.clock,
            registry=self.registry,
            probes=self.probes,
            tracer=self.tracer,
        )
        return create_app(ports, self.settings)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[FastAPI]:
        app = self.app()
        async with app.router.lifespan_context(app):
            yield app

    @asynccontextmanager
    async def client(self, name: str = "ann") -> AsyncIterator[httpx.AsyncClient]:
        """Whole responses; `Stream` reads events as they come."""
        async with self.running() as app, client_of(app, name) as client:
            yield client

    def dropped(self, reason: str) -> float:
        value = self.registry.get_sample_value("cortex_gateway_candidates_dropped_total", {"reason": reason})
        return value or 0.0


def client_of(app: FastAPI, name: str = "ann") -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080", headers=auth(name))
