"""Terms to weights. A passage carries the term-frequency half of BM25, a question the counts; the index has the IDF."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cortex.adapters.bm25.stems import Stems, stop_words
from cortex.adapters.bm25.unspaced import ChineseSegmenter, has_kana, pairs
from cortex.adapters.bm25.words import Exact, Piece, Run, Word, pieces
from cortex.domain.term_length import AVERAGE_TERMS
from cortex.domain.vector import PassageTerms, SparseVector

VERSION = "bm25-1"


@dataclass(frozen=True, slots=True)
class Bm25Weights:
    """`saturation` is BM25's k1, `length` its b."""

    saturation: float = 1.2
    length: float = 0.75


def term_index(term: str) -> int:
    """A stable 32-bit index. Languages share the space: an equal stem is an equal term.

    Among a million distinct terms, one in 4,300 shares its index with another. Their weights add up, and the rest of
    the query tells the passages apart.
    """
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=4).digest(), "little")


class Bm25Encoder:
    """Implements SparseEncoder."""

    def __init__(self, segmenter: ChineseSegmenter, weights: Bm25Weights | None = None) -> None:
        self._segmenter = segmenter
        self._weights = weights or Bm25Weights()
        self._stems = Stems()
        self.version = f"{VERSION}:{AVERAGE_TERMS:g}"

    def encode_passage(self, text: str, language: str, *, average_terms: float = AVERAGE_TERMS) -> PassageTerms:
        terms = Counter(self.passage_terms(text, language))
        weights = self._weights
        length = terms.total()
        shrink = weights.saturation * (1 - weights.length + weights.length * length / average_terms)
        weighed = {term: n * (weights.saturation + 1) / (n + shrink) for term, n in terms.items()}
        return PassageTerms(_vector(weighed), length)

    def encode_query(self, text: str, languages: Sequence[str]) -> SparseVector:
        return _vector(Counter(self.query_terms(text, languages)))

    def passage_terms(self, text: str, language: str) -> Iterator[str]:
        japanese = language == "ja" or (language != "zh" and has_kana(text))
        for piece in pieces(text):
            yield from self._passage_piece(piece, language, japanese=japanese)

    def _passage_piece(self, piece: Piece, language: str, *, japanese: bool) -> Iterator[str]:
        match piece:
            case Exact(term):
                yield term
            case Run(run):
                yield from pairs(run) if japanese else self._segmenter.terms(run)
            case Word(word, shouted):
                if shouted or word not in stop_words().get(language, ()):
                    yield self._stems.stem(word, language)

    def query_terms(self, text: str, languages: Sequence[str]) -> Iterator[str]:
        """Each word once in the form that every plausible language gives it, and as it stands.

        A passage holds a word in one form alone, that of its own language, so that it scores once whichever it is; a
        question of three words is too short to be sure of its language, and may name a foreign passage's word.
        """
        for piece in pieces(text):
            match piece:
                case Exact(term):
                    yield term
                case Run(run):
                    yield from dict.fromkeys(self._query_run(run, languages))
                case Word(word, shouted):
                    yield from self._query_word(word, languages, shouted=shouted)

    def _query_run(self, run: str, languages: Sequence[str]) -> Iterator[str]:
        if has_kana(run) or "ja" in languages:
            yield from pairs(run)
        if not has_kana(run):
            yield from self._segmenter.terms(run)

    def _query_word(self, word: str, languages: Sequence[str], *, shouted: bool) -> set[str]:
        stops = [word in stop_words().get(language, ()) for language in languages]
        if stops[:1] == [True] and not shouted:
            return set()
        stems = {
            self._stems.stem(word, language)
            for language, stop in zip(languages, stops, strict=True)
            if shouted or not stop
        }
        return stems | {word}


def _vector(weights: dict[str, float] | Counter[str]) -> SparseVector:
    by_index: dict[int, float] = {}
    for term, weight in weights.items():
        index = term_index(term)
        by_index[index] = by_index.get(index, 0.0) + weight
    indices = tuple(sorted(by_index))
    return SparseVector(indices=indices, values=tuple(float(by_index[index]) for index in indices))
