"""The composer behind the port of generators."""

import uuid
from collections.abc import AsyncGenerator, Sequence

from cortex.domain.answer import Passage, Sentence
from cortex.domain.calibration import Calibration
from cortex.domain.errors import Transient
from cortex.domain.identity import PersonId, TenantId, tenant_id
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


class Kept:
    """A tenant that believes nothing, and one whose store is away."""

    async def calibration(self, tenant: TenantId) -> Calibration | None:
        if tenant == tenant_id("away"):
            raise Transient("the store is away")
        return Calibration(intercept=0.0, threshold=1.0)


async def test_a_tenants_own_calibration_decides_and_the_shipped_one_where_it_cannot_be_read() -> None:
    page = passage("Everyone has 30 days of annual leave.", title="Leave")
    endings = []
    for tenant in ("acme", "away"):
        request = GenerationRequest(tenant_id(tenant), PersonId(uuid.UUID(int=1)), "How many days of leave?", [page])
        generator = ExtractiveGenerator(ComposerSettings(), Kept())
        endings += [part async for part in generator.generate(request) if isinstance(part, Ending)]
    assert [(one.abstained, one.reason) for one in endings] == [(True, "no_support"), (False, None)]
