"""Which types of sources there are."""

from collections.abc import Mapping

from cortex.domain.errors import Invalid
from cortex.ports.connector import Connector
from services.connectors.sources.files import FilesConnector
from services.connectors.sources.files.reach import Reach

Connectors = Mapping[str, Connector]


def connectors(reach: Reach) -> Connectors:
    found: list[Connector] = [FilesConnector(reach=reach)]
    return {connector.spec.name: connector for connector in found}


def connector_of(known: Connectors, type_name: str) -> Connector:
    """Invalid for a type that cannot be fetched, as a push source cannot."""
    if type_name not in known:
        raise Invalid(f"source type {type_name!r} is not fetched; types that are: {', '.join(sorted(known))}")
    return known[type_name]
