"""What may be logged of an error that nobody expected: where and of which kinds. Its message may hold content."""

import traceback

CAUSES_MAX = 10


def outline(error: BaseException) -> str:
    """Names of the error and of what caused it, then the lines of code that it came through."""
    kinds: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(kinds) < CAUSES_MAX:
        kinds.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    return " from ".join(kinds) + "\n" + "".join(traceback.format_tb(error.__traceback__))
