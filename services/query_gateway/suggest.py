"""`GET /v1/suggest`: titles and authors that begin so, of documents that the asker may open."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from cortex.domain.credential import Reader
from cortex.ports.document_reader import LiveDocument
from cortex.ports.suggestion_store import Named, SuggestionStore
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.conversation_wire import DocumentSuggestion, PersonSuggestion, Suggestions
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.present import safe_url, source_body
from services.query_gateway.visibility import Visibility

CANDIDATES = 96
PEOPLE_SHARE = 2
"""People get at most one part in so many of the places, where there are titles for the others."""


class Suggesting:
    """Each beginning costs the same, whatever of it the asker may see: all candidates are checked."""

    def __init__(self, *, store: SuggestionStore, visibility: Visibility) -> None:
        self._store = store
        self._visibility = visibility

    async def suggest(self, reader: Reader, prefix: str, *, limit: int) -> Suggestions:
        wanted = " ".join(prefix.replace("\x00", "").split())
        if not wanted:
            return Suggestions(items=[])
        titled = await self._store.beginning(reader.tenant_id, Named.TITLE, wanted, limit=CANDIDATES)
        authored = await self._store.beginning(reader.tenant_id, Named.AUTHOR, wanted, limit=CANDIDATES)
        visible = await self._visibility.visible(reader, list(dict.fromkeys([*titled, *authored])))
        people = list(dict.fromkeys(visible[d].author for d in authored if d in visible))
        documents = [visible[d] for d in titled if d in visible]
        return Suggestions(items=arranged(documents, [name for name in people if name], limit=limit))


def arranged(
    documents: Sequence[LiveDocument], people: Sequence[str], *, limit: int
) -> list[DocumentSuggestion | PersonSuggestion]:
    """People first, since there are few; titles take the places that are left."""
    shown = people[: max(limit // PEOPLE_SHARE, limit - len(documents))]
    return [
        *(PersonSuggestion(text=name) for name in shown),
        *(
            DocumentSuggestion(
                text=live.title,
                document_id=live.document_id,
                url=safe_url(live.url),
                source=source_body(live.source),
            )
            for live in documents[: limit - len(shown)]
        ),
    ]


def router(*, identify: Identify, suggesting: Suggesting) -> APIRouter:
    routes = APIRouter(tags=["search"], responses=DOCUMENTED, route_class=GuardedRoute)

    @routes.get("/v1/suggest", operation_id="suggest")
    async def suggest(
        asking: Annotated[Asking, Depends(identify)],
        q: Annotated[str, Query(max_length=100)] = "",
        limit: Annotated[int, Query(ge=1, le=20)] = 8,
    ) -> Suggestions:
        return await suggesting.suggest(asking.reader, q, limit=limit)

    return routes
