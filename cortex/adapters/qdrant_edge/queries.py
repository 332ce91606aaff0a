"""Qdrant's universal query as the engine's: nearest neighbours, fusion of prefetches, plain reads in order."""

from collections.abc import Mapping
from typing import TypeAlias, cast

import qdrant_edge as edge
from google.protobuf.message import Message
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge.filters import filter_, indexed, optional_filter
from cortex.adapters.qdrant_edge.points import vector
from cortex.adapters.qdrant_edge.refusal import honours, invalid, unimplemented
from cortex.adapters.qdrant_edge.schema import Fields, Vectors

Scoring: TypeAlias = edge.Query | edge.Fusion | edge.OrderBy

LIMIT_DEFAULT, LIMIT_MAX = 10, 10_000
BATCH_MAX = 100
# Qdrant's own default, though the paper's constant is 60.
RRF_K_DEFAULT = 2


def limit(message: Message) -> int:
    """The field `limit` of a request, or Qdrant's default."""
    asked: int = getattr(message, "limit") if message.HasField("limit") else LIMIT_DEFAULT  # noqa: B009
    if not 0 < asked <= LIMIT_MAX:
        raise invalid(f"limit {asked}: use 1 to {LIMIT_MAX}")
    return asked


def order_by(message: pb.OrderBy, fields: Fields) -> edge.OrderBy:
    honours(message, "key", "direction")
    indexed(message.key, fields)
    descending = message.direction == pb.Direction.Desc
    return edge.OrderBy(message.key, edge.Direction.Desc if descending else edge.Direction.Asc)


def params(message: pb.SearchParams, fields: Fields) -> edge.SearchParams:
    honours(message, "hnsw_ef", "exact", "quantization", "indexed_only", "acorn", "idf")
    quantization, acorn, idf = message.quantization, message.acorn, message.idf
    honours(quantization, "ignore", "rescore", "oversampling")
    honours(acorn, "enable", "max_selectivity")
    honours(idf, "corpus")
    return edge.SearchParams(
        hnsw_ef=message.hnsw_ef if message.HasField("hnsw_ef") else None,
        exact=message.exact,
        quantization=edge.QuantizationSearchParams(
            ignore=quantization.ignore,
            rescore=quantization.rescore if quantization.HasField("rescore") else None,
            oversampling=quantization.oversampling if quantization.HasField("oversampling") else None,
        ),
        indexed_only=message.indexed_only,
        acorn=edge.AcornSearchParams(
            enable=acorn.enable,
            max_selectivity=acorn.max_selectivity if acorn.HasField("max_selectivity") else None,
        ),
        idf=edge.IdfParams(corpus=optional_filter(idf, "corpus", fields)) if message.HasField("idf") else None,
    )


def _rrf(message: pb.Rrf, prefetches: int) -> edge.Fusion:
    honours(message, "k", "weights")
    weights = list(message.weights)
    if weights and len(weights) != prefetches:
        raise invalid(f"{len(weights)} weights for {prefetches} prefetches")
    fusion = edge.Fusion.Rrf(message.k if message.HasField("k") else RRF_K_DEFAULT, weights or None)
    return cast("edge.Fusion", fusion)  # the binding's stubs do not say that the variants are kinds of Fusion


_FUSIONS: Mapping[int, edge.Fusion] = {
    pb.Fusion.RRF: cast("edge.Fusion", edge.Fusion.Rrf(RRF_K_DEFAULT)),
    pb.Fusion.DBSF: cast("edge.Fusion", edge.Fusion.Dbsf()),
}


def _scoring(message: pb.QueryPoints | pb.PrefetchQuery, *, vectors: Vectors, fields: Fields) -> Scoring | None:
    if not message.HasField("query"):
        return None
    query = message.query
    variant = query.WhichOneof("variant")
    if variant == "nearest":
        return edge.Query.Nearest(vector(query.nearest, name=message.using, vectors=vectors), message.using)
    if variant == "order_by":
        return order_by(query.order_by, fields)
    if variant in {"rrf", "fusion"} and not message.prefetch:
        raise invalid("fusion without a prefetch")
    if variant == "rrf":
        return _rrf(query.rrf, len(message.prefetch))
    if variant == "fusion" and query.fusion in _FUSIONS:
        return _FUSIONS[query.fusion]
    raise unimplemented(f"a query of kind {variant or 'unknown'}")


def _prefetch(message: pb.PrefetchQuery, *, vectors: Vectors, fields: Fields) -> edge.Prefetch:
    honours(message, "prefetch", "query", "using", "filter", "params", "score_threshold", "limit")
    return edge.Prefetch(
        limit=limit(message),
        query=_scoring(message, vectors=vectors, fields=fields),
        prefetches=[_prefetch(inner, vectors=vectors, fields=fields) for inner in message.prefetch],
        params=params(message.params, fields),
        filter=filter_(message.filter, fields) if message.HasField("filter") else None,
        score_threshold=message.score_threshold if message.HasField("score_threshold") else None,
    )


_QUERY_FIELDS = (
    "collection_name",
    "prefetch",
    "query",
    "using",
    "filter",
    "params",
    "score_threshold",
    "limit",
    "offset",
    "with_vectors",
    "with_payload",
    "read_consistency",
    "timeout",
)


def query(message: pb.QueryPoints, *, vectors: Vectors, fields: Fields) -> edge.QueryRequest:
    honours(message, *_QUERY_FIELDS)
    return edge.QueryRequest(
        limit=limit(message),
        offset=message.offset if message.HasField("offset") else None,
        query=_scoring(message, vectors=vectors, fields=fields),
        prefetches=[_prefetch(inner, vectors=vectors, fields=fields) for inner in message.prefetch],
        with_vector=with_vectors(message, vectors),
        with_payload=with_payload(message),
        filter=optional_filter(message, "filter", fields),
        score_threshold=message.score_threshold if message.HasField("score_threshold") else None,
        params=params(message.params, fields),
    )


def with_payload(message: Message) -> "bool | edge.PayloadSelector":
    """What the request's `with_payload` selects; nothing where it says nothing."""
    selector: pb.WithPayloadSelector = message.with_payload  # type: ignore[attr-defined]
    variant = selector.WhichOneof("selector_options")
    if variant == "include":
        return edge.PayloadSelector.Include(list(selector.include.fields))
    if variant == "exclude":
        return edge.PayloadSelector.Exclude(list(selector.exclude.fields))
    return selector.enable


def with_vectors(message: Message, vectors: Vectors) -> bool | list[str]:
    selector: pb.WithVectorsSelector = message.with_vectors  # type: ignore[attr-defined]
    if selector.WhichOneof("selector_options") != "include":
        return selector.enable
    for name in selector.include.names:
        if name not in vectors:
            raise invalid(f"Not existing vector name error: {name}")
    return list(selector.include.names)
