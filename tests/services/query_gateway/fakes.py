"""Constructor fakes of the gateway's ports; each records what it was asked, and can be made to fail."""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from cortex.domain.acl import Asker
from cortex.domain.answer import Citation, Sentence, SourceLabel
from cortex.domain.credential import PERSONAL, Credential, Role, Scope
from cortex.domain.document import Block, BlockKind
from cortex.domain.encoding import Language, QueryEncoding
from cortex.domain.errors import Denied, NotFound, Transient
from cortex.domain.identity import (
    AnswerId,
    ChunkId,
    ContainerId,
    ConversationId,
    DocumentId,
    GroupId,
    PersonId,
    SourceId,
    TenantId,
)
from cortex.domain.query import EncodedQuery, source_numbers
from cortex.domain.vector import (
    ExactScores,
    HybridRequest,
    HybridResult,
    IndexFilters,
    PassageTerms,
    RevisionPage,
    ScoredPoint,
    SearchScope,
    SparseVector,
)
from cortex.ports.answer_store import AnswerEvent, AnswerRecord
from cortex.ports.audit_log import AuditEntry
from cortex.ports.authenticator import Presented
from cortex.ports.conversation_store import Conversation
from cortex.ports.document_reader import LiveDocument, Quotation, StoredChunk
from cortex.ports.generator import Ending, GenerationRequest
from cortex.ports.permission_engine import Check
from cortex.ports.reranker import Late

TENANT = TenantId(uuid.UUID(int=1))
SOURCE = SourceLabel(SourceId(uuid.UUID(int=2)), "files", "wiki")
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
TERMS = SparseVector((7,), (1.0,))
ENGLISH = Language("en", ("en",))
TOKENS = QueryEncoding(dense=bytes(4 * 8), token_vectors=bytes(4 * 8), token_ids=(1,))


def person(name: str) -> PersonId:
    return PersonId(uuid.uuid5(TENANT, name))


def auth(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {name}"}


class ManualClock:
    def __init__(self) -> None:
        self.time = NOON

    def now(self) -> datetime:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


class Authenticator:
    """The token is the person's name, and one person audits; `ann:read` is a key of Ann's with that scope alone."""

    async def authenticate(self, presented: Presented) -> Credential:
        name = presented.bearer()
        if name is None:
            raise Denied("Send Authorization: Bearer TOKEN.")
        if name == "expired":
            raise Denied("The token has expired.")
        name, _, key = name.partition(":")
        role = Role.AUDITOR if name == "auditor" else Role.MEMBER
        scopes = frozenset({Scope(key)}) if key else PERSONAL
        return Credential(TENANT, person(name), f"{name}@acme.example", role, scopes)


class Directory:
    def __init__(self) -> None:
        self.inactive: set[PersonId] = set()
        self.groups: dict[PersonId, frozenset[GroupId]] = {}

    async def expand(self, tenant: TenantId, who: PersonId) -> Asker:
        if who in self.inactive:
            raise NotFound
        return Asker(who, self.groups.get(who, frozenset()))

    async def person(self, tenant: TenantId, email: str) -> object:
        raise NotFound

    async def put_person(self, tenant: TenantId, email: str, *, name: str, guest: bool) -> object:
        raise NotFound

    async def put_group(self, *arguments: object, **named: object) -> GroupId:
        raise NotFound


class Models:
    def __init__(self) -> None:
        self.failing: Exception | None = None
        self.rerank_failing: Exception | None = None
        self.rerank_hangs = False
        self.supported = True
        self.rerank_calls = 0
        self.read: list[list[str]] = []
        self.cross_room = 1_000
        self.cross_failing: Exception | None = None

    async def encode_query(self, tenant: TenantId, text: str) -> EncodedQuery:
        if self.failing:
            raise self.failing
        return EncodedQuery(TERMS, ENGLISH, TOKENS, "model", self.supported)

    async def score(
        self, tenant: TenantId, *, query: EncodedQuery, embedded_sha256s: Sequence[str], groups: Sequence[int] = ()
    ) -> Late:
        self.rerank_calls += 1
        if self.rerank_failing:
            raise self.rerank_failing
        if self.rerank_hangs:
            await asyncio.Event().wait()
        return Late(tuple(0.5 for _ in embedded_sha256s))

    async def score_texts(self, tenant: TenantId, *, query: str, passages: Sequence[str]) -> list[float | None]:
        """The longer the better; no more than `cross_room`."""
        self.read.append(list(passages))
        if self.cross_failing:
            raise self.cross_failing
        return [float(len(text)) if n < self.cross_room else None for n, text in enumerate(passages)]


class Terms:
    version = "1"

    def encode_passage(self, text: str, language: str, *, average_terms: float = 1.0) -> PassageTerms:
        return PassageTerms(TERMS, 1)

    def encode_query(self, text: str, languages: Sequence[str]) -> SparseVector:
        return TERMS


class Languages:
    def detect(self, text: str) -> Language:
        return ENGLISH


@dataclass(frozen=True)
class Point:
    scored: ScoredPoint
    principals: frozenset[str]
    dense: float
    sparse: float


class Index:
    """Ranks by given scores; keeps the scope's filter itself, as the contract wants."""

    def __init__(self) -> None:
        self.points: dict[ChunkId, Point] = {}
        self.requests: list[HybridRequest] = []
        self.scopes: list[SearchScope] = []
        self.failing: Exception | None = None
        self.revoked_after_search = False

    async def search(self, scope: SearchScope, request: HybridRequest) -> HybridResult:
        self.scopes.append(scope)
        self.requests.append(request)
        if self.failing:
            raise self.failing
        inside = [p for p in self.points.values() if self._inside(scope, p) and _narrowed(request.filters, p)]
        dense = sorted(inside, key=lambda point: (-point.dense, str(point.scored.chunk_id)))
        sparse = [p for p in sorted(inside, key=lambda p: (-p.sparse, str(p.scored.chunk_id))) if p.sparse > 0]
        return HybridResult(
            [p.scored for p in dense[: request.limit]] if request.dense is not None else [],
            [p.scored for p in sparse[: request.limit]] if request.sparse is not None else [],
        )

    async def exact_scores(
        self,
        scope: SearchScope,
        chunk_ids: Collection[ChunkId],
        *,
        dense: Sequence[float] | None,
        sparse: SparseVector | None,
    ) -> Mapping[ChunkId, ExactScores]:
        self.scopes.append(scope)
        if self.revoked_after_search:
            return {}
        found = {c: self.points[c] for c in chunk_ids if self._inside(scope, self.points[c])}
        return {c: ExactScores(p.dense if dense else 0.0, p.sparse if sparse else 0.0) for c, p in found.items()}

    def _inside(self, scope: SearchScope, point: Point) -> bool:
        return scope.tenant_id == TENANT and not scope.principals.isdisjoint(point.principals)

    async def revisions(self, tenant: TenantId, *, after: ChunkId | None, limit: int) -> RevisionPage:
        return RevisionPage([], None)

    async def count(self, tenant: TenantId) -> int:
        return len(self.points)


def _narrowed(filters: IndexFilters, point: Point) -> bool:
    """By documents and places; other filters are the index's own matter."""
    scored = point.scored
    return (
        (not filters.document_ids or scored.document_id in filters.document_ids)
        and (not filters.source_ids or scored.source_id in filters.source_ids)
        and (not filters.container_ids or not filters.container_ids.isdisjoint(scored.container_ids))
    )


class Documents:
    def __init__(self) -> None:
        self.rows: dict[DocumentId, LiveDocument] = {}
        self.stored: dict[ChunkId, StoredChunk] = {}
        self.pages: dict[DocumentId, list[Block]] = {}
        self.labels = [SOURCE]
        self.token = "token-1"
        self.token_reads = 0
        self.quoted_calls: list[list[Quotation]] = []
        self.quoting_failing: Exception | None = None
        self.failing: Exception | None = None

    async def live(self, tenant: TenantId, documents: Sequence[DocumentId]) -> dict[DocumentId, LiveDocument]:
        if self.failing:
            raise self.failing
        return {document: self.rows[document] for document in documents if document in self.rows}

    async def chunks(self, tenant: TenantId, chunks: Sequence[ChunkId]) -> dict[ChunkId, StoredChunk]:
        return {chunk: self.stored[chunk] for chunk in chunks if chunk in self.stored}

    async def blocks(self, tenant: TenantId, document: DocumentId, revision: int) -> list[Block]:
        return self.pages[document]

    async def quoted(self, tenant: TenantId, quotations: Sequence[Quotation]) -> dict[DocumentId, list[Block]]:
        if self.quoting_failing:
            raise self.quoting_failing
        self.quoted_calls.append(list(quotations))
        return {
            one.document_id: [
                block
                for block in self.pages[one.document_id]
                if block.kind is BlockKind.HEADING
                or any(q.quote in block.text for q in quotations if q.document_id == one.document_id)
            ]
            for one in quotations
            if one.revision == self.rows[one.document_id].indexed_revision
        }

    async def sources(self, tenant: TenantId) -> list[SourceLabel]:
        return self.labels

    async def permission_token(self, tenant: TenantId, person: PersonId) -> str | None:
        self.token_reads += 1
        return self.token


class Permissions:
    """`denied` holds (document, permission); `failing` and `hangs` break it."""

    def __init__(self) -> None:
        self.denied: set[tuple[DocumentId | ContainerId, str]] = set()
        self.calls: list[tuple[PersonId, list[Check], str | None]] = []
        self.failing: Exception | None = None
        self.hangs = False

    async def write(self, updates: Sequence[object]) -> str:
        return ""

    async def check(
        self, tenant: TenantId, who: PersonId, checks: Sequence[Check], *, at_least_as_fresh: str | None
    ) -> list[bool]:
        self.calls.append((who, list(checks), at_least_as_fresh))
        if self.failing:
            raise self.failing
        if self.hangs:
            await asyncio.Event().wait()
        return [(check.id, check.permission) not in self.denied for check in checks]


class Objects:
    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    async def put(self, key: str, data: bytes) -> None:
        self.held[key] = data

    async def get(self, key: str) -> bytes:
        return self.held[key]

    async def delete(self, key: str) -> None:
        self.held.pop(key, None)

    async def keys(self, prefix: str) -> AsyncIterator[str]:
        for key in list(self.held):
            yield key


class Answers:
    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.records: dict[AnswerId, AnswerRecord] = {}
        self.conversations: dict[ConversationId, Conversation] = {}
        self.log: dict[AnswerId, dict[int, AnswerEvent]] = {}
        self.failing: Exception | None = None
        self.ended = asyncio.Event()

    async def create(
        self, tenant: TenantId, who: PersonId, answer: AnswerId, *, conversation_id: ConversationId, question: str
    ) -> None:
        now = self._clock.now()
        known = self.conversations.get(conversation_id)
        if known is not None and known.person_id != who:
            raise NotFound
        begun = known or Conversation(conversation_id, who, question, now, now)
        self.conversations[conversation_id] = replace(begun, updated_at=now)
        self.records[answer] = AnswerRecord(answer, conversation_id, who, question, "running", self._clock.now(), None)
        self.log[answer] = {}

    async def append(self, tenant: TenantId, answer: AnswerId, events: Sequence[AnswerEvent]) -> None:
        if self.failing:
            raise self.failing
        if events and answer not in self.log:
            raise NotFound
        for event in events:
            self.log[answer].setdefault(event.sequence, event)

    async def finish(self, tenant: TenantId, answer: AnswerId, *, state: str, record: Mapping[str, object]) -> None:
        if answer not in self.records:
            return
        self.records[answer] = replace(self.records[answer], state=state, record=json.dumps(record))
        self.ended.set()

    async def get(self, tenant: TenantId, who: PersonId, answer: AnswerId) -> AnswerRecord:
        record = self.records.get(answer)
        if record is None or record.person_id != who:
            raise NotFound
        return record

    async def events(self, tenant: TenantId, answer: AnswerId, *, after: int) -> list[AnswerEvent]:
        return [event for sequence, event in sorted(self.log[answer].items()) if sequence > after]


class Audit:
    def __init__(self) -> None:
        self.entries: list[AuditEntry] = []
        self.failing: Exception | None = None

    async def append(self, tenant: TenantId, entries: list[AuditEntry]) -> None:
        if self.failing:
            raise self.failing
        self.entries += entries


class Quoting:
    """Quotes every passage whole, one after the other; passes the gate before each."""

    def __init__(self) -> None:
        self.gate = asyncio.Semaphore(1_000)
        self.falsify = False
        self.failing: Exception | None = None
        self.ending: Ending | None = None
        self.closed = False
        self.asked: list[str] = []

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Sentence | Ending, None]:
        passages = request.passages
        self.asked.append(request.question)
        numbers = source_numbers(passages)
        try:
            for passage in passages:
                await self.gate.acquire()
                if self.failing:
                    raise self.failing
                text = "Nobody wrote this." if self.falsify else passage.text
                citation = Citation(
                    numbers[passage.document_id], text, passage.document_id, passage.chunk_id, passage.anchors[0]
                )
                yield Sentence(text, (citation,))
            silence = Ending(abstained=not passages, reason=None if passages else "not_found")
            yield self.ending or silence
        finally:
            self.closed = True


def down() -> Transient:
    return Transient("the engine is out of reach", retry_after_s=3.0)
