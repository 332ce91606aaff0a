"""How large chunks are."""

from dataclasses import dataclass, replace

from cortex.domain.errors import Invalid


@dataclass(frozen=True, slots=True)
class ChunkLimits:
    """In tokens of the embedder. `tokens_max` bounds the embedded text: title, heading path, passage, special tokens.

    Passages grow to about `target_tokens`; those under `tiny_tokens` may join across a heading. `token_characters`
    bounds characters for each token allowed, since a tokenizer may take a long run of letters for one unknown word.
    `context_tokens` are left free where passages get a context.
    """

    target_tokens: int = 180
    tokens_max: int = 256
    overlap_tokens: int = 32
    tiny_tokens: int = 40
    token_characters: int = 12
    context_tokens: int = 60

    def __post_init__(self) -> None:
        if not 0 <= self.overlap_tokens < self.target_tokens // 2 <= self.tokens_max // 2:
            raise Invalid("chunk limits: want 2 * overlap_tokens < target_tokens <= tokens_max")
        if self.tiny_tokens > self.target_tokens or self.token_characters < 1:
            raise Invalid("chunk limits: want tiny_tokens <= target_tokens and token_characters >= 1")

    def with_room(self) -> "ChunkLimits":
        """For passages that get a context."""
        return replace(
            self,
            tokens_max=self.tokens_max - self.context_tokens,
            target_tokens=min(self.target_tokens, self.tokens_max - self.context_tokens),
        )
