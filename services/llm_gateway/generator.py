"""The extractive composer behind the generator's port."""

import asyncio
from collections.abc import AsyncGenerator

from cortex.domain.answer import Sentence
from cortex.ports.generator import Ending, GenerationRequest
from services.llm_gateway.extractive.compose import compose
from services.llm_gateway.extractive.settings import ComposerSettings


class ExtractiveGenerator:
    """Needs no model and reads no tokens. Composing takes milliseconds, on a thread."""

    def __init__(self, settings: ComposerSettings) -> None:
        self._settings = settings

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Sentence | Ending, None]:
        composed = await asyncio.to_thread(compose, request.question, request.passages, self._settings)
        for sentence in composed.sentences:
            yield sentence
        yield Ending(
            abstained=composed.abstained,
            reason=composed.reason,
            confidence=composed.confidence,
            evidence=composed.evidence,
        )
