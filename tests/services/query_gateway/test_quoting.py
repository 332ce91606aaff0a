"""While the llm_gateway is another process and away, the passages themselves are shown, and that it is so."""

import uuid
from collections.abc import AsyncGenerator, Sequence

import pytest

from cortex.domain.answer import Passage, Sentence
from cortex.domain.errors import Bug, Transient
from cortex.domain.identity import PersonId, tenant_id
from cortex.ports.generator import Ending, GenerationRequest
from services.query_gateway.grounding import Grounding
from services.query_gateway.quoting import Quoting
from tests.services.llm_gateway.extractive.passages import passage

LEAVE = passage("Heading", "  Everyone at Acme has 31 days of annual leave.", title="Leave")
COFFEE = passage("The coffee machine is on the second floor.", title="Coffee")
QUESTION = "How many days of annual leave?"


class Remote:
    """Implements Generator: what it is told to say, then the failure."""

    def __init__(self, *said: Sentence | Ending, failing: Exception | None = None) -> None:
        self.said = said
        self.failing = failing

    async def generate(self, request: GenerationRequest) -> AsyncGenerator[Sentence | Ending, None]:
        for part in self.said:
            yield part
        if self.failing is not None:
            raise self.failing


async def asked(remote: Remote, passages: Sequence[Passage] = (COFFEE, LEAVE)) -> list[Sentence | Ending]:
    request = GenerationRequest(tenant_id("acme"), PersonId(uuid.UUID(int=1)), QUESTION, passages)
    return [part async for part in Quoting(remote).generate(request)]


async def test_what_it_says_is_passed_on() -> None:
    said = (Sentence("31 days.", ()), Ending(abstained=False))
    assert await asked(Remote(*said)) == list(said)


async def test_while_it_is_away_the_best_passage_is_quoted() -> None:
    quote, ending = await asked(Remote(failing=Transient("away")))
    assert isinstance(quote, Sentence)
    assert quote.text == "Everyone at Acme has 31 days of annual leave."
    assert Grounding([COFFEE, LEAVE]).supported(quote)
    assert ending == Ending(abstained=False, degraded=("llm_gateway",))


async def test_what_has_little_to_do_with_the_question_is_not_quoted() -> None:
    assert await asked(Remote(failing=Transient("away")), [COFFEE]) == [
        Ending(abstained=True, reason="not_found", degraded=("llm_gateway",))
    ]


async def test_what_was_said_before_it_went_stays_alone() -> None:
    said = Sentence("31 days.", ())
    assert await asked(Remote(said, failing=Transient("away"))) == [
        said,
        Ending(abstained=False, degraded=("llm_gateway",)),
    ]


async def test_a_bug_is_not_covered_up() -> None:
    with pytest.raises(Bug):
        await asked(Remote(failing=Bug("no")))
