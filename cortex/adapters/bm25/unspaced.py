"""Terms of writing without spaces: Chinese by dictionary, everything else by pairs of characters."""

import importlib
import logging
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from cortex.adapters.bm25.stems import stop_words
from cortex.adapters.bm25.words import HAN, HIRAGANA, KATAKANA

RUN_CHARACTERS_MAX = 8
_RUNS = re.compile(f"[{HAN}]+|[{KATAKANA}]+")
_HAN_ONLY = re.compile(f"[{HAN}]+")
_KANA = re.compile(f"[{HIRAGANA}{KATAKANA}]")

Segment = Callable[[str], Iterator[str]]


def has_kana(text: str) -> bool:
    return _KANA.search(text) is not None


def pairs(run: str) -> Iterator[str]:
    """Every two neighbours, and longer runs of one script whole: 請求書番号 as well as 請求, 求書, 書番, 番号."""
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]
    for match in _RUNS.finditer(run):
        if 2 < len(match[0]) <= RUN_CHARACTERS_MAX:
            yield match[0]


class ChineseSegmenter:
    """jieba with its own dictionary, loaded at the first Chinese text (a second, some 100 MB).

    The parsed dictionary is kept in `cache_dir`, which must be ours alone: it is read back with `marshal`, and jieba's
    own default is a fixed name in the shared temporary folder.
    """

    def __init__(self, cache_dir: Path) -> None:
        self._cache_dir = cache_dir
        self._lock = threading.Lock()
        self._segment: Segment | None = None

    def terms(self, run: str) -> Iterator[str]:
        """Words, and the shorter words within them. Characters that are not Han, by pairs."""
        start = 0
        for match in _HAN_ONLY.finditer(run):
            yield from pairs(run[start : match.start()])
            yield from (word for word in self._segmenter()(match[0]) if word not in stop_words()["zh"])
            start = match.end()
        yield from pairs(run[start:])

    def _segmenter(self) -> Segment:
        with self._lock:
            if self._segment is None:
                self._segment = self._load()
        return self._segment

    def _load(self) -> Segment:
        with warnings.catch_warnings():
            # Its regular expressions are written in an old way, which is reported whenever they are compiled.
            warnings.simplefilter("ignore")
            jieba = importlib.import_module("jieba")
        jieba.setLogLevel(logging.WARNING)
        self._cache_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        tokenizer = jieba.Tokenizer()
        # jieba writes to a temporary file beside this one and renames it, so that processes may start together.
        tokenizer.tmp_dir = str(self._cache_dir)
        tokenizer.cache_file = "jieba.cache"
        tokenizer.initialize()
        segment: Segment = tokenizer.cut_for_search
        return segment
