"""Text that every store takes: no NUL, and nothing that cannot be written as UTF-8."""

import re
from collections.abc import Iterable

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def is_storable(text: str) -> bool:
    return _UNSTORABLE.search(text) is None


def all_storable(value: object) -> bool:
    """Of parsed JSON, keys included."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str) and not is_storable(one):
            return False
        left.extend(_parts(one))
    return True


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []
