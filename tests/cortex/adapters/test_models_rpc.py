"""The models process over a real channel: both services on one port, one client."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial

import grpc
import pytest

from cortex.adapters.grpc_server import GrpcServerSettings, serving
from cortex.adapters.models_rpc import TENANT_KEY, ModelsClient, models_channel, plain_metadata, plain_tenant
from cortex.domain.encoding import unpack_token_ids
from cortex.domain.errors import Denied, Exhausted, Invalid, Transient
from cortex.domain.identity import TenantId, tenant_id
from cortex.domain.query import EncodedQuery
from cortex.rpc.models.v1 import models_pb2, models_pb2_grpc
from cortex.testing.token_vector_store import MemoryTokenVectorStore
from services.embed.compose import Embed, opened
from services.embed.settings import EmbedSettings
from services.rerank import compose as rerank
from services.rerank.cross import Budgeted
from services.rerank.settings import CrossSettings, RerankSettings
from tests.built_model import built_model

ACME, OTHER = tenant_id("acme"), tenant_id("other")
NOTICE = "Notice periods are three months to the end of a quarter."
CACHE = "The build cache lives on the second disk of the runner."


@dataclass(frozen=True, slots=True)
class Models:
    """One process as the platform has it: one loaded model, both services."""

    embed: Embed
    store: MemoryTokenVectorStore
    address: str


@pytest.fixture(scope="module")
async def models(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Models]:
    store = MemoryTokenVectorStore()
    settings = EmbedSettings(
        models_dir=built_model().folder.parent,
        cache_dir=tmp_path_factory.mktemp("cache"),
        passages_per_call_max=40,
        query_characters_max=200,
    )
    async with opened(settings) as embed:
        reranker = rerank.build(RerankSettings(candidates_max=3), store)
        services = [
            partial(embed.register, tenant_of=plain_tenant),
            partial(rerank.register, reranker, tenant_of=plain_tenant),
        ]
        async with serving(GrpcServerSettings(address="127.0.0.1:0"), services) as port:
            yield Models(embed, store, f"127.0.0.1:{port}")


@pytest.fixture
async def client(models: Models) -> AsyncIterator[ModelsClient]:
    async with models_channel(models.address) as channel:
        yield ModelsClient(channel)


@pytest.fixture
async def stub(models: Models) -> AsyncIterator[models_pb2_grpc.EmbedServiceStub]:
    async with models_channel(models.address) as channel:
        yield models_pb2_grpc.EmbedServiceStub(channel)  # type: ignore[no-untyped-call]


async def test_a_question_arrives_as_it_was_encoded(models: Models, client: ModelsClient) -> None:
    text = "Wer genehmigt 1099-MISC und E_CONN_42?"
    over_the_wire, in_process = await client.encode_query(ACME, text), await models.embed.queries.encode(text)
    assert over_the_wire.tokens == in_process.tokens
    assert over_the_wire.language == in_process.language
    assert (over_the_wire.model_key, over_the_wire.supported) == (built_model().card.key, False)
    assert tuple(over_the_wire.sparse.indices) == tuple(in_process.sparse.indices)
    assert tuple(over_the_wire.sparse.values) == tuple(in_process.sparse.values)


async def test_passages_are_scored_for_the_tenant_of_the_call(models: Models, client: ModelsClient) -> None:
    notice, cache = await models.embed.passages.vectors([NOTICE, CACHE])
    await models.store.put(ACME, built_model().card.key, {"notice": notice.stored, "cache": cache.stored})
    query = await client.encode_query(ACME, "How long is the notice period?")
    late = await client.score(ACME, query=query, embedded_sha256s=["notice", "gone", "cache"])
    found, absent, other = late.scores
    assert found is not None
    assert other is not None
    assert found > other
    assert absent is None
    assert [[place for place, _ in near] for near in late.neighbours] == [[2], [], [0]]
    together = await client.score(ACME, query=query, embedded_sha256s=["notice", "cache"], groups=[1, 1])
    assert together.neighbours == ((), ())
    assert (await client.score(OTHER, query=query, embedded_sha256s=["notice"])).scores == (None,)


class ByLength:
    """In the place of a cross-encoder: the longer the better."""

    async def score(self, query: str, passages: Sequence[str]) -> list[float]:
        return [float(len(passage)) for passage in passages]


async def test_texts_are_scored_by_the_cross_encoder_within_its_budget() -> None:
    reranker = rerank.build(RerankSettings(), MemoryTokenVectorStore())
    cross = Budgeted(ByLength(), CrossSettings(passages_max=2, passages_min=1, reading_max=2))
    register = partial(rerank.register, reranker, tenant_of=plain_tenant, cross=cross)
    async with (
        serving(GrpcServerSettings(address="127.0.0.1:0"), [register]) as port,
        models_channel(f"127.0.0.1:{port}") as channel,
    ):
        scores = await ModelsClient(channel).score_texts(ACME, query="q", passages=["long text", "short", "no room"])
    assert scores == [9.0, 5.0, None]


async def test_without_a_cross_encoder_the_mend_is_named(client: ModelsClient) -> None:
    with pytest.raises(Invalid, match="CORTEX_RERANKER"):
        await client.score_texts(ACME, query="q", passages=["a"])


async def test_passages_stream_in_order_with_vectors_and_terms(
    models: Models, stub: models_pb2_grpc.EmbedServiceStub
) -> None:
    texts = [f"{NOTICE} Version {n}." for n in range(37)]
    request = models_pb2.EncodePassagesRequest(passages=[models_pb2.Passage(text=text) for text in texts])
    answers = [answer async for answer in stub.EncodePassages(request, metadata=plain_metadata(ACME))]
    expected = [(await models.embed.passages.vectors([text]))[0] for text in texts]
    assert [answer.dense for answer in answers] == [encoding.dense for encoding in expected]
    assert [unpack_token_ids(answer.token_ids) for answer in answers] == [one.stored.token_ids for one in expected]
    assert {answer.language for answer in answers} == {"en"}
    assert all(answer.sparse.indices for answer in answers)


async def test_errors_keep_their_kind_and_name_who_answered(client: ModelsClient) -> None:
    with pytest.raises(Invalid, match="models: query: empty"):
        await client.encode_query(ACME, " ")
    with pytest.raises(Exhausted, match="at most 200"):
        await client.encode_query(ACME, "x" * 300)
    query = await client.encode_query(ACME, "question")
    with pytest.raises(Exhausted, match="at most 3"):
        await client.score(ACME, query=query, embedded_sha256s=list("abcd"))


async def test_a_query_without_vectors_is_not_sent(client: ModelsClient) -> None:
    query = await client.encode_query(ACME, "question")
    with pytest.raises(Invalid, match="no token vectors"):
        await client.score(ACME, query=EncodedQuery(query.sparse, query.language), embedded_sha256s=["a"])


async def test_a_stream_that_is_refused_has_a_status(stub: models_pb2_grpc.EmbedServiceStub) -> None:
    request = models_pb2.EncodePassagesRequest(passages=[models_pb2.Passage(text="x")] * 41)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        async for _ in stub.EncodePassages(request, metadata=plain_metadata(ACME)):
            pass
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("metadata", [(), ((TENANT_KEY, "acme"),)])
async def test_a_call_without_a_tenant_is_denied(models: Models, metadata: tuple[tuple[str, str], ...]) -> None:
    def credential(_: TenantId) -> tuple[tuple[str, str], ...]:
        return metadata

    async with models_channel(models.address) as channel:
        client = ModelsClient(channel, metadata=credential)
        with pytest.raises(Denied, match=TENANT_KEY):
            await client.encode_query(ACME, "question")


async def test_a_process_that_is_away_is_transient() -> None:
    async with models_channel("127.0.0.1:1") as channel:
        with pytest.raises(Transient, match="models"):
            await ModelsClient(channel, timeout_s=2).encode_query(ACME, "question")


async def test_a_port_that_is_taken_is_reported(models: Models) -> None:
    with pytest.raises(Transient, match="port taken"):
        async with serving(GrpcServerSettings(address=models.address), []):
            raise AssertionError("two servers on one port")
