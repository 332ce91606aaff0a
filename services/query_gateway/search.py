"""`POST /v1/search`: one result a document, its best passage."""

from typing import Annotated

from fastapi import APIRouter, Depends

from cortex.domain.query import Found, Query
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.cursor import OFFSET_MAX, decode_cursor, encode_cursor, fingerprint
from services.query_gateway.facets import Facet, count
from services.query_gateway.filters import index_filters
from services.query_gateway.folders import openable_folders
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.present import result
from services.query_gateway.retrieve import Retriever
from services.query_gateway.visibility import Visibility
from services.query_gateway.wire import FacetBody, FacetValue, SearchRequest, SearchResponse


def router(*, identify: Identify, retriever: Retriever, visibility: Visibility) -> APIRouter:
    routes = APIRouter(tags=["search"], responses=DOCUMENTED)

    @routes.post("/v1/search", operation_id="search")
    async def search(body: SearchRequest, asking: Annotated[Asking, Depends(identify)]) -> SearchResponse:
        return await _search(retriever, visibility, asking, body)

    return routes


async def _search(retriever: Retriever, visibility: Visibility, asking: Asking, body: SearchRequest) -> SearchResponse:
    own = fingerprint(body.query, body.mode, body.filters.model_dump_json(), body.as_of, body.known_at)
    offset = decode_cursor(body.cursor, own)
    end = offset + body.limit
    query = Query(
        text=body.query,
        mode=body.mode,
        filters=index_filters(body.filters, as_of=body.as_of),
        as_of=body.as_of,
    )
    # One more than is shown: whether there is a next page is known without a count.
    retrieval = await retriever.retrieve(
        asking.reader, query, needed=end + 1, stages=asking.stages, everything=bool(body.facets)
    )
    counted = retrieval.found
    if Facet.CONTAINER_ID in body.facets:
        counted = await openable_folders(visibility, asking.reader, counted)
    with asking.stages.stage("present"):
        results = [result(found, body.query, explain=body.explain) for found in retrieval.found[offset:end]]
        facets = _facets(body, counted)
    further = len(retrieval.found) > end and end <= OFFSET_MAX
    return SearchResponse(
        results=results,
        facets=facets,
        next_cursor=encode_cursor(end, own) if further else None,
        degraded=list(retrieval.degraded),
        stages_ms=asking.stages.told_ms(),
        trace_id=asking.trace_id,
    )


def _facets(body: SearchRequest, found: tuple[Found, ...]) -> dict[str, FacetBody]:
    return {
        facet.value: FacetBody(
            values=[FacetValue(value=value, count=number) for value, number in count(found, facet)], of_top=len(found)
        )
        for facet in dict.fromkeys(body.facets)
    }
