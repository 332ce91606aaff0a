"""What the connectors know of their types, for whoever administers sources."""

from collections.abc import Mapping

from cortex.domain.errors import Denied, Invalid, NotFound
from services.connectors.registry import Connectors, connector_of


class ConnectorTypes:
    """Implements SourceTypes over the connectors."""

    def __init__(self, known: Connectors) -> None:
        self._known = known

    async def check(self, type_: str, config: Mapping[str, object]) -> list[str]:
        """What the source cannot find or open is a mistake in the config, and nothing that the caller may not know."""
        try:
            return await connector_of(self._known, type_).check(config)
        except (NotFound, Denied) as error:
            raise Invalid(f"config: {error}") from error

    async def secrets(self, type_: str) -> frozenset[str]:
        return self._known[type_].spec.secrets if type_ in self._known else frozenset()
