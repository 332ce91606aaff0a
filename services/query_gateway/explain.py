"""`GET /v1/answers/{id}/explain`: what was found for an answer, and what ranked it.

Ranks are counted anew among what the reader may see, so that a gap tells nothing.
"""

from typing import Annotated

from fastapi import APIRouter, Depends

from cortex.domain.credential import Reader
from cortex.domain.identity import AnswerId
from cortex.ports.answer_store import AnswerRecord
from cortex.runtime.edge.guarded import GuardedRoute
from cortex.runtime.edge.problems import DOCUMENTED
from services.query_gateway import figures
from services.query_gateway.answers import Records, answer_id
from services.query_gateway.conversation_wire import ExplainedPassage, Explanation
from services.query_gateway.identify import Asking, Identify
from services.query_gateway.wire import StoredAnswer, UsageBody


class Explaining:
    def __init__(self, *, records: Records) -> None:
        self._records = records

    async def explain(self, reader: Reader, answer: AnswerId) -> Explanation:
        record = await self._records.get(reader, answer)
        (stored,) = await self._records.checked(reader, [record], considered=True)
        return _nothing_yet(record) if stored is None else explanation(record, stored)


def explanation(record: AnswerRecord, stored: StoredAnswer) -> Explanation:
    """`stored` holds only what its reader may see."""
    shown = sorted(stored.considered, key=lambda one: -one.scores.get("fused", 0.0))
    scores = [one.scores for one in shown]
    cited = {citation.chunk_id for sentence in stored.sentences for citation in sentence.citations}
    return Explanation.model_validate(
        {
            "answer_id": record.answer_id,
            "question": record.question,
            "state": record.state,
            "abstained": stored.abstained,
            "reason": stored.reason,
            "passages": [
                ExplainedPassage(
                    **one.model_dump(exclude={"scores"}), scores=told, ranks=ranks, cited=one.chunk_id in cited
                )
                for one, told, ranks in zip(shown, figures.told(scores), figures.ranked(scores), strict=True)
            ],
            "degraded": stored.degraded,
            "unsupported_dropped": stored.unsupported_dropped,
            "engine": stored.engine,
            "usage": stored.usage,
            "stages_ms": stored.stages_ms,
        }
    )


def _nothing_yet(record: AnswerRecord) -> Explanation:
    return Explanation.model_validate(
        {
            "answer_id": record.answer_id,
            "question": record.question,
            "state": record.state,
            "abstained": False,
            "reason": None,
            "passages": [],
            "degraded": [],
            "unsupported_dropped": 0,
            "engine": "",
            "usage": UsageBody(),
            "stages_ms": {},
        }
    )


def router(*, identify: Identify, explaining: Explaining) -> APIRouter:
    routes = APIRouter(prefix="/v1/answers", tags=["answers"], responses=DOCUMENTED, route_class=GuardedRoute)

    @routes.get("/{answer}/explain", operation_id="explain_answer")
    async def explain(answer: str, asking: Annotated[Asking, Depends(identify)]) -> Explanation:
        return await explaining.explain(asking.reader, answer_id(answer))

    return routes
