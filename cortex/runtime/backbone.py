"""What nearly every process stands on, opened together and closed in reverse."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from cortex.adapters.clock import SystemClock
from cortex.adapters.egress import EgressPolicy
from cortex.adapters.language import LanguageByScript
from cortex.adapters.nats import NatsBus, StagePublisher
from cortex.adapters.objects import Objects
from cortex.adapters.postgres.database import Database
from cortex.adapters.postgres.permissions import PermissionApplier
from cortex.adapters.postgres.source_writer import PostgresSourceWriter
from cortex.adapters.recognisers import RuleRecogniser
from cortex.adapters.redis import RedisGroupCache
from cortex.adapters.spicedb.engine import SpiceDbEngine
from cortex.domain.pipeline import VERSION
from cortex.ports.redactor import Redactor
from cortex.runtime.settings import PlatformSettings


@dataclass(frozen=True, slots=True)
class Backbone:
    settings: PlatformSettings
    clock: SystemClock
    database: Database
    objects: Objects
    bus: NatsBus
    stages: StagePublisher
    engine: SpiceDbEngine
    permissions: PermissionApplier
    groups: RedisGroupCache
    redactor: Redactor
    languages: LanguageByScript
    egress: EgressPolicy


@asynccontextmanager
async def backbone(
    settings: PlatformSettings, *, connections_max: int = 10, connected: bool = True
) -> AsyncIterator[Backbone]:
    """Raises Transient while the bus is out of reach; the others connect on first use. Not `connected`: no bus.

    Invalid where CORTEX_EGRESS_ALLOWED names what is neither a host nor a network. Whatever fetches has its policy
    from here.
    """
    egress = EgressPolicy.parsed(settings.egress_allowed)
    async with AsyncExitStack() as stack:
        database = Database.connect(settings.database_url, connections_max=connections_max)
        stack.push_async_callback(database.close)
        bus = await NatsBus.connect(settings.nats_url) if connected else NatsBus.unconnected()
        if connected:
            stack.push_async_callback(bus.close)
        groups = RedisGroupCache(settings.redis_url)
        stack.push_async_callback(groups.close)
        engine = SpiceDbEngine(settings.spicedb_url, key=settings.spicedb_key)
        stack.push_async_callback(engine.close)
        yield Backbone(
            settings=settings,
            clock=SystemClock(),
            database=database,
            objects=Objects(settings.objects_url),
            bus=bus,
            stages=StagePublisher(bus),
            engine=engine,
            permissions=PermissionApplier(database, engine),
            groups=groups,
            redactor=redactor(settings),
            languages=LanguageByScript("en"),
            egress=egress,
        )


def redactor(settings: PlatformSettings) -> Redactor:
    """The same in every process, since its version is part of every revision. Names need a model, which loads late."""
    if settings.recogniser == "presidio":
        from cortex.adapters.presidio import PresidioRecogniser

        return PresidioRecogniser(RuleRecogniser())
    return RuleRecogniser()


def source_writer(shared: Backbone) -> PostgresSourceWriter:
    """The one way in, for connectors and for push."""
    return PostgresSourceWriter(
        shared.database,
        shared.objects,
        shared.permissions,
        shared.clock,
        shared.groups,
        pipeline_version=VERSION,
        recogniser=shared.redactor.version,
    )
