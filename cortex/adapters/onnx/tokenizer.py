"""The encoder's own tokenizer, without the encoder: onnxruntime is not imported."""

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer as HuggingFaceTokenizer

from cortex.domain.errors import Invalid

FILE_NAME = "tokenizer.json"


class Tokenizer:
    """Implements TokenCounter. Reads `tokenizer.json` of a built model."""

    def __init__(self, path: Path) -> None:
        try:
            self._tokenizer = HuggingFaceTokenizer.from_str(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise Invalid(f"{path}: no tokenizer; run `cortex models build`") from error
        # The published file truncates to 128 and pads: both would falsify a count.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self.special_tokens: int = self._tokenizer.num_special_tokens_to_add(is_pair=False)

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        return self._tokenizer.encode(text, add_special_tokens=False).offsets

    def encode(self, text: str, *, tokens_max: int) -> tuple[list[int], bool]:
        """Token ids between the special tokens, cut to `tokens_max` in all, and whether anything was cut."""
        ids = self._tokenizer.encode(text, add_special_tokens=True).ids
        if len(ids) <= tokens_max:
            return ids, False
        return [*ids[: tokens_max - 1], ids[-1]], True
