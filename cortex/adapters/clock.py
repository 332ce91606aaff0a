"""The machine's clock."""

from datetime import UTC, datetime


class SystemClock:
    """Implements Clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)
