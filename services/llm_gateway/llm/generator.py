"""Asks the engines of a route in order, and the composer where none of them answers: the answer always comes."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from cortex.domain.answer import Sentence
from cortex.domain.engine import Engine, GenerationPlan
from cortex.domain.errors import Bug, CortexError, Transient
from cortex.domain.words import words
from cortex.ports.engine import Writer
from cortex.ports.engine_store import GenerationLedger
from cortex.ports.generator import Ending, GenerationRequest, Generator, Usage
from cortex.ports.prompt_cache import CachedAnswer, PromptCache
from services.llm_gateway.llm.holding import Holder
from services.llm_gateway.llm.prompt import NOTHING, Prompt, cache_key, prompt
from services.llm_gateway.llm.reading import Reader, Written
from services.llm_gateway.llm.turns import Turns
from services.llm_gateway.settings import LlmGatewaySettings

log = logging.getLogger(__name__)

NO_ENGINE, NO_BUDGET, NO_SUPPORT = "llm", "llm_budget", "llm_unsupported"
NOT_FOUND, UNSUPPORTED = "not_found", "unsupported"
CHARACTERS_PER_TOKEN = 4
SAME_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class EnginePorts:
    composer: Generator
    writer: Writer
    ledger: GenerationLedger
    cache: PromptCache


@dataclass(slots=True)
class _Draft:
    """What an engine has written, and what it used."""

    sentences: list[Sentence] = field(default_factory=list)
    nothing: bool = False
    characters: int = 0
    usage: Usage | None = None

    @property
    def held(self) -> tuple[Sentence, ...]:
        return tuple(sentence for sentence in self.sentences if sentence.citations)

    @property
    def reason(self) -> str | None:
        """Silence is believed where nothing else was said."""
        if self.held:
            return None
        return NOT_FOUND if self.nothing and not self.sentences else UNSUPPORTED

    def spent(self, made: Prompt) -> Usage:
        """As the engine says; else, as for a call that was broken off, reckoned from the length of the texts."""
        if self.usage is not None:
            return self.usage
        read = sum(len(message.text) for message in made.messages)
        return Usage(read // CHARACTERS_PER_TOKEN, -(-self.characters // CHARACTERS_PER_TOKEN))


class RoutedGenerator:
    """Implements Generator."""

    def __init__(self, ports: EnginePorts, settings: LlmGatewaySettings) -> None:
        self.ports = ports
        self._settings = settings
        self._turns = Turns(turn_s_max=settings.turn_s_max, rest_s=settings.rest_s)

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Sentence | Ending, None]:
        plan = await self._plan(request)
        engines = [] if plan is None or plan.spent or not request.passages else plan.engines
        told: list[Sentence] = []
        unsupported: Ending | None = None
        for engine in engines:
            if told or unsupported is not None or self._turns.rests(engine.spec):
                continue
            try:
                async with aclosing(self._by(engine, request)) as parts:
                    async for part in parts:
                        if isinstance(part, Ending):
                            if not part.abstained or part.reason == NOT_FOUND:
                                yield part
                                return
                            unsupported = part
                            continue
                        told += [part] if part.citations else []
                        yield part
            except Bug:
                raise
            except CortexError as error:
                log.warning("%s", error)
                self._turns.failed(engine.spec)
        degraded = _missing(plan, engines, unsupported is not None)
        usage = Usage() if unsupported is None else unsupported.usage
        async with aclosing(self._composed(request, told, degraded)) as parts:
            async for part in parts:
                yield replace(part, usage=usage) if isinstance(part, Ending) else part

    async def _plan(self, request: GenerationRequest) -> GenerationPlan | None:
        """None where it cannot be read: then no engine is asked, since no budget is known."""
        try:
            async with asyncio.timeout(self._settings.store_s_max):
                return await self.ports.ledger.plan(request.tenant)
        except (CortexError, TimeoutError) as error:
            log.warning("no engine is asked: %s", type(error).__name__)
            return None

    async def _by(self, engine: Engine, request: GenerationRequest) -> AsyncGenerator[Sentence | Ending, None]:
        made = prompt(request.question, request.passages, engine.spec)
        key = cache_key(request.tenant, engine.spec, made, request.passages)
        cached = await self._cached(request, key)
        if cached is None:
            draft = _Draft()
            async with aclosing(self._written(engine, request, made, draft)) as sentences:
                async for sentence in sentences:
                    yield sentence
            cached = CachedAnswer(draft.held, draft.reason)
            usage = draft.spent(made)
            await self._keep(request, key, cached)
        else:
            usage = Usage()
            for sentence in cached.sentences:
                yield sentence
        yield Ending(abstained=not cached.sentences, reason=cached.reason, usage=usage, engine=engine.spec.name)

    async def _written(
        self, engine: Engine, request: GenerationRequest, made: Prompt, draft: _Draft
    ) -> AsyncGenerator[Sentence, None]:
        """Sentences as soon as they are whole; whatever ends it, what it cost is accounted for."""
        holder = await asyncio.to_thread(Holder, request.passages, made.passages)
        reader = Reader()
        async with self._turns.turn(engine.spec):
            try:
                async with aclosing(self.ports.writer.write(engine, made.messages)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Usage):
                            draft.usage = piece
                            continue
                        draft.characters += len(piece)
                        for written in reader.feed(piece):
                            if (sentence := self._held(written, holder, draft)) is not None:
                                yield sentence
                for written in reader.end():
                    if (sentence := self._held(written, holder, draft)) is not None:
                        yield sentence
            finally:
                await self._spend(request, engine, draft.spent(made))

    def _held(self, written: Written, holder: Holder, draft: _Draft) -> Sentence | None:
        """None for what says that there is nothing to say, and beyond the bound."""
        if NOTHING in written.text:
            draft.nothing = True
            return None
        if len(draft.sentences) >= self._settings.sentences_max:
            return None
        sentence = holder.hold(written)
        draft.sentences.append(sentence)
        return sentence

    async def _composed(
        self, request: GenerationRequest, told: Sequence[Sentence], degraded: tuple[str, ...]
    ) -> AsyncGenerator[Sentence | Ending, None]:
        """What an engine said before it broke off is not said again."""
        async with aclosing(self.ports.composer.generate(request)) as parts:
            async for part in parts:
                if isinstance(part, Ending):
                    abstained = part.abstained and not told
                    reason = part.reason if abstained else None
                    yield replace(part, abstained=abstained, reason=reason, degraded=degraded)
                elif not any(_same(part, before) for before in told):
                    yield part

    async def _cached(self, request: GenerationRequest, key: bytes) -> CachedAnswer | None:
        """A cache that does not answer holds nothing."""
        try:
            async with asyncio.timeout(self._settings.store_s_max):
                return await self.ports.cache.get(request.tenant, key)
        except (Transient, TimeoutError):
            return None

    async def _keep(self, request: GenerationRequest, key: bytes, answer: CachedAnswer) -> None:
        """What nothing supported is asked anew the next time."""
        if not answer.sentences and answer.reason != NOT_FOUND:
            return
        documents = list(dict.fromkeys(passage.document_id for passage in request.passages))
        try:
            async with asyncio.timeout(self._settings.store_s_max):
                await self.ports.cache.put(request.tenant, key, answer, person=request.person, documents=documents)
        except (Transient, TimeoutError):
            log.warning("an answer could not be cached")

    async def _spend(self, request: GenerationRequest, engine: Engine, usage: Usage) -> None:
        try:
            async with asyncio.timeout(self._settings.store_s_max):
                await self.ports.ledger.spend(request.tenant, engine.spec.name, usage)
        except (Transient, TimeoutError):
            log.error("engine %s: %s tokens are not accounted for", engine.spec.name, sum(_both(usage)))


def _missing(plan: GenerationPlan | None, asked: Sequence[Engine], unsupported: bool) -> tuple[str, ...]:
    """What a reader is told: nothing where no engine is configured, since then none is missing."""
    if plan is None:
        return (NO_ENGINE,)
    if plan.engines and plan.spent:
        return (NO_BUDGET,)
    if unsupported:
        return (NO_SUPPORT,)
    return (NO_ENGINE,) if asked else ()


def _both(usage: Usage) -> tuple[int, int]:
    return usage.prompt_tokens, usage.completion_tokens


def _same(one: Sentence, other: Sentence) -> bool:
    held, before = ({word.key for word in words(each.text) if not word.stop} for each in (one, other))
    return len(held & before) >= SAME_SHARE * max(1, min(len(held), len(before)))
