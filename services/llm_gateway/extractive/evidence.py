"""Whether what was chosen answers the question, or merely speaks of something like it."""

from collections.abc import Sequence

from cortex.domain.answer import Passage
from cortex.domain.identity import DocumentId
from cortex.domain.words import stem
from services.llm_gateway.extractive.question import Question
from services.llm_gateway.extractive.scoring import Scored, Scorer, found, passage_keys
from services.llm_gateway.extractive.settings import ComposerSettings

NOT_FOUND = "not_found"


def supported(question: Question, chosen: Sequence[Scored], scorer: Scorer, settings: ComposerSettings) -> list[Scored]:
    """Those of `chosen` that may be given as an answer; none is silence. Nothing else decides between the two.

    One document must hold enough by itself: words of a question that lie scattered over several prove nothing.
    """
    if not chosen or not question.terms:
        return []
    documents = _by_document(chosen)
    held = {document: _held(units, scorer, settings) for document, units in documents.items()}
    if not any(
        held[document] >= 1.0 and _speaks_of_it(question, [one.unit.passage for one in units])
        for document, units in documents.items()
    ):
        return []
    return [one for one in chosen if held[one.unit.passage.document_id] >= settings.other_document_share]


def _by_document(chosen: Sequence[Scored]) -> dict[DocumentId, list[Scored]]:
    documents: dict[DocumentId, list[Scored]] = {}
    for one in chosen:
        documents.setdefault(one.unit.passage.document_id, []).append(one)
    return documents


def _held(units: Sequence[Scored], scorer: Scorer, settings: ComposerSettings) -> float:
    """What these units hold of the question, as a share of what an answer requires."""
    covered = scorer.coverage([max(counts) for counts in zip(*(one.around for one in units), strict=True)])
    similarity = max(one.unit.passage.scores.get("dense", 0.0) for one in units)
    fitting = any(one.fitting >= 0 for one in units)
    return covered / required_coverage(similarity, settings) / (1.0 if fitting else settings.unfitting_factor)


def required_coverage(similarity: float, settings: ComposerSettings) -> float:
    """The nearer the model finds a passage, the fewer of the question's own words it must hold; on a straight line.

    Without a model (0, or a language that it does not know) words alone decide.
    """
    if similarity <= settings.doubtful_similarity:
        return settings.coverage_min
    span = settings.sure_similarity - settings.doubtful_similarity
    share = min(1.0, (similarity - settings.doubtful_similarity) / span)
    return settings.coverage_min + share * (settings.sure_coverage_min - settings.coverage_min)


def _speaks_of_it(question: Question, passages: Sequence[Passage]) -> bool:
    """Codes as they stand, and every name, in a chosen passage or its title."""
    for passage in passages:
        held = passage_keys(passage)
        names = {stem(name, passage.language) for name in question.names()}
        if question.codes <= held and all(found(name, held) for name in names):
            return True
    return False
