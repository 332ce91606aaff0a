"""Passages get a context where their source wants one, and fit into the embedder's window with it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cortex.domain.event import StageEvent
from cortex.domain.identity import DocumentId, TenantId
from cortex.ports.revision_store import LatestRevision
from services.chunk.consume import ChunkStage
from services.chunk.settings import ChunkLimits
from tests.services.chunk.test_consume import PARSED, TENANT, Revisions
from tests.services.chunk.word_counter import WordCounter


@dataclass
class Wanting(Revisions):
    """Of a source that wants contexts, or does not."""

    contextual: bool = True

    async def latest(self, tenant: TenantId, document: DocumentId) -> LatestRevision:
        return replace(await super().latest(tenant, document), contextual=self.contextual)


@dataclass
class Contexts:
    """Implements Contextualiser with so many words."""

    number: int = 4
    asked: list[tuple[str, list[str]]] = field(default_factory=list)

    async def contexts(self, tenant: TenantId, title: str, passages: Sequence[str]) -> list[str]:
        assert tenant == TENANT
        self.asked.append((title, list(passages)))
        return [" ".join(["about"] * self.number) for _ in passages]


class Nowhere:
    """Implements StagePublisher."""

    async def publish(self, event: StageEvent) -> None:
        return


async def handle(revisions: Revisions, contexts: Contexts) -> None:
    stage = ChunkStage(
        revisions,
        Nowhere(),
        counter=WordCounter(),
        language_of=lambda _: "en",
        limits=ChunkLimits(),
        contexts=contexts,
    )
    await stage.handle(PARSED)


async def test_a_source_that_wants_it_has_a_context_for_each_passage() -> None:
    wanting, other, contexts = Wanting(), Wanting(contextual=False), Contexts()
    await handle(wanting, contexts)
    (chunk,) = wanting.saved
    assert (chunk.text, chunk.context) == (wanting.texts[0], "about about about about")
    assert contexts.asked == [("Plan", [chunk.text])]
    await handle(other, contexts)
    assert other.saved[0].context == ""
    assert chunk.tokens == other.saved[0].tokens + 4
    assert len(contexts.asked) == 1


async def test_a_passage_and_its_context_fit_into_the_embedders_window() -> None:
    texts = tuple(" ".join([f"word{n}"] * 90) for n in range(6))
    revisions = Wanting(texts=texts)
    await handle(revisions, Contexts(number=50))
    assert all(chunk.context for chunk in revisions.saved)
    assert max(chunk.tokens for chunk in revisions.saved) <= ChunkLimits().tokens_max
    await handle(revisions, Contexts(number=5_000))
    assert all(not chunk.context for chunk in revisions.saved)
