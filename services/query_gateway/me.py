"""Who asks, and where they may look: `/v1/me`, `/v1/sources`."""

from typing import Annotated

from fastapi import APIRouter, Depends

from cortex.domain.acl_index import asker_tokens
from cortex.domain.answer import SourceLabel
from cortex.domain.credential import Reader
from cortex.domain.encoding import unpack_floats
from cortex.domain.identity import DocumentId, SourceId
from cortex.domain.query import Mode
from cortex.domain.vector import HybridRequest, IndexFilters, SearchScope
from cortex.ports.document_reader import DocumentReader
from cortex.ports.profiles import Profiles
from cortex.ports.vector_index import VectorReader
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.conversation_wire import MeBody, PersonBody, SourceList, TenantBody
from services.query_gateway.deadline import within
from services.query_gateway.encode import QueryEncoder
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.present import source_body
from services.query_gateway.settings import RetrievalSettings
from services.query_gateway.visibility import Visibility

ANYTHING = "documents"


class VisibleSources:
    """A source is shown once one document of it is proven to be visible.

    The index gives candidates under the asker's own filter, whatever they are about; each round leaves out the sources
    that are proven, so there are as many rounds as sources at most, and mostly one or two. A source of which the first
    few hundred candidates are all refused is left out, like one that is empty.
    """

    def __init__(
        self,
        *,
        encoder: QueryEncoder,
        index: VectorReader,
        documents: DocumentReader,
        visibility: Visibility,
        settings: RetrievalSettings,
    ) -> None:
        self._encoder = encoder
        self._index = index
        self._documents = documents
        self._visibility = visibility
        self._settings = settings

    async def of(self, reader: Reader) -> list[SourceLabel]:
        async with within(self._settings.search_timeout_s, "the document store"):
            labels = await self._documents.sources(reader.tenant_id)
        encoded = await self._encoder.encode(reader.tenant_id, ANYTHING, Mode.HYBRID)
        dense = unpack_floats(encoded.tokens.dense) if encoded.tokens is not None else None
        scope = SearchScope(reader.tenant_id, asker_tokens(reader.asker))
        unproven = {label.id for label in labels}
        limit = self._settings.arm_limit
        while unproven:
            filters = IndexFilters(source_ids=frozenset(unproven))
            request = HybridRequest(dense=dense, sparse=encoded.sparse, limit=limit, filters=filters)
            async with within(self._settings.search_timeout_s, "the index"):
                result = await self._index.search(scope, request)
            documents = dict.fromkeys(point.document_id for point in (*result.dense, *result.sparse))
            proven = unproven & await self._proven(reader, list(documents))
            unproven -= proven
            if not proven and (limit == self._settings.deep_arm_limit or len(result.dense) < limit):
                break
            limit = self._settings.arm_limit if proven else self._settings.deep_arm_limit
        return [label for label in labels if label.id not in unproven]

    async def _proven(self, reader: Reader, documents: list[DocumentId]) -> set[SourceId]:
        visible = await self._visibility.visible(reader, documents)
        return {live.source.id for live in visible.values() if live.indexed_revision > 0}


def router(*, identify: Identify, profiles: Profiles, sources: VisibleSources) -> APIRouter:
    routes = APIRouter(prefix="/v1", responses=DOCUMENTED, route_class=GuardedRoute)

    @routes.get("/me", operation_id="get_me", tags=["sign-in"])
    async def me(asking: Annotated[Asking, Depends(identify)]) -> MeBody:
        credential = asking.reader.credential
        profile = await profiles.profile(credential.tenant_id, credential.person_id)
        return MeBody(
            person=PersonBody(
                id=credential.person_id, name=profile.name, email=profile.email, guest=asking.reader.asker.guest
            ),
            tenant=TenantBody(id=credential.tenant_id, name=profile.tenant_name, title=profile.tenant_title),
            role=credential.role,
            scopes=sorted(credential.scopes),
        )

    @routes.get("/sources", operation_id="list_visible_sources", tags=["search"])
    async def visible(asking: Annotated[Asking, Depends(identify)]) -> SourceList:
        return SourceList(items=[source_body(label) for label in await sources.of(asking.reader)])

    return routes
