"""qdrant.Points, the half that only looks."""

import qdrant_edge as edge
from qdrant_client import grpc as pb

from cortex.adapters.qdrant_edge import answers, queries
from cortex.adapters.qdrant_edge.filters import indexed, optional_filter
from cortex.adapters.qdrant_edge.method import Methods, method
from cortex.adapters.qdrant_edge.points import point_id, point_ids
from cortex.adapters.qdrant_edge.refusal import honours, invalid
from cortex.adapters.qdrant_edge.store import Store

# Fields of every read that one shard without replicas satisfies whatever they say.
_COMMON = ("collection_name", "read_consistency", "timeout")


def _get(store: Store, request: pb.GetPoints) -> pb.GetResponse:
    honours(request, *_COMMON, "ids", "with_payload", "with_vectors")
    collection = store.collection(request.collection_name)
    records = collection.shard.retrieve(
        point_ids(request.ids),
        with_payload=queries.with_payload(request),
        with_vector=queries.with_vectors(request, collection.vectors),
    )
    return pb.GetResponse(result=answers.retrieved(records))


def _scroll(store: Store, request: pb.ScrollPoints) -> pb.ScrollResponse:
    honours(request, *_COMMON, "filter", "offset", "limit", "with_payload", "with_vectors", "order_by")
    collection = store.collection(request.collection_name)
    ordered = queries.order_by(request.order_by, collection.fields) if request.HasField("order_by") else None
    records, following = collection.shard.scroll(
        edge.ScrollRequest(
            offset=point_id(request.offset) if request.HasField("offset") else None,
            limit=queries.limit(request),
            filter=optional_filter(request, "filter", collection.fields),
            with_payload=queries.with_payload(request),
            with_vector=queries.with_vectors(request, collection.vectors),
            order_by=ordered,
        )
    )
    response = pb.ScrollResponse(result=answers.retrieved(records))
    if following is not None:
        response.next_page_offset.CopyFrom(answers.id_message(following))
    return response


def _count(store: Store, request: pb.CountPoints) -> pb.CountResponse:
    honours(request, *_COMMON, "filter", "exact")
    collection = store.collection(request.collection_name)
    exact = request.exact if request.HasField("exact") else True
    matching = optional_filter(request, "filter", collection.fields)
    count = collection.shard.count(edge.CountRequest(exact=exact, filter=matching))
    return pb.CountResponse(result=pb.CountResult(count=count))


def _facet_value(value: str | int | bool) -> pb.FacetValue:
    if isinstance(value, bool):
        return pb.FacetValue(bool_value=value)
    return pb.FacetValue(integer_value=value) if isinstance(value, int) else pb.FacetValue(string_value=value)


def _facet(store: Store, request: pb.FacetCounts) -> pb.FacetResponse:
    honours(request, *_COMMON, "key", "filter", "limit", "exact")
    collection = store.collection(request.collection_name)
    indexed(request.key, collection.fields)
    facet = edge.FacetRequest(
        request.key,
        limit=queries.limit(request),
        exact=request.exact,
        filter=optional_filter(request, "filter", collection.fields),
    )
    hits = [pb.FacetHit(value=_facet_value(hit.value), count=hit.count) for hit in collection.shard.facet(facet).hits]
    return pb.FacetResponse(hits=hits)


def _query(store: Store, request: pb.QueryPoints) -> pb.QueryResponse:
    collection = store.collection(request.collection_name)
    asked = queries.query(request, vectors=collection.vectors, fields=collection.fields)
    return pb.QueryResponse(result=answers.scored(collection.shard.query(asked)))


def _query_batch(store: Store, request: pb.QueryBatchPoints) -> pb.QueryBatchResponse:
    """All queries of a batch see the same state, since nothing else runs meanwhile."""
    honours(request, *_COMMON, "query_points")
    if not 0 < len(request.query_points) <= queries.BATCH_MAX:
        raise invalid(f"{len(request.query_points)} queries in a batch; use 1 to {queries.BATCH_MAX}")
    collection = store.collection(request.collection_name)
    for inner in request.query_points:
        if inner.collection_name not in {"", request.collection_name}:
            raise invalid("the queries of a batch must name the collection of the batch")
    asked = [
        queries.query(inner, vectors=collection.vectors, fields=collection.fields) for inner in request.query_points
    ]
    found = collection.shard.query_batch(edge.QueryBatchRequest(asked))
    return pb.QueryBatchResponse(result=[pb.BatchResult(result=answers.scored(points)) for points in found])


METHODS: Methods = {
    "Get": method(pb.GetPoints, _get),
    "Scroll": method(pb.ScrollPoints, _scroll),
    "Count": method(pb.CountPoints, _count),
    "Facet": method(pb.FacetCounts, _facet),
    "Query": method(pb.QueryPoints, _query),
    "QueryBatch": method(pb.QueryBatchPoints, _query_batch),
}
