"""`GET /v1/suggest`: titles and authors that begin so, of documents that the asker may open."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from cortex.domain.credential import Reader
from cortex.domain.identity import DocumentId
from cortex.ports.document_reader import LiveDocument
from cortex.ports.suggestion_store import Candidate, Named, SuggestionStore
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.conversation_wire import DocumentSuggestion, PersonSuggestion, Suggestions
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.present import safe_url, source_body
from services.query_gateway.visibility import Visibility

CANDIDATES = 64
"""Of titles, and as many of authors."""
PEOPLE_SHARE = 2
"""People get at most one part in so many of the places, where there are titles for the others."""


class Suggesting:
    """Each beginning costs the same, whatever begins so and whatever of it the asker may see.

    As many candidates are checked for every prefix: those that begin so, their neighbours, and what is not there.
    """

    def __init__(self, *, store: SuggestionStore, visibility: Visibility) -> None:
        self._store = store
        self._visibility = visibility

    async def suggest(self, reader: Reader, prefix: str, *, limit: int) -> Suggestions:
        wanted = " ".join(prefix.replace("\x00", "").split())
        if not wanted:
            return Suggestions(items=[])
        titled = await self._store.candidates(reader.tenant_id, Named.TITLE, wanted, limit=CANDIDATES)
        authored = await self._store.candidates(reader.tenant_id, Named.AUTHOR, wanted, limit=CANDIDATES)
        asked = list(dict.fromkeys(one.document_id for one in (*titled, *authored)))
        visible = await self._visibility.visible(reader, asked, checks_min=2 * CANDIDATES)
        documents = _shown(titled, visible)
        people = list(dict.fromkeys(live.author for live in _shown(authored, visible)))
        return Suggestions(items=arranged(documents, [name for name in people if name], limit=limit))


def _shown(candidates: Sequence[Candidate], visible: Mapping[DocumentId, LiveDocument]) -> list[LiveDocument]:
    return [visible[one.document_id] for one in candidates if one.begins and one.document_id in visible]


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
