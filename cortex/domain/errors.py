"""One error tree, by what the caller should do.

Adapters raise these and nothing of their SDK's; each edge (HTTP, gRPC, CLI, consumer) translates them once.
"""


class CortexError(Exception):
    """The root. `str(error)` is safe to show: it never holds content, secrets or another tenant's ids."""


class Invalid(CortexError):
    """The input is wrong; the message names the place and what to change. Do not retry.

    `place` is given where it is one of a request's; the message then begins with it.
    """

    def __init__(self, message: str, *, place: str | None = None) -> None:
        super().__init__(message if place is None else f"{place}: {message}")
        self.place = place

    @property
    def mend(self) -> str:
        """The message without the place."""
        return str(self) if self.place is None else str(self).removeprefix(f"{self.place}: ")


class NotFound(CortexError):
    """It does not exist, or the asker may not know that it does."""


class Denied(CortexError):
    """The credential is missing, expired or lacks the role. Never used for a foreign id: that is NotFound."""


class Unauthenticated(Denied):
    """No credential, or one that does not hold."""


class CrossSite(Denied):
    """A browser's credential came along from a page that is not ours."""


class Conflict(CortexError):
    """The stored state is newer than, or contradicts, what was sent. Read again before retrying."""


class Transient(CortexError):
    """A dependency failed in a way that may pass: retry with backoff."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Exhausted(CortexError):
    """A named limit (size, time, memory, quota, depth) was reached; retrying as is will fail again."""


class Throttled(CortexError):
    """The asker's own rate or quota is used up: ask again after `retry_after_s`, and less often."""

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Bug(CortexError):
    """An invariant of ours does not hold. Fail loudly."""
