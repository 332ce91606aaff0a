"""Scores as they are told to whoever asks to have an order explained.

How much a word weighs in `bm25` depends on how often it stands in the whole tenant, hidden documents included: the
figure itself would let their words be counted. It is told in standard deviations among the passages that are shown.
The others come from the question and the passage alone.
"""

from collections.abc import Mapping, Sequence

from cortex.domain.fusion import Arm, standardised

Scores = Mapping[str, float]
_OF_THE_TENANT = (Arm.BM25.value,)


def told(shown: Sequence[Scores]) -> list[dict[str, float]]:
    """`shown` are of passages that the asker may open, and of no others."""
    relative = {
        name: standardised({place: one[name] for place, one in enumerate(shown) if name in one})
        for name in _OF_THE_TENANT
    }
    return [
        dict(one) | {name: round(scores[place], 4) for name, scores in relative.items() if place in scores}
        for place, one in enumerate(shown)
    ]


def ranked(shown: Sequence[Scores]) -> list[dict[str, int]]:
    """From 1 among them, by each score. Equal scores have equal ranks."""
    return [{name: _rank(shown, name, score) for name, score in one.items()} for one in shown]


def _rank(shown: Sequence[Scores], name: str, score: float) -> int:
    return 1 + sum(other.get(name, float("-inf")) > score for other in shown)
