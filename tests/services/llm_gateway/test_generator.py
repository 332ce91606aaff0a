"""The composer behind the port of generators."""

import uuid
from collections.abc import AsyncGenerator, Sequence

from cortex.domain.answer import Passage, Sentence
from cortex.domain.identity import PersonId, tenant_id
from cortex.ports.generator import Ending, GenerationRequest
from services.llm_gateway.extractive.settings import ComposerSettings
from services.llm_gateway.generator import ExtractiveGenerator
from tests.services.llm_gateway.extractive.passages import passage


def said(question: str, passages: Sequence[Passage]) -> AsyncGenerator[Sentence | Ending, None]:
    request = GenerationRequest(tenant_id("acme"), PersonId(uuid.UUID(int=1)), question, passages)
    return ExtractiveGenerator(ComposerSettings()).generate(request)


async def test_sentences_come_first_and_one_ending_last() -> None:
    page = passage("Everyone has 30 days of annual leave.", title="Leave")
    parts = [part async for part in said("How many days of leave?", [page])]
    assert [type(part) for part in parts] == [Sentence, Ending]
    ending = parts[-1]
    assert isinstance(ending, Ending)
    assert not ending.abstained
    assert ending.confidence is not None
    assert ending.evidence["said"] > 0


async def test_silence_has_a_reason() -> None:
    parts = [part async for part in said("Who owns the moon?", [])]
    assert parts == [Ending(abstained=True, reason="nothing_found", confidence=0.0)]
