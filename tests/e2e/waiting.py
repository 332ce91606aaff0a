"""Waiting for what must become true, and never for time."""

import time
from collections.abc import Callable
from threading import Event
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 45.0
_LOOK_AGAIN_S = 0.05
_NEVER = Event()


def eventually(check: Callable[[], T], *, within_s: float = PATIENCE_S) -> T:
    """What `check` gives once its assertions hold; its last failure when they do not in time."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > deadline:
                raise
        _NEVER.wait(_LOOK_AGAIN_S)
