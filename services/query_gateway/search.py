"""`POST /v1/search`: one result a document, its best passage."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends

from cortex.domain.query import Found, Mode, Query
from cortex.domain.query_text import QueryText, parse
from cortex.ports.clock import Clock
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.cursor import OFFSET_MAX, decode_cursor, encode_cursor, fingerprint
from services.query_gateway.facets import Facet, count
from services.query_gateway.filters import index_filters
from services.query_gateway.folders import openable_folders
from services.query_gateway.folding import WINDOW, Folded, fold, shared_out
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.narrowing import Operators
from services.query_gateway.present import explained, result
from services.query_gateway.retrieve import Retriever
from services.query_gateway.visibility import Visibility
from services.query_gateway.wire import FacetBody, FacetValue, ReadQuery, SearchRequest, SearchResponse

FOLD_MARGIN = 10


class Search:
    def __init__(self, *, retriever: Retriever, operators: Operators, visibility: Visibility, clock: Clock) -> None:
        self._retriever = retriever
        self._visibility = visibility
        self._operators = operators
        self._clock = clock

    async def search(self, asking: Asking, body: SearchRequest) -> SearchResponse:
        own = fingerprint(
            body.query,
            body.mode,
            body.filters.model_dump_json(),
            body.as_of,
            body.known_at,
            body.operators,
            body.fold,
        )
        offset = decode_cursor(body.cursor, own)
        end = offset + body.limit
        read = parse(body.query) if body.operators else QueryText(body.query)
        filters = index_filters(body.filters, as_of=body.as_of)
        filters = await self._operators.by(asking.reader, body.filters.authors, filters)
        filters = await self._operators.narrowed(asking.reader, read, filters)
        query = Query(
            text=read.text,
            mode=body.mode,
            filters=filters,
            as_of=body.as_of,
            wanted=read.wanted,
            now=self._clock.now() if body.mode is Mode.HYBRID and body.as_of is None else None,
        )
        # One more than is shown tells whether there is a next page; and what is folded away is made up for.
        needed = max(end + 1, WINDOW) + FOLD_MARGIN if body.fold else end + 1
        retrieval = await self._retriever.retrieve(
            asking.reader, query, needed=needed, stages=asking.stages, everything=bool(body.facets)
        )
        counted = retrieval.found
        if Facet.CONTAINER_ID in body.facets:
            counted = await openable_folders(self._visibility, asking.reader, counted)
        with asking.stages.stage("present"):
            folded = fold(retrieval.found) if body.fold else [Folded(found) for found in retrieval.found]
            ordered = shared_out(folded) if body.fold else folded
            why = explained(retrieval.found) if body.explain else {}
            results = [result(one, read.text, why.get(one.found.document_id)) for one in ordered[offset:end]]
            facets = _facets(body, counted)
        more = len(ordered) > end or len(retrieval.found) >= needed
        shown = offset + len(results)
        return SearchResponse(
            results=results,
            facets=facets,
            next_cursor=encode_cursor(shown, own) if more and results and shown <= OFFSET_MAX else None,
            read=read_body(read),
            hints=[] if results or offset else hints(read),
            degraded=list(retrieval.degraded),
            stages_ms=asking.stages.told_ms(),
            trace_id=asking.trace_id,
        )


def read_body(read: QueryText) -> ReadQuery:
    return ReadQuery(
        text=read.text,
        phrases=list(read.wanted.phrases),
        excluded=list(read.wanted.excluded),
        people=list(read.people),
        places=list(read.places),
        kinds=list(read.wanted.kinds),
        after=read.after,
        before=read.before,
    )


def hints(read: QueryText) -> list[str]:
    """What to try where nothing was found, made from what was typed alone: hidden and absent are one."""
    found = []
    if read.people:
        found.append(f"Nothing that you may open is by {_named(read.people)}, or it does not hold these words.")
    if read.places:
        found.append(f"Nothing that you may open is in {_named(read.places)}, or it does not hold these words.")
    if read.wanted.phrases:
        found.append("Words in quotes must stand as they are; leave the quotes out to look for the words.")
    if read.wanted.kinds or read.after or read.before or read.wanted.excluded:
        found.append("Fewer conditions find more.")
    return found


def _named(values: Sequence[str]) -> str:
    return " or ".join(repr(value) for value in values)


def router(*, identify: Identify, search: Search) -> APIRouter:
    routes = APIRouter(tags=["search"], responses=DOCUMENTED, route_class=GuardedRoute)

    @routes.post("/v1/search", operation_id="search")
    async def look(body: SearchRequest, asking: Annotated[Asking, Depends(identify)]) -> SearchResponse:
        return await search.search(asking, body)

    return routes


def _facets(body: SearchRequest, found: tuple[Found, ...]) -> dict[str, FacetBody]:
    return {
        facet.value: FacetBody(
            values=[FacetValue(value=value, count=number) for value, number in count(found, facet)], of_top=len(found)
        )
        for facet in dict.fromkeys(body.facets)
    }
