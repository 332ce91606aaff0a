"""The composer behind the port of generators."""

from cortex.domain.answer import Sentence
from cortex.ports.generator import Ending
from services.llm_gateway.extractive.settings import ComposerSettings
from services.llm_gateway.generator import ExtractiveGenerator
from tests.services.llm_gateway.extractive.passages import passage


async def test_sentences_come_first_and_one_ending_last() -> None:
    page = passage("Everyone has 30 days of annual leave.", title="Leave")
    parts = [part async for part in ExtractiveGenerator(ComposerSettings()).generate("How many days of leave?", [page])]
    assert [type(part) for part in parts] == [Sentence, Ending]
    assert parts[-1] == Ending(abstained=False)


async def test_silence_has_a_reason() -> None:
    parts = [part async for part in ExtractiveGenerator(ComposerSettings()).generate("Who owns the moon?", [])]
    assert parts == [Ending(abstained=True, reason="not_found")]
