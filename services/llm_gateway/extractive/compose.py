"""From a question and passages to an answer made of their sentences, or to silence."""

from collections.abc import Sequence

from cortex.domain.answer import Citation, Composed, Passage, Sentence
from cortex.domain.calibration import Calibration
from cortex.domain.query import source_numbers
from services.llm_gateway.extractive.calibrated import SHIPPED
from services.llm_gateway.extractive.evidence import judge
from services.llm_gateway.extractive.question import read
from services.llm_gateway.extractive.rendering import said
from services.llm_gateway.extractive.scoring import Scored, Scorer
from services.llm_gateway.extractive.selection import select
from services.llm_gateway.extractive.settings import ComposerSettings


def compose(
    question: str, passages: Sequence[Passage], settings: ComposerSettings, calibration: Calibration = SHIPPED
) -> Composed:
    """Pure. Every sentence is said from one exact part of a block, which is its quote."""
    asked = read(question)
    scorer = Scorer(asked, passages, settings)
    scored = [one for passage in passages for one in scorer.score(passage)]
    chosen = select(asked, scored, scorer, settings)
    verdict = judge(asked, passages, chosen, scorer, settings, calibration)
    numbers = source_numbers(passages)
    sentences = tuple(_sentence(one, numbers[one.unit.passage.document_id]) for one in _ordered(verdict.given))
    return Composed(sentences, not sentences, verdict.reason, verdict.confidence, verdict.features)


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
    return Sentence(said(one), (citation,))
