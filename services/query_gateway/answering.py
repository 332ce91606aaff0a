"""Answers in the making: generation outlives the request that asked for it, within bounds."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from cortex.domain.answer import Passage
from cortex.domain.errors import Bug, CortexError, Transient
from cortex.domain.identity import AnswerId, ConversationId, TenantId
from cortex.domain.query import Retrieval
from cortex.domain.unexpected import outline
from cortex.ports.answer_store import AnswerEvent, AnswerStore
from cortex.ports.generator import Ending, GenerationRequest, Generator, Usage
from cortex.runtime.edge.problems import problem_of
from services.query_gateway.grounding import Grounding
from services.query_gateway.identify import Asking
from services.query_gateway.live import LiveAnswer
from services.query_gateway.metrics import Metrics
from services.query_gateway.present import answer_sources, considered, sentence_body
from services.query_gateway.rewriting import Meant
from services.query_gateway.settings import AnswerSettings
from services.query_gateway.transcript import DONE, META, error_event, event, sentence_events, sources_event
from services.query_gateway.wire import AnswerSource, DoneEvent, MetaEvent, SentenceBody, StoredAnswer, UsageBody

log = logging.getLogger(__name__)

NEAREST = 3
"""How many sources an answer names that says nothing."""

UNSUPPORTED, NO_SUPPORT = "unsupported", "no_support"


@dataclass(frozen=True, slots=True)
class Assignment:
    """What is to be answered, from what, for whom."""

    asking: Asking
    answer_id: AnswerId
    conversation_id: ConversationId
    question: str
    meant: Meant
    passages: Sequence[Passage]
    retrieval: Retrieval

    @property
    def tenant(self) -> TenantId:
        return self.asking.reader.tenant_id

    @property
    def request(self) -> GenerationRequest:
        person = self.asking.reader.credential.person_id
        return GenerationRequest(self.tenant, person, self.meant.text, self.passages)


@dataclass(slots=True)
class _Draft:
    """What has been said so far."""

    sources: list[AnswerSource]
    sentences: list[SentenceBody] = field(default_factory=list)
    dropped: int = 0
    ending: Ending | None = None

    @property
    def abstained(self) -> bool:
        return not self.sentences

    def reason(self, interrupted: str | None) -> str | None:
        if interrupted:
            return interrupted
        if not self.abstained:
            return None
        given = self.ending.reason if self.ending else None
        return given or (UNSUPPORTED if self.dropped else NO_SUPPORT)


class Answering:
    """Owns the tasks; enter it for as long as the application lives."""

    def __init__(self, *, generator: Generator, store: AnswerStore, metrics: Metrics, settings: AnswerSettings) -> None:
        self._generator = generator
        self._store = store
        self._metrics = metrics
        self._settings = settings
        self._running: dict[AnswerId, LiveAnswer] = {}
        self._stack = AsyncExitStack()
        self._tasks: asyncio.TaskGroup | None = None

    async def __aenter__(self) -> Self:
        self._tasks = await self._stack.enter_async_context(asyncio.TaskGroup())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends what is still running: each is recorded as stopped."""
        for live in list(self._running.values()):
            live.stop()
        await self._stack.__aexit__(kind, error, trace)

    def live(self, answer: AnswerId) -> LiveAnswer | None:
        return self._running.get(answer)

    async def start(self, assignment: Assignment) -> LiveAnswer:
        """Returns once the answer's beginning is durable; the rest follows in the background."""
        if self._tasks is None:
            raise Bug("answers were asked for before the application started")
        if len(self._running) >= self._settings.running_max:
            raise Transient("too many answers are being written", retry_after_s=2.0)
        live = LiveAnswer(assignment.answer_id, grace_s=self._settings.grace_s)
        person = assignment.asking.reader.credential.person_id
        await self._store.create(
            assignment.tenant,
            person,
            assignment.answer_id,
            conversation_id=assignment.conversation_id,
            question=assignment.question,
        )
        meta = MetaEvent(
            answer_id=assignment.answer_id,
            conversation_id=assignment.conversation_id,
            trace_id=assignment.asking.trace_id,
            rewritten_question=assignment.meant.shown,
        )
        draft = _Draft(answer_sources(assignment.passages))
        await self._publish(assignment, live, [event(1, META, meta), sources_event(2, draft.sources)])
        self._running[assignment.answer_id] = live
        self._tasks.create_task(self._run(assignment, live, draft))
        return live

    async def _publish(self, assignment: Assignment, live: LiveAnswer, events: list[AnswerEvent]) -> None:
        """Durable first, then visible: what a reader saw can be resumed."""
        live.reserved = events[-1].sequence
        await self._store.append(assignment.tenant, assignment.answer_id, events)
        live.add(events)

    async def _run(self, assignment: Assignment, live: LiveAnswer, draft: _Draft) -> None:
        """Never raises: the group is shared with every other answer."""
        try:
            interrupted = await self._generate_within_bounds(assignment, live, draft)
            await self._complete(assignment, live, draft, interrupted)
        except CortexError as error:
            await self._fail(assignment, live, error)
        except Exception as error:  # noqa: BLE001 - the boundary of a task: one answer's bug must not end the others
            log.error("answer %s: %s", assignment.answer_id, outline(error))
            await self._fail(assignment, live, Bug())
        finally:
            live.finish()
            self._running.pop(assignment.answer_id, None)

    async def _generate_within_bounds(self, assignment: Assignment, live: LiveAnswer, draft: _Draft) -> str | None:
        """Why the answer was cut short, or None."""
        try:
            async with asyncio.timeout(self._settings.generation_timeout_s) as bound:
                live.bind(bound)
                with assignment.asking.stages.stage("generate"):
                    await self._generate(assignment, live, draft)
        except TimeoutError:
            return "stopped" if live.stopped else "interrupted"
        finally:
            live.unbind()
        return None

    async def _generate(self, assignment: Assignment, live: LiveAnswer, draft: _Draft) -> None:
        grounding = Grounding(assignment.passages)
        stream = self._generator.generate(assignment.request)
        async with aclosing(stream) as parts:
            async for part in parts:
                if isinstance(part, Ending):
                    draft.ending = part
                    return
                if not grounding.supported(part):
                    draft.dropped += 1
                    continue
                body = sentence_body(part)
                before = draft.sentences[-1] if draft.sentences else None
                events = sentence_events(live.reserved + 1, body, before=before)
                if live.reserved + len(events) >= self._settings.events_max:
                    return
                await self._publish(assignment, live, events)
                draft.sentences.append(body)

    async def _complete(self, assignment: Assignment, live: LiveAnswer, draft: _Draft, interrupted: str | None) -> None:
        answer = _stored(assignment, draft, interrupted)
        done = DoneEvent(
            abstained=answer.abstained,
            reason=answer.reason,
            citations=sum(len(sentence.citations) for sentence in answer.sentences),
            unsupported_dropped=answer.unsupported_dropped,
            degraded=answer.degraded,
            usage=answer.usage,
            stages_ms=answer.stages_ms,
            nearest=answer.nearest,
            confidence=answer.confidence,
            evidence=answer.evidence,
        )
        state = "stopped" if interrupted else "done"
        ending = event(live.reserved + 1, DONE, done)
        await self._store.append(assignment.tenant, assignment.answer_id, [ending])
        await self._store.finish(
            assignment.tenant, assignment.answer_id, state=state, record=answer.model_dump(mode="json")
        )
        live.add([ending])
        self._metrics.unsupported(draft.dropped)
        for part in draft.ending.degraded if draft.ending else ():
            self._metrics.degraded(part)
        self._metrics.answered("abstained" if answer.abstained else state)

    async def _fail(self, assignment: Assignment, live: LiveAnswer, error: CortexError) -> None:
        """Tells whoever listens, and keeps it if the store can be reached."""
        failure = error_event(live.reserved + 1, problem_of(error, trace=assignment.asking.trace_id))
        self._metrics.answered("failed")
        try:
            await self._store.append(assignment.tenant, assignment.answer_id, [failure])
            await self._store.finish(assignment.tenant, assignment.answer_id, state="failed", record={})
        except CortexError:
            log.warning("a failed answer could not be recorded", extra={"answer_id": str(assignment.answer_id)})
        live.add([failure])


def _stored(assignment: Assignment, draft: _Draft, interrupted: str | None) -> StoredAnswer:
    usage = draft.ending.usage if draft.ending else Usage()
    return StoredAnswer(
        answer_id=assignment.answer_id,
        conversation_id=assignment.conversation_id,
        question=assignment.question,
        sentences=draft.sentences,
        sources=draft.sources,
        abstained=draft.abstained,
        reason=draft.reason(interrupted),
        unsupported_dropped=draft.dropped,
        degraded=[*assignment.retrieval.degraded, *(draft.ending.degraded if draft.ending else ())],
        usage=UsageBody(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens),
        stages_ms=assignment.asking.stages.told_ms(),
        trace_id=assignment.asking.trace_id,
        engine=draft.ending.engine if draft.ending else "",
        considered=considered(assignment.retrieval.found, assignment.passages),
        nearest=[source.n for source in draft.sources[:NEAREST]] if draft.abstained else [],
        confidence=draft.ending.confidence if draft.ending else None,
        evidence=dict(draft.ending.evidence) if draft.ending else {},
    )
