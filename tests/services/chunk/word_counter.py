"""A tokenizer that tests can reason about: a token is a word or one other character that is not white space."""

import re
from collections.abc import Sequence

_TOKEN = re.compile(r"[a-zA-Z0-9_]+|[^\sa-zA-Z0-9_]")


class WordCounter:
    special_tokens = 2

    def __init__(self) -> None:
        self.characters_counted = 0

    def count(self, text: str) -> int:
        self.characters_counted += len(text)
        return len(_TOKEN.findall(text))

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        self.characters_counted += len(text)
        return [found.span() for found in _TOKEN.finditer(text)]
