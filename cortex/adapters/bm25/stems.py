"""Stems and stop words by language."""

import threading
from functools import cache
from pathlib import Path

import Stemmer

ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip

_STOP_WORDS_FILE = Path(__file__).with_name("stop_words.txt")


@cache
def stop_words() -> dict[str, frozenset[str]]:
    """Function words by language, folded. A language that is missing drops nothing."""
    lines = _STOP_WORDS_FILE.read_text(encoding="utf-8").splitlines()
    words: dict[str, set[str]] = {}
    for language, _, rest in (line.partition(":") for line in lines if line and not line.startswith("#")):
        words.setdefault(language, set()).update(rest.casefold().split())
    return {language: frozenset(those) for language, those in words.items()}


class Stems:
    """Snowball stems. A stemmer is not safe to share between threads, so each thread has its own."""

    def __init__(self) -> None:
        self._local = threading.local()

    def stem(self, word: str, language: str) -> str:
        """`word` as it stands where there is no stemmer for `language`."""
        algorithm = ALGORITHMS.get(language)
        if algorithm is None:
            return word
        stemmers: dict[str, Stemmer.Stemmer] = self._local.__dict__
        stemmer = stemmers.get(algorithm)
        if stemmer is None:
            stemmer = stemmers[algorithm] = Stemmer.Stemmer(algorithm)
        stemmed: str = stemmer.stemWord(word)
        return stemmed
