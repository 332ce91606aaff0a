"""Weights and thresholds of the composer, tuned on a half of the demo questions (eval/answers_offline.py)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ComposerSettings:
    """Shares are of the question's words, each weighed by how rare it is among the passages.

    A document is worth its best sentence's score and `document_weight` of what all its passages hold. A newer document
    takes the best one's place when its worth is `close_share` of it and the two best sentences have `alike_share` of
    their words in common. Where the best one holds nothing of the kind that is asked for, such as a day, one that does
    needs `fitting_share` of its worth to come first.

    Further sentences of the document have `further_share` of what the best one says, those within `beside_places` of
    it with `beside_bonus`; where the best one holds less than `alone_share` of the question, `filling_share` is enough.
    Rows of a table have `row_share` of its words. `repeat_share`: two sentences that have this share of words in common
    say the same. Another document's sentence adds `gain_min` of the question with `other_share` of the score and is
    found as near, but for `similarity_loss_max`; the other side of a comparison holds `side_share` of what is compared.
    `other_document_share`: how confident it must be beside the best one.
    """

    sentences_max: int = 6
    list_sentences_max: int = 8
    sentence_characters_max: int = 700
    own_share: float = 0.35
    passage_weight: float = 0.5
    document_weight: float = 0.5
    found_weight: float = 1.0
    similarity_weight: float = 0.5
    type_weight: float = 0.2
    recency_weight: float = 0.08
    other_code_penalty: float = 0.4
    close_share: float = 0.8
    fitting_share: float = 0.9
    alike_share: float = 0.8
    alone_share: float = 0.8
    further_share: float = 0.7
    filling_share: float = 0.0
    beside_places: int = 1
    beside_bonus: float = 0.25
    row_share: float = 0.95
    repeat_share: float = 0.8
    gain_min: float = 0.25
    other_share: float = 0.75
    similarity_loss_max: float = 0.1
    side_share: float = 0.5
    other_document_share: float = 0.6
