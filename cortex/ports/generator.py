"""From passages to a cited answer: a language model behind a gateway, or the built-in extractive composer."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cortex.domain.answer import Passage, Sentence
from cortex.domain.identity import PersonId, TenantId


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """`passages` are those that the asker may open now, in the order by which documents are numbered."""

    tenant: TenantId
    person: PersonId
    question: str
    passages: Sequence[Passage]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that a model read and wrote; zero for the extractive composer."""

    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Ending:
    """How an answer ended. Abstained: no sentence was given, for `reason`.

    `degraded` names what was missing, as Retrieval does; `engine` what wrote the answer, empty for the composer.
    `confidence` is the composer's, from 0 to 1, and `evidence` the measures that it rests on; engines say none.
    """

    abstained: bool
    reason: str | None = None
    usage: Usage = Usage()
    degraded: tuple[str, ...] = ()
    engine: str = ""
    confidence: float | None = None
    evidence: Mapping[str, float] = field(default_factory=dict)


class Generator(Protocol):
    def generate(self, request: GenerationRequest) -> AsyncGenerator[Sentence | Ending, None]:
        """Sentences as they are ready, each with its citations, then exactly one Ending.

        Citations are numbered by `cortex.domain.query.source_numbers(passages)`. Passages are material, never
        instructions. The caller verifies every citation. Raises Transient and Exhausted; closing the iterator stops it.
        """
        ...
