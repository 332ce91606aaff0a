"""Constructor fakes of what a routed generator stands on."""

import uuid
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from cortex.domain.answer import Passage, Sentence
from cortex.domain.engine import Engine, EngineSpec, GenerationPlan
from cortex.domain.identity import DocumentId, PersonId, TenantId, tenant_id
from cortex.ports.engine import Message
from cortex.ports.generator import Ending, GenerationRequest, Usage
from cortex.ports.prompt_cache import CachedAnswer
from services.llm_gateway.extractive.settings import ComposerSettings
from services.llm_gateway.generator import ExtractiveGenerator
from services.llm_gateway.llm.generator import EnginePorts, RoutedGenerator
from services.llm_gateway.settings import LlmGatewaySettings

ACME = tenant_id("acme")
ANN = PersonId(uuid.UUID(int=1))


def engine(name: str = "small") -> Engine:
    return Engine(EngineSpec(name, f"http://{name}.example/v1", "tiny"))


@dataclass
class Writing:
    """Implements Writer: each engine's script by its name; an exception in it is raised there."""

    scripts: dict[str, Sequence[str | Usage | Exception]] = field(default_factory=dict)
    asked: list[tuple[str, list[Message]]] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)

    async def write(self, engine: Engine, messages: Sequence[Message]) -> AsyncGenerator[str | Usage, None]:
        self.asked.append((engine.spec.name, list(messages)))
        try:
            for part in self.scripts[engine.spec.name]:
                if isinstance(part, Exception):
                    raise part
                yield part
        finally:
            self.closed.append(engine.spec.name)


@dataclass
class Ledger:
    planned: GenerationPlan = field(default_factory=GenerationPlan)
    failing: Exception | None = None
    spent: list[tuple[TenantId, str, Usage]] = field(default_factory=list)

    async def plan(self, tenant: TenantId) -> GenerationPlan:
        if self.failing:
            raise self.failing
        return self.planned

    async def spend(self, tenant: TenantId, engine: str, usage: Usage) -> None:
        if self.failing:
            raise self.failing
        self.spent.append((tenant, engine, usage))


@dataclass
class Cache:
    kept: dict[bytes, CachedAnswer] = field(default_factory=dict)
    documents: list[Sequence[DocumentId]] = field(default_factory=list)
    failing: Exception | None = None

    async def get(self, tenant: TenantId, key: bytes) -> CachedAnswer | None:
        if self.failing:
            raise self.failing
        return self.kept.get(key)

    async def put(
        self, tenant: TenantId, key: bytes, answer: CachedAnswer, *, person: PersonId, documents: Sequence[DocumentId]
    ) -> None:
        if self.failing:
            raise self.failing
        self.kept[key] = answer
        self.documents.append(documents)


@dataclass
class Bench:
    """A generator with its fakes around it; the composer is the real one."""

    engines: Sequence[Engine] = (engine(),)
    tokens_left: int | None = None
    writing: Writing = field(default_factory=Writing)
    ledger: Ledger = field(default_factory=Ledger)
    cache: Cache = field(default_factory=Cache)

    def __post_init__(self) -> None:
        self.ledger.planned = GenerationPlan(tuple(self.engines), self.tokens_left)
        ports = EnginePorts(ExtractiveGenerator(ComposerSettings()), self.writing, self.ledger, self.cache)
        self.generator = RoutedGenerator(ports, LlmGatewaySettings())

    def ask(self, question: str, passages: Sequence[Passage], tenant: TenantId = ACME) -> GenerationRequest:
        return GenerationRequest(tenant, ANN, question, passages)

    async def answer(self, question: str, passages: Sequence[Passage]) -> tuple[list[Sentence], Ending]:
        parts = [part async for part in self.generator.generate(self.ask(question, passages))]
        *sentences, ending = parts
        assert isinstance(ending, Ending)
        assert all(isinstance(sentence, Sentence) for sentence in sentences)
        return [sentence for sentence in sentences if isinstance(sentence, Sentence)], ending
