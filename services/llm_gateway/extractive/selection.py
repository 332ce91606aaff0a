"""Which units together make the answer: the best one, and those that add to it without repeating it."""

from collections.abc import Sequence

from services.llm_gateway.extractive.question import Kind, Question
from services.llm_gateway.extractive.scoring import Scored, Scorer
from services.llm_gateway.extractive.settings import ComposerSettings


def select(question: Question, scored: Sequence[Scored], scorer: Scorer, settings: ComposerSettings) -> list[Scored]:
    """Best first. Equal scores keep the order of the passages."""
    quotable = [one for one in scored if len(one.unit.text) <= settings.sentence_characters_max]
    ranked = sorted(quotable, key=lambda one: -one.score)
    if not ranked:
        return []
    chosen = [_current(ranked, scorer, settings)]
    if Kind.WHY in question.kinds:
        ranked.sort(key=lambda one: not _near(one, chosen[0], settings))
    for candidate in ranked:
        if len(chosen) >= settings.sentences_max:
            break
        if candidate is chosen[0] or _repeats(candidate, chosen, settings):
            continue
        if _adds(question, candidate, chosen, scorer, settings):
            chosen.append(candidate)
    return chosen


def _current(ranked: Sequence[Scored], scorer: Scorer, settings: ComposerSettings) -> Scored:
    """The best unit, or a newer document's that says nearly the same: where two disagree, the later one counts.

    Unless the question asks for something that only the older one holds, such as a year.
    """
    best = ranked[0]
    for candidate in ranked[1:]:
        if candidate.score < settings.close_share * ranked[0].score:
            break
        whole = scorer.coverage(candidate.own) >= scorer.coverage(best.own) - settings.close_loss_max
        if whole and _newer(candidate, best) and _repeats(candidate, [best], settings):
            best = candidate
    return best


def _newer(one: Scored, other: Scored) -> bool:
    mine, theirs = one.unit.passage.updated_at, other.unit.passage.updated_at
    elsewhere = one.unit.passage.document_id != other.unit.passage.document_id
    return elsewhere and mine is not None and (theirs is None or mine > theirs)


def _repeats(candidate: Scored, chosen: Sequence[Scored], settings: ComposerSettings) -> bool:
    return any(
        len(candidate.keys & one.keys) >= settings.repeat_share * min(len(candidate.keys), len(one.keys))
        for one in chosen
    )


def _adds(
    question: Question, candidate: Scored, chosen: Sequence[Scored], scorer: Scorer, settings: ComposerSettings
) -> bool:
    """A reason beside what happened, a part of a list, missing words, or another document's word on the same."""
    first = chosen[0]
    if Kind.WHY in question.kinds and _near(candidate, first, settings):
        return len(chosen) < settings.reason_sentences_max
    if candidate.score < settings.further_share * first.score:
        return False
    same_document = candidate.unit.passage.document_id == first.unit.passage.document_id
    if not same_document and _similarity(candidate) < _similarity(first) - settings.similarity_loss_max:
        return False
    covered = [max(counts) for counts in zip(*(one.own for one in chosen), strict=True)]
    more = [max(counts) for counts in zip(covered, candidate.own, strict=True)]
    gain = scorer.coverage(more) - scorer.coverage(covered)
    if gain >= settings.gain_min:
        return True
    own, best = scorer.coverage(candidate.own), scorer.coverage(first.own)
    if same_document:
        return Kind.LIST in question.kinds and own > 0
    return own >= settings.agreeing_share * best


def _similarity(one: Scored) -> float:
    return one.unit.passage.scores.get("dense", 0.0)


def _near(candidate: Scored, first: Scored, settings: ComposerSettings) -> bool:
    same = candidate.unit.passage.chunk_id == first.unit.passage.chunk_id
    return same and abs(candidate.unit.place - first.unit.place) <= settings.reason_places
