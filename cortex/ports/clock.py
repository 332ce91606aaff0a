"""The time, so that tests decide what time it is."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """UTC with microseconds; aware."""
        ...
