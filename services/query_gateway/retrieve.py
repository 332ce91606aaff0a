"""The path from a question to passages that the asker may open (architecture section 7, "Ask")."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from cortex.domain.acl_index import asker_tokens
from cortex.domain.answer import Passage
from cortex.domain.chunk import embedded_text
from cortex.domain.credential import Reader
from cortex.domain.encoding import unpack_floats
from cortex.domain.errors import Exhausted, Transient
from cortex.domain.fusion import Fusion
from cortex.domain.identity import ChunkId
from cortex.domain.query import EncodedQuery, Found, Mode, Query, Retrieval
from cortex.domain.vector import ExactScores, HybridRequest, HybridResult, ScoredPoint, SearchScope
from cortex.ports.document_reader import DocumentReader, StoredChunk
from cortex.ports.query_models import QueryModels
from cortex.ports.reranker import Late
from cortex.ports.vector_index import VectorReader
from services.query_gateway.admission import Admission, Admitted
from services.query_gateway.deadline import both, within
from services.query_gateway.encode import QueryEncoder
from services.query_gateway.folders import openable_filters
from services.query_gateway.freshness import fresher
from services.query_gateway.metrics import Metrics
from services.query_gateway.narrowing import Holding
from services.query_gateway.pool import Candidate, Plan, full, plan, union
from services.query_gateway.present import place_in_source
from services.query_gateway.ranking import rank, rank_lists, reordered
from services.query_gateway.settings import RetrievalSettings
from services.query_gateway.stages import Stages
from services.query_gateway.visibility import Visibility


@dataclass(frozen=True, slots=True)
class _Asked:
    """What stays the same through one query."""

    reader: Reader
    query: Query
    encoded: EncodedQuery
    plan: Plan
    scope: SearchScope


class Retriever:
    """One object a process; holds no state of a query."""

    def __init__(
        self,
        *,
        encoder: QueryEncoder,
        models: QueryModels,
        index: VectorReader,
        documents: DocumentReader,
        visibility: Visibility,
        metrics: Metrics,
        settings: RetrievalSettings,
    ) -> None:
        self._encoder = encoder
        self._models = models
        self._index = index
        self._documents = documents
        self._visibility = visibility
        self._metrics = metrics
        self._settings = settings
        self._holding = Holding(documents, timeout_s=settings.search_timeout_s)

    async def retrieve(
        self, reader: Reader, query: Query, *, needed: int, stages: Stages, everything: bool = False
    ) -> Retrieval:
        """At least `needed` documents if there are that many; with `everything`, all of the first pool (for facets).

        Raises Transient when the index, the document store or the permission engine cannot be asked.
        """
        query = replace(query, filters=await openable_filters(self._visibility, reader, query.filters))
        with stages.stage("encode"):
            encoded = await self._encoder.encode(reader.tenant_id, query.text, query.mode)
        chosen = plan(query.mode, encoded)
        asked = _Asked(reader, query, encoded, chosen, SearchScope(reader.tenant_id, asker_tokens(reader.asker)))
        degraded = set[str]()
        if query.mode is not Mode.LEXICAL and encoded.tokens is None:
            degraded.add("dense")
        admission = Admission(
            self._visibility,
            self._metrics,
            reader,
            batch=self._settings.batch,
            candidates_max=self._settings.candidates_max,
            as_of=query.as_of,
        )
        read_again = self._settings.cross_documents if query.mode is Mode.HYBRID else 0
        needed = max(needed, read_again)
        await self._admit(asked, admission, needed=needed, everything=everything, stages=stages, degraded=degraded)
        with stages.stage("assemble"):
            found = await self._passages(reader, list(admission.admitted.values()), query.passages_per_document)
        if read_again and found:
            with stages.stage("cross"):
                found = await self._read_again(asked, found, read_again, degraded)
        for part in degraded:
            self._metrics.degraded(part)
        return Retrieval(found, tuple(sorted(degraded)), encoded.language)

    async def _admit(
        self,
        asked: _Asked,
        admission: Admission,
        *,
        needed: int,
        everything: bool,
        stages: Stages,
        degraded: set[str],
    ) -> None:
        """The first pool, and one deeper query if it runs dry."""
        for limit in (self._settings.arm_limit, self._settings.deep_arm_limit):
            first = limit == self._settings.arm_limit  # that there is a second says how much was hidden
            with stages.stage("search", told=first):
                result = await self._search(asked, limit)
            ranked = await self._ranked(asked, result, stages, degraded, told=first)
            aged = fresher(ranked, asked.query.now)
            kept = await self._holding.kept(asked.reader, aged, asked.query.wanted)
            with stages.stage("recheck", told=False):
                await admission.walk(kept, needed=self._settings.candidates_max if everything else needed)
            if len(admission.admitted) >= needed or admission.spent or not full(result, limit=limit):
                return

    async def _search(self, asked: _Asked, limit: int) -> HybridResult:
        request = HybridRequest(
            dense=_dense(asked),
            sparse=asked.encoded.sparse if asked.plan.lexical else None,
            limit=limit,
            filters=asked.query.filters,
        )
        async with within(self._settings.search_timeout_s, "the index"):
            return await self._index.search(asked.scope, request)

    async def _ranked(
        self, asked: _Asked, result: HybridResult, stages: Stages, degraded: set[str], *, told: bool
    ) -> list[Candidate]:
        points = union(result, limit=self._settings.pool_max)
        if asked.plan.fusion is not Fusion.SCORES:
            return rank_lists(points, result, asked.plan)
        return await self._rank(asked, points, stages, degraded, told=told)

    async def _rank(
        self, asked: _Asked, points: list[ScoredPoint], stages: Stages, degraded: set[str], *, told: bool
    ) -> list[Candidate]:
        """Exact scores of both arms for the whole union, beside the token vectors' scores."""
        if not points:
            return []
        with stages.stage("rerank", told=told):
            exact, late = await both(self._exact(asked, points), self._late_interaction(asked, points))
            if late is None and asked.plan.rerank:
                degraded.add("rerank")
            return rank(points, exact, late, asked.plan)

    async def _exact(self, asked: _Asked, points: list[ScoredPoint]) -> Mapping[ChunkId, ExactScores]:
        async with within(self._settings.search_timeout_s, "the index"):
            return await self._index.exact_scores(
                asked.scope,
                [point.chunk_id for point in points],
                dense=_dense(asked),
                sparse=asked.encoded.sparse if asked.plan.lexical else None,
            )

    async def _late_interaction(self, asked: _Asked, points: list[ScoredPoint]) -> Late | None:
        """None where it is not wanted, failed or was late: the order of the arms stands without it."""
        if not asked.plan.rerank:
            return None
        hashes = [point.embedded_sha256 for point in points]
        numbers = {document: n for n, document in enumerate(dict.fromkeys(point.document_id for point in points))}
        groups = [numbers[point.document_id] for point in points]
        try:
            async with within(self._settings.rerank_timeout_s, "the reranker"):
                return await self._models.score(
                    asked.reader.tenant_id, query=asked.encoded, embedded_sha256s=hashes, groups=groups
                )
        except (Transient, Exhausted):
            return None

    async def _read_again(
        self, asked: _Asked, found: tuple[Found, ...], count: int, degraded: set[str]
    ) -> tuple[Found, ...]:
        """The first ones in the order of the cross-encoder. It sees what the asker may open and nothing else."""
        texts = [_as_text(one.best) for one in found[:count]]
        try:
            async with within(self._settings.cross_timeout_s, "the cross-encoder"):
                scores = await self._models.score_texts(asked.reader.tenant_id, query=asked.query.text, passages=texts)
        except (Transient, Exhausted):
            degraded.add("rerank")
            return found
        if None in scores:
            degraded.add("rerank")
        return reordered(found, scores)

    async def _passages(self, reader: Reader, admitted: list[Admitted], per_document: int) -> tuple[Found, ...]:
        """Texts of the best passages; a chunk that went away meanwhile is left out."""
        wanted = [c.point.chunk_id for entry in admitted for c in entry.candidates[:per_document]]
        async with within(self._settings.search_timeout_s, "the document store"):
            chunks = await self._documents.chunks(reader.tenant_id, wanted)
        found = []
        for entry in admitted:
            passages = tuple(
                _passage(entry, candidate, chunks[candidate.point.chunk_id])
                for candidate in entry.candidates[:per_document]
                if _belongs(entry, chunks.get(candidate.point.chunk_id))
            )
            if passages:
                point = entry.candidates[0].point
                found.append(Found(entry.live.document_id, passages, point.container_ids))
        return tuple(found)


def _as_text(passage: Passage) -> str:
    return embedded_text(passage.title, passage.heading_path, passage.text)


def _dense(asked: _Asked) -> tuple[float, ...] | None:
    tokens = asked.encoded.tokens
    return unpack_floats(tokens.dense) if tokens is not None and asked.plan.dense else None


def _belongs(entry: Admitted, stored: StoredChunk | None) -> bool:
    return (
        stored is not None
        and stored.document_id == entry.live.document_id
        and stored.revision == entry.live.indexed_revision
    )


def _passage(entry: Admitted, candidate: Candidate, stored: StoredChunk) -> Passage:
    live = entry.live
    return Passage(
        chunk_id=stored.chunk_id,
        document_id=live.document_id,
        revision=stored.revision,
        title=live.title,
        url=live.url,
        source=live.source,
        author=live.author,
        updated_at=live.updated_at,
        language=stored.chunk.language,
        heading_path=stored.chunk.heading_path,
        text=stored.chunk.text,
        anchors=stored.anchors,
        score=candidate.score,
        scores=candidate.scores,
        place=place_in_source(live),
    )
