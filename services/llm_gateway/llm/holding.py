"""Holds a model's sentences to the passages: each gets the quotes that say it, or goes without and is dropped."""

from collections.abc import Iterable, Sequence

from cortex.domain.answer import Citation, Passage, Sentence
from cortex.domain.query import source_numbers
from cortex.domain.support import SUPPORTED, Said, said, support
from services.llm_gateway.extractive.units import Unit, units
from services.llm_gateway.llm.reading import Written

QUOTES_MAX = 3
GAIN_MIN, GAIN_SHARE_MIN = 2, 0.2
"""What a further quote must add to a sentence that is supported already: words, and their share of it."""


class Holder:
    """`numbered` are the passages as the model was given them, from 1; `passages` give documents their numbers."""

    def __init__(self, passages: Sequence[Passage], numbered: Sequence[Passage]) -> None:
        self._numbers = source_numbers(passages)
        self._numbered = numbered
        self._units = [[(unit, said(unit.text, passage.language)) for unit in units(passage)] for passage in numbered]
        self._above = [said(" ".join((one.title, *one.heading_path)), one.language) for one in numbered]

    def hold(self, written: Written) -> Sentence:
        """The model's numbers are looked at first, and believed in nothing."""
        named = [number - 1 for number in written.numbers if 0 < number <= len(self._numbered)]
        others = [place for place in range(len(self._numbered)) if place not in named]
        quotes = self._quotes(written.text, named) or self._joined(written.text, named)
        quotes = quotes or self._quotes(written.text, others)
        return Sentence(written.text, tuple(self._citation(unit) for unit in quotes))

    def _quotes(self, text: str, places: Sequence[int]) -> list[Unit]:
        """Fewest units that together say it, best first; none where they do not."""
        best: list[Unit] = []
        best_support = 0.0
        for place in places:
            claim = said(text, self._numbered[place].language)
            chosen, reached = _greedy(claim, self._units[place], [self._above[place]])
            if reached >= SUPPORTED and reached > best_support:
                best, best_support = chosen, reached
        return best

    def _joined(self, text: str, named: Sequence[int]) -> list[Unit]:
        """What no passage says alone, as a comparison, where the model names more than one."""
        if len(named) < 2:
            return []
        claim = said(text, self._numbered[named[0]].language)
        together = [unit for place in named for unit in self._units[place]]
        return _greedy(claim, together, [self._above[place] for place in named])[0]

    def _citation(self, unit: Unit) -> Citation:
        passage = unit.passage
        return Citation(
            n=self._numbers[passage.document_id],
            quote=unit.text,
            document_id=passage.document_id,
            chunk_id=passage.chunk_id,
            anchor=unit.anchor,
        )


def _greedy(claim: Said, candidates: Iterable[tuple[Unit, Said]], above: Sequence[Said]) -> tuple[list[Unit], float]:
    """The units that hold most of what is missing, each needed or adding much; none if they are too little."""
    wanted = claim.content | claim.required
    left = [(unit, held) for unit, held in candidates if wanted & held.everything]
    chosen: list[tuple[Unit, Said]] = []
    held: frozenset[str] = frozenset()
    reached = 0.0
    while left and len(chosen) < QUOTES_MAX:
        best = max(left, key=lambda one: (len(wanted & (one[1].everything - held)), one[1].denies == claim.denies))
        gained = len(wanted & (best[1].everything - held))
        if not gained or (reached >= SUPPORTED and gained < max(GAIN_MIN, GAIN_SHARE_MIN * len(wanted))):
            break
        more = support(claim, [one for _, one in (*chosen, best)], above)
        if more < reached:
            break
        chosen.append(best)
        left.remove(best)
        held, reached = held | best[1].everything, more
    return ([unit for unit, _ in chosen], reached) if reached >= SUPPORTED else ([], 0.0)
