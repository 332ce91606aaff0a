"""Exit codes, the same for every command."""

from enum import IntEnum

from cortex.domain.errors import Conflict, CortexError, Denied, Exhausted, Invalid, NotFound, Transient


class ExitCode(IntEnum):
    DONE = 0
    UNEXPECTED = 1
    USAGE = 2
    NOT_FOUND = 3
    INVALID_INPUT = 4
    DENIED = 5
    DEPENDENCY_DOWN = 6


_CODES: tuple[tuple[type[CortexError], ExitCode], ...] = (
    (NotFound, ExitCode.NOT_FOUND),
    (Invalid, ExitCode.INVALID_INPUT),
    (Conflict, ExitCode.INVALID_INPUT),
    (Denied, ExitCode.DENIED),
    (Transient, ExitCode.DEPENDENCY_DOWN),
    (Exhausted, ExitCode.DEPENDENCY_DOWN),
)


def exit_code_for(error: CortexError) -> ExitCode:
    return next((code for kind, code in _CODES if isinstance(error, kind)), ExitCode.UNEXPECTED)
