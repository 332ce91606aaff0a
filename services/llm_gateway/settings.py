"""Bounds of generation, each by name."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LlmGatewaySettings:
    """`passages_max` in one call from another process. `grace_s`: what is being written may end when told to stop.

    `turn_s_max`: how long a question waits for an engine that is busy; `rest_s`: how long an engine that failed is left
    alone; `store_s_max`: how long the budget, the cache and the accounts may take.
    """

    passages_max: int = 200
    grace_s: float = 10.0
    turn_s_max: float = 3.0
    rest_s: float = 10.0
    store_s_max: float = 2.0
    sentences_max: int = 40


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """`calls_max` at once for one document; the rest bounds what is read and written for one passage."""

    calls_max: int = 4
    document_characters: int = 8_000
    written_characters_max: int = 1_200
    context_characters_max: int = 240
    passages_max: int = 2_000
