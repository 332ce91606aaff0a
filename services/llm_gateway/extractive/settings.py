"""Weights and thresholds of the composer, tuned on a half of the demo questions (eval/answers_offline.py)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ComposerSettings:
    """Shares are of the question's words, each weighed by how rare it is among the passages.

    `coverage_min`: an answer and what stands around it hold this share of the question where the model finds its
    passage no nearer than `doubtful_similarity`; from `sure_similarity` on `sure_coverage_min` is enough.
    `unfitting_factor`: how much more it takes where no sentence holds the kind of thing that was asked for.

    A further sentence has `further_share` of the best one's score and adds `gain_min` of the question, or is another
    document's with `agreeing_share` of the best one's words. `close_share`: a newer document's sentence that repeats
    the best one takes its place, unless it loses more than `close_loss_max` of the question. `other_document_share`:
    what documents beside the best one must hold of what an answer requires, and the model must find them as near as
    that, but for `similarity_loss_max`. `repeat_share`: two sentences that have
    this share of words in common say the same. A reason lies within `reason_places` of what it explains.
    """

    sentences_max: int = 4
    sentence_characters_max: int = 700
    coverage_min: float = 0.6
    sure_coverage_min: float = 0.4
    unfitting_factor: float = 1.4
    doubtful_similarity: float = 0.35
    sure_similarity: float = 0.65
    passage_weight: float = 0.5
    type_weight: float = 0.2
    recency_weight: float = 0.12
    other_code_penalty: float = 0.4
    further_share: float = 0.72
    agreeing_share: float = 0.8
    close_share: float = 0.85
    close_loss_max: float = 0.05
    other_document_share: float = 0.7
    similarity_loss_max: float = 0.1
    repeat_share: float = 0.6
    gain_min: float = 0.15
    reason_places: int = 2
    reason_sentences_max: int = 4
