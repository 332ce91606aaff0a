"""What a source is to Cortex: described as data, checked, and read page by page. Never written to."""

import enum
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cortex.domain.acl import Acl
from cortex.domain.change import Change
from cortex.ports.source_writer import Known

Config = Mapping[str, object]


class Deletes(enum.StrEnum):
    """How deletions at the source become known: it tells, every document is compared, or it calls."""

    FEED = "feed"
    SWEEP = "sweep"
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """`incremental`: an unchanged document costs no read. `acl`: permissions come from the source itself."""

    incremental: bool
    deletes: Deletes
    acl: bool
    webhook: bool = False


@dataclass(frozen=True, slots=True)
class ConnectorSpec:
    """`config_schema` is a JSON schema; a property with `writeOnly` is a secret."""

    name: str
    version: str
    capabilities: Capabilities
    config_schema: Mapping[str, object]
    requests_per_s_max: float | None = None

    @property
    def secrets(self) -> frozenset[str]:
        """Which keys of a configuration are kept encrypted, and never shown again."""
        properties = self.config_schema.get("properties", {})
        found = properties.items() if isinstance(properties, Mapping) else ()
        return frozenset(name for name, schema in found if isinstance(schema, Mapping) and schema.get("writeOnly"))


class KnownDocuments(Protocol):
    """What is stored of the source, so that a sweep needs no writes. Both are ordered by UTF-8 bytes."""

    def documents(self, *, after: str, until: str | None) -> AsyncIterator[Known]:
        """Live documents with external ids above `after`, and up to `until` when given."""
        ...

    def containers(self) -> AsyncIterator[str]:
        """External ids of all live containers."""
        ...

    async def container_acls(self, externals: Sequence[str]) -> Mapping[str, Acl | None]:
        """The ACLs of the live containers among `externals`, as they were last put."""
        ...


class Connector(Protocol):
    """One type of source. It holds no state between calls: everything is in the config and the cursor.

    Raises Invalid for a config that is wrong, Denied for credentials, NotFound for a source that is not there,
    Transient (with `retry_after_s` where the source says so) for what may pass.
    """

    @property
    def spec(self) -> ConnectorSpec: ...

    async def check(self, config: Config) -> list[str]:
        """Raises what fetching would raise at once; returns warnings for whoever adds the source."""
        ...

    def fetch(
        self, config: Config, *, cursor: str | None, known: KnownDocuments, full: bool
    ) -> AsyncGenerator[Change, None]:
        """The changes from `cursor` on (None: from the start of a pass), a Cursor after each page, the last one `done`.

        A container comes before what it holds, and a document's deletion before its container's. What cannot be
        read is a Failure and is never a Tombstone: failed is not empty. Going on from any Cursor gives what one pass
        would have given. `full` reads everything again and believes that an emptied source is meant to be empty.
        """
        ...
