"""Which units together make the answer: the best document's, best first, and what another one must add to it."""

from collections.abc import Sequence
from dataclasses import replace

from cortex.domain.identity import DocumentId
from services.llm_gateway.extractive.question import Kind, Question
from services.llm_gateway.extractive.scoring import Scored, Scorer
from services.llm_gateway.extractive.settings import ComposerSettings
from services.llm_gateway.extractive.superseding import supersedes

STATEMENTS = 2
"""How many of a document's sentences are looked at for what a newer one says otherwise."""

MENTIONS_MAX = 2
"""Of how many further documents a sentence is given, where a code or a name was typed alone."""


def select(question: Question, scored: Sequence[Scored], scorer: Scorer, settings: ComposerSettings) -> list[Scored]:
    """Best first. Equal scores keep the order of the passages."""
    quotable = [one for one in scored if len(one.unit.text) <= settings.sentence_characters_max]
    if not quotable:
        return []
    documents = _by_document(quotable)
    ranked = sorted(documents.values(), key=lambda units: -_worth(units, scorer, settings))
    _put_first(ranked, scorer, settings)
    units = _current(question, ranked, scorer, settings)
    chosen = _of_one(question, units, scorer, settings)
    if units is not ranked[0]:
        chosen[0] = replace(chosen[0], dated=True)
    if question.keyword:
        chosen += _mentions(ranked, units, scorer)
    elif Kind.COMPARE in question.kinds:
        chosen += _other_sides(question, quotable, chosen, settings)
    elif len(question.kinds) > 1 or Kind.OTHER in question.kinds:
        chosen += _further(ranked, units, chosen, scorer, settings)
    elif Kind.WHY in question.kinds and not any(one.fitting > 0 for one in chosen):
        chosen += _reason(ranked, units, chosen, scorer)
    return chosen


def _by_document(scored: Sequence[Scored]) -> dict[DocumentId, list[Scored]]:
    documents: dict[DocumentId, list[Scored]] = {}
    for one in scored:
        documents.setdefault(one.unit.passage.document_id, []).append(one)
    return documents


def _best(units: Sequence[Scored]) -> Scored:
    return max(units, key=lambda one: one.score)


def _worth(units: Sequence[Scored], scorer: Scorer, settings: ComposerSettings) -> float:
    """A document's best sentence, and what its passages hold of the question by themselves."""
    passages = {one.unit.passage.chunk_id: one.unit.passage for one in units}.values()
    return (
        _best(units).score
        + settings.document_weight * max(map(scorer.passage_coverage, passages))
        + settings.found_weight * max(map(scorer.merit, passages))
        + settings.similarity_weight * max(map(_similarity, units))
    )


def _current(
    question: Question, ranked: Sequence[list[Scored]], scorer: Scorer, settings: ComposerSettings
) -> list[Scored]:
    """The best document's units, or those of a newer one that says the same with another value: it counts.

    Unless the question asks for something that only the older one holds, such as a year.
    """
    best = ranked[0]
    worth, said = _worth(best, scorer, settings), _foremost(best, scorer, settings)[:STATEMENTS]
    for units in ranked[1:]:
        if _worth(units, scorer, settings) < settings.close_share * worth:
            break
        if any(supersedes(question, one, first, settings) for first in said for one in units):
            best, said = units, _foremost(units, scorer, settings)[:STATEMENTS]
    return best


def _put_first(ranked: list[list[Scored]], scorer: Scorer, settings: ComposerSettings) -> None:
    """A document that says what is asked for, such as a day, before one that is worth as much and does not.

    The days of a table's row are of any of its columns, and say less.
    """
    best = ranked[0]
    if any(one.fitting >= 0 for one in best):
        return
    least = settings.fitting_share * _worth(best, scorer, settings)
    near = [units for units in ranked if _worth(units, scorer, settings) >= least and _tells(_best(units))]
    first = max(near, key=lambda units: _best(units).score, default=best)
    if _best(first).score > _best(best).score:
        ranked.remove(first)
        ranked.insert(0, first)


def _tells(one: Scored) -> bool:
    return one.fitting > 0 and not one.unit.row


def _foremost(units: Sequence[Scored], scorer: Scorer, settings: ComposerSettings) -> list[Scored]:
    return sorted(units, key=lambda one: (one.label, one.astray, -_inner(one, scorer, settings)))


def _repeats(candidate: Scored, chosen: Sequence[Scored], settings: ComposerSettings) -> bool:
    return any(
        len(candidate.keys & one.keys) >= settings.repeat_share * min(len(candidate.keys), len(one.keys))
        for one in chosen
        if not (candidate.unit.row and one.unit.row)
    )


def _of_one(question: Question, units: Sequence[Scored], scorer: Scorer, settings: ComposerSettings) -> list[Scored]:
    """The best unit, and what else of its document comes near it: more where no unit answers by itself."""
    first = _foremost(units, scorer, settings)[0]
    most = settings.list_sentences_max if Kind.LIST in question.kinds or first.unit.row else settings.sentences_max
    worth = {id(one): _worth_beside(one, first, scorer, settings) for one in units}
    whole = scorer.coverage(first.own) >= settings.alone_share
    alone = whole and Kind.WHY not in question.kinds and not question.keyword
    share = settings.further_share if alone else settings.filling_share
    chosen = [first]
    for candidate in sorted(units, key=lambda one: -worth[id(one)]):
        if candidate is first or candidate.label or candidate.astray or _repeats(candidate, chosen, settings):
            continue
        if len(chosen) >= most:
            break
        if _belongs(candidate, first, scorer, settings, worth=worth[id(candidate)], share=share):
            chosen.append(candidate)
    return chosen


def _worth_beside(one: Scored, first: Scored, scorer: Scorer, settings: ComposerSettings) -> float:
    """What a unit says of the question itself, whether it holds what is asked for, and whether it stands close by."""
    beside = settings.beside_bonus if _beside(one, first, settings) else 0.0
    return _inner(one, scorer, settings) + beside


def _belongs(
    candidate: Scored, first: Scored, scorer: Scorer, settings: ComposerSettings, *, worth: float, share: float
) -> bool:
    if candidate.unit.row:
        return scorer.coverage(candidate.own) >= settings.row_share * scorer.coverage(first.own)
    if first.unit.row:
        return worth >= scorer.coverage(first.own)
    return worth >= share * _inner(first, scorer, settings)


def _inner(one: Scored, scorer: Scorer, settings: ComposerSettings) -> float:
    """Without what all sentences of a document share."""
    said = settings.own_share * scorer.coverage(one.around) + (1 - settings.own_share) * scorer.coverage(one.own)
    return said + settings.type_weight * max(0.0, one.fitting)


def _beside(one: Scored, first: Scored, settings: ComposerSettings) -> bool:
    same = one.unit.passage.chunk_id == first.unit.passage.chunk_id
    return same and abs(one.unit.place - first.unit.place) <= settings.beside_places


def _other_sides(
    question: Question,
    scored: Sequence[Scored],
    chosen: Sequence[Scored],
    settings: ComposerSettings,
) -> list[Scored]:
    """For each thing compared that nothing chosen speaks of in the same words: the best sentence that is."""
    sides = question.sides()
    found: list[Scored] = []
    shared = [m for m in range(len(question.terms)) if m not in sides]

    def speaks(one: Scored) -> float:
        return sum(one.own[m] for m in shared)

    least = settings.side_share * max(map(speaks, chosen))
    for n in sides:
        if any(_is_about(one, n) and speaks(one) >= least for one in [*chosen, *found]):
            continue
        about = [one for one in scored if _is_about(one, n) and not one.label]
        best = max(about, key=lambda one: (speaks(one), one.score), default=None)
        if best is not None and best not in chosen and speaks(best) >= max(least, 1e-9):
            found.append(best)
    return found


def _is_about(one: Scored, term: int) -> bool:
    return one.own[term] > 0 or one.titled[term] > 0


def _further(
    ranked: Sequence[list[Scored]],
    units: Sequence[Scored],
    chosen: Sequence[Scored],
    scorer: Scorer,
    settings: ComposerSettings,
) -> list[Scored]:
    """Another document's best sentence, where it holds a good part of the question that nothing chosen does."""
    covered = [max(counts) for counts in zip(*(one.around for one in chosen), strict=True)]
    for others in ranked:
        if others is units:
            continue
        candidate = _best(others)
        more = [max(counts) for counts in zip(covered, candidate.own, strict=True)]
        gain = scorer.coverage(more) - scorer.coverage(covered)
        near = _similarity(candidate) >= _similarity(chosen[0]) - settings.similarity_loss_max
        if near and gain >= settings.gain_min and candidate.score >= settings.other_share * chosen[0].score:
            return [candidate]
    return []


def _mentions(ranked: Sequence[list[Scored]], units: Sequence[Scored], scorer: Scorer) -> list[Scored]:
    """What other documents say of a code or a name that was typed alone."""
    least = max(scorer.coverage(one.own) for one in units)
    others = [_best(one) for one in ranked if one is not units]
    return [one for one in others if scorer.coverage(one.own) >= least > 0 and not one.label][:MENTIONS_MAX]


def _reason(
    ranked: Sequence[list[Scored]], units: Sequence[Scored], chosen: Sequence[Scored], scorer: Scorer
) -> list[Scored]:
    """Another document's sentence that gives a reason, and speaks of the matter as much as what was chosen does."""
    said = max(scorer.coverage(one.own) for one in chosen)
    for others in ranked:
        reasons = [one for one in others if one.fitting > 0 and not one.label and scorer.coverage(one.own) >= said]
        if others is not units and reasons:
            return [_best(reasons)]
    return []


def _similarity(one: Scored) -> float:
    return one.unit.passage.scores.get("dense", 0.0)
