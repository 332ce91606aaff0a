"""Which types of source there are, and whether a configuration fits one."""

from collections.abc import Mapping
from typing import Protocol


class SourceTypes(Protocol):
    """Raises Transient where the connectors are another process."""

    async def check(self, type_: str, config: Mapping[str, object]) -> list[str]:
        """Warnings; raises Invalid that names the key and the mend."""
        ...

    async def secrets(self, type_: str) -> frozenset[str]:
        """Which keys of a configuration are secret; none for a type that is not fetched."""
        ...
