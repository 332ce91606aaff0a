"""A language model that writes: text in pieces, as it comes."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from cortex.domain.engine import Engine
from cortex.ports.generator import Usage


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user"]
    text: str


class Writer(Protocol):
    """Implementations bound what they read, and follow no redirect."""

    def write(self, engine: Engine, messages: Sequence[Message]) -> AsyncGenerator[str | Usage, None]:
        """Pieces of text in order; what was used comes last, where the engine tells it.

        Nothing is read ahead of the caller but what the connection holds; closing the iterator ends the call, and the
        engine with it. Raises Transient for an engine that is away, late, overloaded or breaks off; Denied for a key
        or an address that is refused; Invalid for what it does not understand, as an unknown model.
        """
        ...
