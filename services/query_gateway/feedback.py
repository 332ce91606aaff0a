"""`POST /v1/answers/{id}/feedback`: what one thinks of an answer of one's own."""

from typing import Annotated

from fastapi import APIRouter, Depends

from cortex.ports.feedback_store import FeedbackStore
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway.answers import answer_id
from services.query_gateway.conversation_wire import FeedbackBody, FeedbackRequest
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.metrics import Metrics


def router(*, identify: Identify, feedback: FeedbackStore, metrics: Metrics) -> APIRouter:
    routes = APIRouter(prefix="/v1/answers", tags=["answers"], responses=DOCUMENTED, route_class=GuardedRoute)
    writing = identify.writing()

    @routes.post("/{answer}/feedback", operation_id="give_feedback")
    async def give(answer: str, body: FeedbackRequest, asking: Annotated[Asking, Depends(writing)]) -> FeedbackBody:
        """Takes the place of what one said before."""
        identifier, reader = answer_id(answer), asking.reader
        await feedback.put(
            reader.tenant_id, reader.credential.person_id, identifier, rating=body.rating, comment=body.comment
        )
        metrics.rated(body.rating.value)
        return FeedbackBody(answer_id=identifier, rating=body.rating, comment=body.comment)

    @routes.delete("/{answer}/feedback", operation_id="take_back_feedback", status_code=204)
    async def take_back(answer: str, asking: Annotated[Asking, Depends(writing)]) -> None:
        reader = asking.reader
        await feedback.take_back(reader.tenant_id, reader.credential.person_id, answer_id(answer))

    return routes
