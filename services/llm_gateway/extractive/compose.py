"""From a question and passages to an answer made of their sentences, or to silence."""

from collections.abc import Sequence

from cortex.domain.answer import Citation, Composed, Passage, Sentence
from cortex.domain.query import source_numbers
from services.llm_gateway.extractive.evidence import NOT_FOUND, supported
from services.llm_gateway.extractive.question import read
from services.llm_gateway.extractive.scoring import Scored, Scorer
from services.llm_gateway.extractive.selection import select
from services.llm_gateway.extractive.settings import ComposerSettings
from services.llm_gateway.extractive.units import units


def compose(question: str, passages: Sequence[Passage], settings: ComposerSettings) -> Composed:
    """Pure. Every sentence is an exact part of one block, with itself as its quote."""
    asked = read(question)
    scorer = Scorer(asked, passages, settings)
    scored = [one for passage in passages if (cut := units(passage)) for one in scorer.score(cut)]
    chosen = select(asked, scored, scorer, settings)
    given = supported(asked, chosen, scorer, settings)
    if not given:
        return Composed((), abstained=True, reason=NOT_FOUND)
    numbers = source_numbers(passages)
    sentences = tuple(_sentence(one, numbers[one.unit.passage.document_id]) for one in _ordered(given))
    return Composed(sentences, abstained=False)


def _ordered(chosen: Sequence[Scored]) -> list[Scored]:
    """Documents by their best sentence, sentences of one document as they stand in it."""
    documents = list(dict.fromkeys(one.unit.passage.document_id for one in chosen))
    return sorted(
        chosen,
        key=lambda one: (
            documents.index(one.unit.passage.document_id),
            one.unit.anchor.block_id,
            one.unit.anchor.start,
        ),
    )


def _sentence(one: Scored, n: int) -> Sentence:
    passage = one.unit.passage
    citation = Citation(
        n=n,
        quote=one.unit.text,
        document_id=passage.document_id,
        chunk_id=passage.chunk_id,
        anchor=one.unit.anchor,
    )
    return Sentence(one.unit.text, (citation,))
