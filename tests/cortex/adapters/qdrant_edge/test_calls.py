"""The calls, made by Qdrant's own client: what works, and what is refused without a trace."""

import math
import uuid
from collections.abc import AsyncIterator

import grpc
import pytest
from qdrant_client import AsyncQdrantClient, models
from qdrant_client import grpc as pb

from cortex.adapters.qdrant import connect
from tests.cortex.adapters.qdrant_edge.process import KEY, EdgeProcess, edge_process

GOOD = pb.Vectors(vectors=pb.NamedVectors(vectors={"dense": pb.Vector(dense=pb.DenseVector(data=[1, 0, 0, 0]))}))


@pytest.fixture(scope="module")
async def edge(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EdgeProcess]:
    async with edge_process(tmp_path_factory.mktemp("edge")) as running:
        yield running


@pytest.fixture
async def client(edge: EdgeProcess) -> AsyncIterator[AsyncQdrantClient]:
    async with connect(url=edge.url, key=KEY) as qdrant:
        yield qdrant.client


async def make_collection(client: AsyncQdrantClient) -> str:
    name = f"calls-{uuid.uuid4()}"
    await client.create_collection(
        name,
        vectors_config={
            "dense": models.VectorParams(size=4, distance=models.Distance.COSINE),
            "tokens": models.VectorParams(
                size=2,
                distance=models.Distance.DOT,
                multivector_config=models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM),
            ),
        },
        sparse_vectors_config={"sparse": models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )
    for field, schema in (
        ("kind", models.PayloadSchemaType.KEYWORD),
        ("number", models.PayloadSchemaType.INTEGER),
        ("flag", models.PayloadSchemaType.BOOL),
        ("at", models.PayloadSchemaType.DATETIME),
    ):
        await client.create_payload_index(name, field, schema)
    return name


@pytest.fixture
async def collection(client: AsyncQdrantClient) -> AsyncIterator[str]:
    name = await make_collection(client)
    yield name
    await client.delete_collection(name)


@pytest.fixture(scope="module")
async def spotless(edge: EdgeProcess) -> str:
    """A collection for calls that change nothing."""
    async with connect(url=edge.url, key=KEY) as qdrant:
        return await make_collection(qdrant.client)


def struct(number: int, /, **payload: object) -> models.PointStruct:
    vector: dict[str, models.Vector] = {
        "dense": [1.0, number / 10, 0.0, 0.0],
        "sparse": models.SparseVector(indices=[7, 1], values=[1.0, 2.0]),
        "tokens": [[1.0, 0.0], [0.0, float(number)]],
    }
    return models.PointStruct(id=number, vector=vector, payload=payload)


def refusal(caught: pytest.ExceptionInfo[grpc.aio.AioRpcError]) -> grpc.StatusCode:
    code: grpc.StatusCode = caught.value.code()
    return code


async def upsert_raw(client: AsyncQdrantClient, collection: str, *points: pb.PointStruct) -> None:
    """Past the client's own models, which would mend or refuse some of this."""
    await client.grpc_points.Upsert(pb.UpsertPoints(collection_name=collection, wait=True, points=points))


def named(name: str, vector: pb.Vector) -> pb.Vectors:
    return pb.Vectors(vectors=pb.NamedVectors(vectors={name: vector}))


def multi(*rows: list[float]) -> pb.Vector:
    return pb.Vector(multi_dense=pb.MultiDenseVector(vectors=[pb.DenseVector(data=row) for row in rows]))


def sparse(indices: list[int], values: list[float]) -> pb.Vector:
    return pb.Vector(sparse=pb.SparseVector(indices=indices, values=values))


POISON = {
    "fewer values than indices": pb.PointStruct(id=pb.PointId(num=2), vectors=named("sparse", sparse([1, 2], [1.0]))),
    "more values than indices": pb.PointStruct(id=pb.PointId(num=2), vectors=named("sparse", sparse([1], [1.0, 2.0]))),
    "an index twice": pb.PointStruct(id=pb.PointId(num=2), vectors=named("sparse", sparse([1, 1], [1.0, 1.0]))),
    "a sparse infinity": pb.PointStruct(id=pb.PointId(num=2), vectors=named("sparse", sparse([1], [math.inf]))),
    "no rows": pb.PointStruct(id=pb.PointId(num=2), vectors=named("tokens", multi())),
    "an empty row": pb.PointStruct(id=pb.PointId(num=2), vectors=named("tokens", multi([]))),
    "ragged rows": pb.PointStruct(id=pb.PointId(num=2), vectors=named("tokens", multi([1.0, 0.0], [1.0]))),
    "too short": pb.PointStruct(
        id=pb.PointId(num=2), vectors=named("dense", pb.Vector(dense=pb.DenseVector(data=[1])))
    ),
    "not a number": pb.PointStruct(
        id=pb.PointId(num=2), vectors=named("dense", pb.Vector(dense=pb.DenseVector(data=[math.nan, 0, 0, 0])))
    ),
    "the wrong kind": pb.PointStruct(id=pb.PointId(num=2), vectors=named("dense", sparse([1], [1.0]))),
    "an unknown name": pb.PointStruct(id=pb.PointId(num=2), vectors=named("nonesuch", sparse([1], [1.0]))),
    "no id": pb.PointStruct(vectors=GOOD),
    "an id that is no UUID": pb.PointStruct(id=pb.PointId(uuid="me"), vectors=GOOD),
    "a date that is none": pb.PointStruct(
        id=pb.PointId(num=2), vectors=GOOD, payload={"at": pb.Value(string_value="yesterday")}
    ),
    "a payload's infinity": pb.PointStruct(
        id=pb.PointId(num=2), vectors=GOOD, payload={"x": pb.Value(double_value=math.inf)}
    ),
}


@pytest.mark.parametrize("poison", POISON.values(), ids=POISON)
async def test_a_batch_with_poison_leaves_nothing(
    client: AsyncQdrantClient, spotless: str, poison: pb.PointStruct
) -> None:
    good = pb.PointStruct(id=pb.PointId(num=1), vectors=GOOD)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await upsert_raw(client, spotless, good, poison, good)
    assert refusal(caught) is grpc.StatusCode.INVALID_ARGUMENT
    assert (await client.count(spotless)).count == 0


async def test_after_every_poison_the_shard_still_opens(
    client: AsyncQdrantClient, edge: EdgeProcess, collection: str
) -> None:
    for poison in POISON.values():
        with pytest.raises(grpc.aio.AioRpcError):
            await upsert_raw(client, collection, poison)
    await upsert_raw(client, collection, pb.PointStruct(id=pb.PointId(num=1), vectors=GOOD))
    await edge.kill()
    await edge.restart()
    assert (await client.count(collection)).count == 1


async def test_updated_vectors_are_checked_as_new_ones_are(client: AsyncQdrantClient, collection: str) -> None:
    await client.upsert(collection, [struct(1)])
    uneven: dict[str, models.Vector] = {"sparse": models.SparseVector(indices=[1, 2], values=[1.0])}
    ragged: dict[str, models.Vector] = {"tokens": [[1.0, 0.0], [1.0]]}
    for poison in (uneven, ragged):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await client.update_vectors(collection, [models.PointVectors(id=1, vector=poison)])
        assert refusal(caught) is grpc.StatusCode.INVALID_ARGUMENT
    await client.update_vectors(collection, [models.PointVectors(id=1, vector={"dense": [0.0, 1.0, 0.0, 0.0]})])
    await client.delete_vectors(collection, vectors=["tokens"], points=[1])
    (record,) = await client.retrieve(collection, [1], with_vectors=True)
    assert isinstance(record.vector, dict)
    assert record.vector["dense"] == [0.0, 1.0, 0.0, 0.0]
    assert "tokens" not in record.vector


async def test_a_missing_id_changes_none_of_the_others(client: AsyncQdrantClient, collection: str) -> None:
    await client.upsert(collection, [struct(1, kind="a")])
    for call in (
        client.set_payload(collection, {"kind": "b"}, points=[1, 9]),
        client.overwrite_payload(collection, {"kind": "b"}, points=[1, 9]),
        client.delete_payload(collection, ["kind"], points=[1, 9]),
        client.clear_payload(collection, points_selector=[1, 9]),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert refusal(caught) is grpc.StatusCode.NOT_FOUND
    (record,) = await client.retrieve(collection, [1])
    assert record.payload == {"kind": "a"}


async def test_every_step_of_a_batch_is_checked_before_the_first(client: AsyncQdrantClient, collection: str) -> None:
    good = models.UpsertOperation(upsert=models.PointsList(points=[struct(1)]))
    renamed = models.SetPayloadOperation(set_payload=models.SetPayload(payload={"kind": "z"}, points=[1]))
    bad = models.UpsertOperation(
        upsert=models.PointsList(points=[models.PointStruct(id=2, vector={"dense": [1.0]}, payload={})])
    )
    with pytest.raises(grpc.aio.AioRpcError):
        await client.batch_update_points(collection, [good, bad])
    assert (await client.count(collection)).count == 0
    assert len(await client.batch_update_points(collection, [good, renamed])) == 2
    (record,) = await client.retrieve(collection, [1])
    assert record.payload == {"kind": "z"}


async def test_points_come_back_as_they_went(client: AsyncQdrantClient, collection: str) -> None:
    payload = {"kind": "a", "none": None, "nested": {"list": [1, 2.5, True, "x"]}, "at": "2026-03-01T10:00:00Z"}
    sent = struct(3, **payload)
    await client.upsert(collection, [sent])
    (record,) = await client.retrieve(collection, [3], with_vectors=True)
    assert record.payload == payload
    assert isinstance(record.vector, dict)
    assert record.vector["tokens"] == [[1.0, 0.0], [0.0, 3.0]]
    assert record.vector["sparse"] == models.SparseVector(indices=[1, 7], values=[2.0, 1.0])


def matches(condition: models.FieldCondition) -> models.Filter:
    return models.Filter(must=[condition])


async def test_conditions_select_as_they_read(client: AsyncQdrantClient, collection: str) -> None:
    await client.upsert(
        collection,
        [
            struct(1, kind="a", number=1, flag=True, at="2026-01-01T00:00:00Z"),
            struct(2, kind=["b", "c"], number=2, flag=False, at="2026-02-01T00:00:00Z"),
            struct(3, number=3),
        ],
    )
    equal, some, but = models.MatchValue, models.MatchAny, models.MatchExcept
    late = models.DatetimeRange(gte="2026-02-01T00:00:00Z")  # type: ignore[arg-type]  # parsed by the model
    for condition, ids in (
        (models.FieldCondition(key="kind", match=equal(value="a")), {1}),
        (models.FieldCondition(key="kind", match=some(any=["a", "c"])), {1, 2}),
        (models.FieldCondition(key="kind", match=but(**{"except": ["a"]})), {2}),
        (models.FieldCondition(key="kind", match=some(any=[])), set()),
        (models.FieldCondition(key="number", match=equal(value=2)), {2}),
        (models.FieldCondition(key="number", match=some(any=[1, 3])), {1, 3}),
        (models.FieldCondition(key="number", range=models.Range(gt=1)), {2, 3}),
        (models.FieldCondition(key="flag", match=equal(value=False)), {2}),
        (models.FieldCondition(key="flag", match=equal(value=True)), {1}),
        (models.FieldCondition(key="at", range=late), {2}),
    ):
        records, _ = await client.scroll(collection, scroll_filter=matches(condition))
        assert {record.id for record in records} == ids, condition
    either = models.Filter(
        should=[models.HasIdCondition(has_id=[1]), models.IsEmptyCondition(is_empty=models.PayloadField(key="kind"))],
        must_not=[models.HasIdCondition(has_id=[2])],
    )
    assert (await client.count(collection, count_filter=either)).count == 2
    facet = await client.facet(collection, "flag")
    assert {(hit.value, hit.count) for hit in facet.hits} == {(True, 1), (False, 1)}


UNSERVED = {
    "an unindexed field": models.FieldCondition(key="nonesuch", match=models.MatchValue(value="a")),
    "a match of another kind": models.FieldCondition(key="number", match=models.MatchValue(value="a")),
    "a text match": models.FieldCondition(key="kind", match=models.MatchText(text="a")),
    "a count of values": models.FieldCondition(key="kind", values_count=models.ValuesCount(gt=1)),
    "a range without a bound": models.FieldCondition(key="number", range=models.Range()),
    "a vector's presence": models.HasVectorCondition(has_vector="dense"),
}


@pytest.mark.parametrize("condition", UNSERVED.values(), ids=UNSERVED)
async def test_what_would_be_ignored_or_scanned_is_refused(
    client: AsyncQdrantClient, spotless: str, condition: models.Condition
) -> None:
    unsafe = models.Filter(must=[condition])
    for call in (
        client.count(spotless, count_filter=unsafe),
        client.delete(spotless, models.FilterSelector(filter=unsafe)),
        client.query_points(spotless, query=[1.0, 0.0, 0.0, 0.0], using="dense", query_filter=unsafe),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert refusal(caught) in {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNIMPLEMENTED}


async def test_calls_and_queries_that_are_not_mapped_are_unimplemented(
    client: AsyncQdrantClient, collection: str
) -> None:
    dense = [1.0, 0.0, 0.0, 0.0]
    for call in (
        client.create_snapshot(collection),
        client.search_matrix_pairs(collection),
        client.query_points_groups(collection, group_by="kind", query=dense, using="dense"),
        client.query_points(collection, query=1, using="dense"),
        client.query_points(collection, query=models.RecommendQuery(recommend=models.RecommendInput(positive=[1]))),
        client.query_points(collection, query=models.SampleQuery(sample=models.Sample.RANDOM)),
        client.upsert(collection, [struct(1)], shard_key_selector="a"),
        client.create_payload_index(collection, "place", models.PayloadSchemaType.GEO),
        client.create_payload_index(collection, "a.b", models.PayloadSchemaType.KEYWORD),
        client.create_collection(
            "sharded", vectors_config={"a": models.VectorParams(size=2, distance=models.Distance.DOT)}, shard_number=2
        ),
        client.create_collection("unnamed", vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT)),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert refusal(caught) is grpc.StatusCode.UNIMPLEMENTED


async def test_fusion_and_late_interaction(client: AsyncQdrantClient, collection: str) -> None:
    await client.upsert(collection, [struct(number) for number in (1, 2, 3)])
    prefetch = [
        models.Prefetch(query=[1.0, 0.0, 0.0, 0.0], using="dense", limit=3),
        models.Prefetch(query=[1.0, 0.05, 0.0, 0.0], using="dense", limit=3),
    ]
    fused = await client.query_points(collection, prefetch=prefetch, query=models.RrfQuery(rrf=models.Rrf(k=61)))
    assert [hit.id for hit in fused.points] == [1, 2, 3]
    assert fused.points[0].score == pytest.approx(2 / 61)
    tokens = await client.query_points(collection, query=[[0.0, 1.0]], using="tokens", limit=1)
    assert [(hit.id, hit.score) for hit in tokens.points] == [(3, 3.0)]
    uneven = models.RrfQuery(rrf=models.Rrf(weights=[1.0]))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.query_points(collection, prefetch=prefetch, query=uneven)
    assert refusal(caught) is grpc.StatusCode.INVALID_ARGUMENT


async def test_scrolling_in_order_and_in_pages(client: AsyncQdrantClient, collection: str) -> None:
    await client.upsert(collection, [struct(number, number=-number) for number in (1, 2, 3)])
    first, following = await client.scroll(collection, limit=2)
    assert ([record.id for record in first], following) == ([1, 2], 3)
    ordered, _ = await client.scroll(collection, order_by="number")
    assert [record.id for record in ordered] == [3, 2, 1]


async def test_conditional_and_partial_upserts(client: AsyncQdrantClient, collection: str) -> None:
    await client.upsert(collection, [struct(1, number=5)])
    older = matches(models.FieldCondition(key="number", range=models.Range(lt=3)))
    await client.upsert(collection, [struct(1, number=2)], update_filter=older)
    await client.upsert(collection, [struct(1, number=9)], update_mode=models.UpdateMode.INSERT_ONLY)
    await client.upsert(collection, [struct(2, number=9)], update_mode=models.UpdateMode.UPDATE_ONLY)
    records, _ = await client.scroll(collection)
    assert [(record.id, record.payload) for record in records] == [(1, {"number": 5})]


async def test_aliases_change_together_or_not_at_all(client: AsyncQdrantClient, collection: str) -> None:
    alias = f"{collection}-alias"
    create = models.CreateAliasOperation(create_alias=models.CreateAlias(collection_name=collection, alias_name=alias))
    absent = models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name="nonesuch"))
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.update_collection_aliases([create, absent])
    assert refusal(caught) is grpc.StatusCode.NOT_FOUND
    assert not (await client.get_collection_aliases(collection)).aliases
    rename = models.RenameAliasOperation(
        rename_alias=models.RenameAlias(old_alias_name=alias, new_alias_name=f"{alias}-2")
    )
    await client.update_collection_aliases([create, rename])
    assert await client.collection_exists(f"{alias}-2")
    assert (await client.count(f"{alias}-2")).count == 0
    assert collection in {entry.name for entry in (await client.get_collections()).collections}


async def test_a_collection_is_made_once_and_gone_once(client: AsyncQdrantClient) -> None:
    config = {"a": models.VectorParams(size=2, distance=models.Distance.DOT)}
    assert await client.create_collection("once", vectors_config=config)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.create_collection("once", vectors_config=config)
    assert refusal(caught) is grpc.StatusCode.ALREADY_EXISTS
    assert await client.delete_collection("once")
    assert not await client.delete_collection("once")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.count("once")
    assert refusal(caught) is grpc.StatusCode.NOT_FOUND


async def test_an_index_that_is_dropped_no_longer_serves_filters(client: AsyncQdrantClient, collection: str) -> None:
    await client.delete_payload_index(collection, "kind")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.count(
            collection, count_filter=matches(models.FieldCondition(key="kind", match=models.MatchValue(value="a")))
        )
    assert refusal(caught) is grpc.StatusCode.INVALID_ARGUMENT
    assert "kind" not in (await client.get_collection(collection)).payload_schema


async def test_a_collection_is_reconfigured_and_says_so(client: AsyncQdrantClient, collection: str) -> None:
    await client.update_collection(
        collection,
        hnsw_config=models.HnswConfigDiff(full_scan_threshold=123),
        optimizers_config=models.OptimizersConfigDiff(indexing_threshold=456),
    )
    config = (await client.get_collection(collection)).config
    assert (config.hnsw_config.full_scan_threshold, config.hnsw_config.m) == (123, 16)
    assert config.optimizer_config.indexing_threshold == 456
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await client.update_collection(collection, collection_params=models.CollectionParamsDiff(replication_factor=2))
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
