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
