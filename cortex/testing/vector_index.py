"""The contract of the vector index: subclass both classes where there are fixtures `index` and `collection`.

Server and collection may be shared: every test makes tenants of its own.
"""

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.domain.errors import Conflict, Invalid, NotFound
from cortex.domain.identity import ChunkId, ContainerId, DocumentId, PersonId, SourceId, TenantId, chunk_id
from cortex.domain.vector import (
    ACL_CLAUSES_MAX,
    EVERYONE,
    CollectionSpec,
    HybridRequest,
    HybridResult,
    IndexAcl,
    IndexFilters,
    IndexMetadata,
    IndexPoint,
    SearchScope,
    SparseVector,
)
from cortex.ports.vector_index import VectorCollections, VectorPayloadWriter, VectorReader, VectorWriter

DIMENSIONS = 4
ALICE, BOB, STAFF, BOARD = (f"{kind}:{uuid.UUID(int=number)}" for number, kind in enumerate("ppgg"))
PRINCIPALS = (ALICE, BOB, STAFF, BOARD, "t")
PUBLIC = IndexAcl(clauses=(), deny=frozenset())
QUESTION = HybridRequest(dense=[1.0, 0.0, 0.0, 0.0], sparse=SparseVector([1], [1.0]), limit=100)


class Writer(VectorWriter, VectorPayloadWriter, Protocol):
    """Both ways of writing, as every adapter offers them."""


class Index(Protocol):
    """How an adapter gives its ports."""

    def collections(self) -> VectorCollections: ...

    def writer(self, collection: str) -> Writer: ...

    def reader(self, collection: str) -> VectorReader: ...


def new_tenant() -> TenantId:
    return TenantId(uuid.uuid4())


def new_document() -> DocumentId:
    return DocumentId(uuid.uuid4())


def acl(*clauses: str, deny: Sequence[str] = ()) -> IndexAcl:
    """One principal a clause."""
    return IndexAcl(clauses=tuple(frozenset({token}) for token in clauses), deny=frozenset(deny))


def point(
    tenant: TenantId,
    document: DocumentId,
    *,
    revision: int = 1,
    ordinal: int = 0,
    access: IndexAcl = PUBLIC,
    sparse: SparseVector | None = None,
) -> IndexPoint:
    """A chunk that QUESTION finds in both arms."""
    return IndexPoint(
        chunk_id=chunk_id(document, revision, ordinal),
        tenant_id=tenant,
        document_id=document,
        revision=revision,
        ordinal=ordinal,
        acl_revision=1,
        metadata_revision=1,
        dense=[1.0, ordinal / 10, 0.0, 0.0],
        sparse=sparse or SparseVector([1, 2 + ordinal], [1.0, 1.0]),
        acl=access,
        source_type="files",
        source_id=SourceId(uuid.uuid5(tenant, "source")),
        embedded_sha256="0" * 64,
        language="en",
    )


def found(result: HybridResult) -> list[set[ChunkId]]:
    return [{scored.chunk_id for scored in arm} for arm in (result.dense, result.sparse)]


def admits(access: IndexAcl, principals: frozenset[str]) -> bool:
    """The filter in words: someone of every clause, nobody of the denied."""
    carried = principals | {EVERYONE}
    return bool(principals) and all(clause & carried for clause in access.clauses) and not access.deny & carried


_tokens = st.frozensets(st.sampled_from(PRINCIPALS), max_size=3)
_access = st.builds(
    IndexAcl,
    clauses=st.lists(_tokens, max_size=ACL_CLAUSES_MAX).map(tuple),
    deny=st.frozensets(st.sampled_from(PRINCIPALS), max_size=1),
)
# (which tenant, access, tombstoned) of each document, and (which tenant, principals) of each asker.
_documents = st.lists(st.tuples(st.integers(0, 2), _access, st.booleans()), min_size=1, max_size=8)
_askers = st.lists(st.tuples(st.integers(0, 2), _tokens), min_size=1, max_size=4)


@asynccontextmanager
async def contract_collection(index: Index) -> AsyncIterator[str]:
    """A collection for the fixture `collection`, of any scope."""
    name = f"contract-{uuid.uuid4()}"
    spec = CollectionSpec(alias=f"{name}-alias", collection=name, dense_dimensions=DIMENSIONS)
    await index.collections().ensure_collection(spec)
    yield name
    await index.collections().drop_collection(name)


class VectorSearchContract:
    """Reading: who finds what, and with which scores."""

    async def test_both_arms_answer_best_first(self, index: Index, collection: str) -> None:
        tenant, document = new_tenant(), new_document()
        points = [point(tenant, document, ordinal=ordinal) for ordinal in range(3)]
        await index.writer(collection).upsert(points)
        result = await index.reader(collection).search(SearchScope(tenant, frozenset({ALICE})), QUESTION)
        assert [scored.chunk_id for scored in result.dense] == [chunk.chunk_id for chunk in points]
        assert found(result)[1] == {chunk.chunk_id for chunk in points}
        first = result.dense[0]
        assert (first.document_id, first.revision, first.acl_revision) == (document, 1, 1)
        assert (first.source_type, first.language, first.embedded_sha256) == ("files", "en", "0" * 64)
        assert first.score == pytest.approx(1.0)

    async def test_the_limit_holds_for_each_arm(self, index: Index, collection: str) -> None:
        tenant, document = new_tenant(), new_document()
        await index.writer(collection).upsert([point(tenant, document, ordinal=ordinal) for ordinal in range(5)])
        scope = SearchScope(tenant, frozenset({ALICE}))
        result = await index.reader(collection).search(scope, replace(QUESTION, limit=2))
        assert [len(result.dense), len(result.sparse)] == [2, 2]

    async def test_an_arm_without_a_vector_answers_nothing(self, index: Index, collection: str) -> None:
        tenant = new_tenant()
        await index.writer(collection).upsert([point(tenant, new_document())])
        scope = SearchScope(tenant, frozenset({ALICE}))
        no_words = await index.reader(collection).search(scope, replace(QUESTION, sparse=SparseVector([], [])))
        no_meaning = await index.reader(collection).search(scope, replace(QUESTION, dense=None))
        assert [len(no_words.dense), len(no_words.sparse)] == [1, 0]
        assert [len(no_meaning.dense), len(no_meaning.sparse)] == [0, 1]

    async def test_without_principals_nothing_is_found(self, index: Index, collection: str) -> None:
        tenant = new_tenant()
        chunk = point(tenant, new_document())
        await index.writer(collection).upsert([chunk])
        nobody, reader = SearchScope(tenant, frozenset()), index.reader(collection)
        assert found(await reader.search(nobody, QUESTION)) == [set(), set()]
        assert not await reader.exact_scores(nobody, [chunk.chunk_id], dense=QUESTION.dense, sparse=QUESTION.sparse)

    async def test_someone_of_every_clause_and_nobody_denied(self, index: Index, collection: str) -> None:
        tenant = new_tenant()
        both = point(tenant, new_document(), access=acl(STAFF, BOARD))
        not_bob = point(tenant, new_document(), access=acl("t", deny=[BOB]))
        await index.writer(collection).upsert([both, not_bob])
        reader = index.reader(collection)
        for principals, seen in (
            ({STAFF}, set()),
            ({STAFF, BOARD}, {both.chunk_id}),
            ({STAFF, "t"}, {not_bob.chunk_id}),
            ({STAFF, BOB, "t"}, set()),
        ):
            result = await reader.search(SearchScope(tenant, frozenset(principals)), QUESTION)
            assert found(result) == [seen, seen]

    @settings(max_examples=40, deadline=None)
    @given(documents=_documents, askers=_askers)
    async def test_no_read_leaves_its_scope(
        self,
        index: Index,
        collection: str,
        documents: list[tuple[int, IndexAcl, bool]],
        askers: list[tuple[int, frozenset[str]]],
    ) -> None:
        tenants, writer, reader = [new_tenant() for _ in range(3)], index.writer(collection), index.reader(collection)
        points = [point(tenants[tenant], new_document(), access=access) for tenant, access, _ in documents]
        await writer.upsert(points)
        for chunk, (_, _, dead) in zip(points, documents, strict=True):
            if dead:
                await writer.tombstone(chunk.tenant_id, chunk.document_id)
        everything = [chunk.chunk_id for chunk in points]
        for number, principals in askers:
            tenant = tenants[number]
            visible = {
                chunk.chunk_id
                for chunk, (_, access, dead) in zip(points, documents, strict=True)
                if chunk.tenant_id == tenant and not dead and admits(access, principals)
            }
            scope = SearchScope(tenant, principals)
            assert found(await reader.search(scope, QUESTION)) == [visible, visible]
            for dense in (QUESTION.dense, None):
                exact = await reader.exact_scores(scope, everything, dense=dense, sparse=QUESTION.sparse)
                assert set(exact) == visible
            stored = {chunk.chunk_id for chunk in points if chunk.tenant_id == tenant}
            page = await reader.revisions(tenant, after=None, limit=100)
            assert {row.chunk_id for row in page.rows} == stored
            assert await reader.count(tenant) == len(stored)

    async def test_filters_narrow(self, index: Index, collection: str) -> None:
        tenant, container, author = new_tenant(), ContainerId(uuid.uuid4()), PersonId(uuid.uuid4())
        day = datetime(2026, 3, 1, 12, tzinfo=UTC)
        plain = point(tenant, new_document())
        special = replace(
            point(tenant, new_document()),
            source_type="chat",
            source_id=SourceId(uuid.uuid4()),
            container_ids=(container,),
            author_ids=(author,),
            updated_at=day,
            language="de",
        )
        await index.writer(collection).upsert([plain, special])
        scope = SearchScope(tenant, frozenset({ALICE}))
        for filters in (
            IndexFilters(source_types=frozenset({"chat"})),
            IndexFilters(source_ids=frozenset({special.source_id})),
            IndexFilters(container_ids=frozenset({container})),
            IndexFilters(author_ids=frozenset({author})),
            IndexFilters(languages=frozenset({"de", "fr"})),
            IndexFilters(document_ids=frozenset({special.document_id, new_document()})),
            IndexFilters(updated_after=day),
            IndexFilters(updated_after=day.replace(day=1), updated_before=day.replace(day=2)),
        ):
            result = await index.reader(collection).search(scope, replace(QUESTION, filters=filters))
            assert found(result) == [{special.chunk_id}, {special.chunk_id}], filters
            assert (result.dense[0].container_ids, result.dense[0].updated_at) == ((container,), day)
        late = IndexFilters(updated_after=day.replace(hour=13))
        result = await index.reader(collection).search(scope, replace(QUESTION, filters=late))
        assert found(result) == [set(), set()]

    async def test_terms_are_weighed_within_the_tenant(self, index: Index, collection: str) -> None:
        tenant, reader, writer = new_tenant(), index.reader(collection), index.writer(collection)
        mine = [point(tenant, new_document(), sparse=SparseVector([term], [1.0])) for term in (1, 2, 3)]
        await writer.upsert(mine)
        scope = SearchScope(tenant, frozenset({ALICE}))
        before = (await reader.search(scope, QUESTION)).sparse[0].score
        stranger = new_tenant()
        await writer.upsert([point(stranger, new_document()) for _ in range(50)])
        assert (await reader.search(scope, QUESTION)).sparse[0].score == before
        hidden = [point(tenant, new_document(), access=acl(BOARD)) for _ in range(5)]
        await writer.upsert(hidden)
        assert (await reader.search(scope, QUESTION)).sparse[0].score < before

    async def test_exact_scores_equal_those_of_the_search(self, index: Index, collection: str) -> None:
        tenant, document, reader = new_tenant(), new_document(), index.reader(collection)
        points = [point(tenant, document, ordinal=ordinal) for ordinal in range(4)]
        wordless = point(tenant, new_document(), sparse=SparseVector([99], [1.0]))
        secret = point(tenant, new_document(), access=acl(BOARD))
        await index.writer(collection).upsert([*points, wordless, secret])
        scope = SearchScope(tenant, frozenset({ALICE}))
        result = await reader.search(scope, QUESTION)
        asked = [chunk.chunk_id for chunk in (*points, wordless, secret)]
        exact = await reader.exact_scores(scope, asked, dense=QUESTION.dense, sparse=QUESTION.sparse)
        assert set(exact) == {chunk.chunk_id for chunk in (*points, wordless)}
        assert {scored.chunk_id: scored.score for scored in result.dense} == pytest.approx(
            {chunk: scores.dense for chunk, scores in exact.items()}
        )
        assert exact[wordless.chunk_id].sparse == 0.0
        assert {scored.chunk_id: scored.score for scored in result.sparse} == pytest.approx(
            {chunk: scores.sparse for chunk, scores in exact.items() if chunk != wordless.chunk_id}
        )

    async def test_revisions_come_in_pages(self, index: Index, collection: str) -> None:
        tenant, document = new_tenant(), new_document()
        points = [point(tenant, document, ordinal=ordinal) for ordinal in range(7)]
        await index.writer(collection).upsert(points)
        reader, rows, after = index.reader(collection), [], None
        while True:
            page = await reader.revisions(tenant, after=after, limit=3)
            rows += page.rows
            after = page.after
            if after is None:
                break
        assert [row.chunk_id for row in rows] == sorted(chunk.chunk_id for chunk in points)
        assert {(row.document_id, row.revision, row.is_deleted) for row in rows} == {(document, 1, False)}


class VectorWriteContract:
    """Writing: what is replaced, what is left alone."""

    async def _rows(self, index: Index, collection: str, tenant: TenantId) -> set[tuple[DocumentId, int]]:
        page = await index.reader(collection).revisions(tenant, after=None, limit=1000)
        return {(row.document_id, row.revision) for row in page.rows}

    async def test_more_points_than_a_message_carries(self, index: Index, collection: str) -> None:
        tenant, document = new_tenant(), new_document()
        await index.writer(collection).upsert([point(tenant, document, ordinal=ordinal) for ordinal in range(1201)])
        assert await index.reader(collection).count(tenant) == 1201

    async def test_a_refused_point_leaves_nothing_of_its_batch(self, index: Index, collection: str) -> None:
        tenant, document = new_tenant(), new_document()
        good = point(tenant, document)
        for dense in ([1.0], [1.0, float("nan"), 0.0, 0.0]):
            bad = replace(point(tenant, document, ordinal=1), dense=dense)
            with pytest.raises(Invalid):
                await index.writer(collection).upsert([good, bad])
            assert await index.reader(collection).count(tenant) == 0

    async def test_deletion_by_revision_and_document(self, index: Index, collection: str) -> None:
        tenant, stranger, first, second = new_tenant(), new_tenant(), new_document(), new_document()
        writer = index.writer(collection)
        await writer.upsert([point(tenant, first, revision=revision) for revision in (1, 2, 3)])
        await writer.upsert([point(tenant, second), replace(point(stranger, second), chunk_id=ChunkId(uuid.uuid4()))])
        await writer.delete_points(tenant, first, revision=3)
        assert await self._rows(index, collection, tenant) == {(first, 1), (first, 2), (second, 1)}
        await writer.delete_older(tenant, first, below_revision=2)
        assert await self._rows(index, collection, tenant) == {(first, 2), (second, 1)}
        await writer.delete_document(tenant, second)
        await writer.delete_document(tenant, second)
        assert await self._rows(index, collection, tenant) == {(first, 2)}
        assert await self._rows(index, collection, stranger) == {(second, 1)}

    async def test_only_a_newer_acl_is_written(self, index: Index, collection: str) -> None:
        tenant, document, writer = new_tenant(), new_document(), index.writer(collection)
        chunk = replace(point(tenant, document, access=acl(STAFF)), acl_revision=5)
        await writer.upsert([chunk])

        async def seen_by(principal: str) -> bool:
            scope = SearchScope(tenant, frozenset({principal}))
            return bool((await index.reader(collection).search(scope, QUESTION)).dense)

        for stale in (4, 5):
            await writer.set_acl(tenant, document, acl=PUBLIC, acl_revision=stale)
        await writer.set_acl(new_tenant(), document, acl=PUBLIC, acl_revision=9)
        assert [await seen_by(STAFF), await seen_by(BOB)] == [True, False]
        await writer.set_acl(tenant, document, acl=acl(BOB, deny=[STAFF]), acl_revision=6)
        assert [await seen_by(STAFF), await seen_by(BOB)] == [False, True]
        await writer.set_acl(tenant, document, acl=IndexAcl((frozenset(),), frozenset()), acl_revision=7)
        assert [await seen_by(STAFF), await seen_by(BOB)] == [False, False]
        await writer.set_acl(tenant, document, acl=PUBLIC, acl_revision=8)
        assert [await seen_by(STAFF), await seen_by(BOB)] == [True, True]
        page = await index.reader(collection).revisions(tenant, after=None, limit=10)
        assert [(row.acl_revision, row.metadata_revision) for row in page.rows] == [(8, 1)]

    async def test_only_newer_metadata_is_written(self, index: Index, collection: str) -> None:
        tenant, document, writer = new_tenant(), new_document(), index.writer(collection)
        container, day = ContainerId(uuid.uuid4()), datetime(2026, 3, 1, tzinfo=UTC)
        await writer.upsert([point(tenant, document)])
        metadata = IndexMetadata(container_ids=(container,), updated_at=day)
        await writer.set_metadata(tenant, document, metadata=metadata, metadata_revision=1)
        scope, reader = SearchScope(tenant, frozenset({ALICE})), index.reader(collection)
        assert (await reader.search(scope, QUESTION)).dense[0].updated_at is None
        await writer.set_metadata(tenant, document, metadata=metadata, metadata_revision=2)
        changed = (await reader.search(scope, QUESTION)).dense[0]
        assert (changed.updated_at, changed.container_ids) == (day, (container,))
        await writer.set_metadata(tenant, document, metadata=IndexMetadata(), metadata_revision=3)
        cleared = (await reader.search(scope, QUESTION)).dense[0]
        assert (cleared.updated_at, cleared.container_ids) == (None, ())

    async def test_a_tombstone_holds_until_an_upsert(self, index: Index, collection: str) -> None:
        tenant, document, writer = new_tenant(), new_document(), index.writer(collection)
        chunk = point(tenant, document)
        await writer.upsert([chunk])
        scope, reader = SearchScope(tenant, frozenset({ALICE})), index.reader(collection)
        await writer.tombstone(tenant, document)
        assert found(await reader.search(scope, QUESTION)) == [set(), set()]
        assert [row.is_deleted for row in (await reader.revisions(tenant, after=None, limit=9)).rows] == [True]
        await writer.upsert([chunk])
        assert found(await reader.search(scope, QUESTION)) == [{chunk.chunk_id}, {chunk.chunk_id}]

    async def test_a_collection_is_made_once_and_checked_after(self, index: Index, collection: str) -> None:
        alias = f"{collection}-alias"
        spec = CollectionSpec(alias=alias, collection=collection, dense_dimensions=DIMENSIONS)
        await index.collections().ensure_collection(spec)
        assert (await index.collections().aliases())[alias] == collection
        with pytest.raises(Conflict, match="dimensions"):
            await index.collections().ensure_collection(replace(spec, dense_dimensions=DIMENSIONS + 1))

    async def test_readers_follow_the_alias(self, index: Index, collection: str) -> None:
        alias, newer, tenant = f"{collection}-alias", f"{collection}-newer", new_tenant()
        await index.writer(collection).upsert([point(tenant, new_document())])
        spec = CollectionSpec(alias=alias, collection=newer, dense_dimensions=DIMENSIONS)
        await index.collections().ensure_collection(spec)
        reader = index.reader(alias)
        assert await reader.count(tenant) == 1
        await index.collections().switch_alias(alias=alias, collection=newer)
        assert await reader.count(tenant) == 0
        with pytest.raises(NotFound):
            await index.collections().switch_alias(alias=alias, collection=f"{collection}-never")
        await index.collections().drop_collection(newer)
        with pytest.raises(NotFound):
            await reader.count(tenant)
