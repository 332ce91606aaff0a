"""Connections: every transaction names its tenant, and the setting ends with it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from cortex.domain.errors import Invalid, Transient
from cortex.domain.identity import TenantId

SET_TENANT = text("SELECT set_config('cortex.tenant', :tenant, true)")


_UNSTORABLE = frozenset([None, "22021", "22P05"])
"""States of errors about text: psycopg's own, which has none, and Postgres's."""


class Database:
    """A bounded pool of connections as the service role."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    @classmethod
    def connect(cls, url: str, *, connections_max: int = 10, timeout_s: float = 10.0) -> "Database":
        """`url` as `postgresql://`; connects on first use."""
        engine = create_async_engine(
            url.replace("postgresql://", "postgresql+psycopg://", 1),
            pool_size=connections_max,
            max_overflow=0,
            pool_timeout=timeout_s,
            pool_pre_ping=True,
            hide_parameters=True,  # they are content, and the text of an error may end in a log
            connect_args={"connect_timeout": max(2, int(timeout_s)), "options": "-c statement_timeout=60000"},
        )
        return cls(engine)

    @asynccontextmanager
    async def tenant(self, tenant: TenantId) -> AsyncIterator[AsyncConnection]:
        """A transaction that sees this tenant's rows and no others. Commits at the end, rolls back on an error."""
        async with self.spanning() as connection:
            await connection.execute(SET_TENANT, {"tenant": str(tenant)})
            yield connection

    @asynccontextmanager
    async def spanning(self) -> AsyncIterator[AsyncConnection]:
        """A transaction without a tenant: it sees no rows, and may call the functions of `functions.sql`."""
        try:
            async with self._engine.begin() as connection:
                yield connection
        except (OperationalError, InterfaceError, PoolTimeoutError) as error:
            raise Transient("Postgres is out of reach or busy", retry_after_s=1.0) from error
        except UnicodeEncodeError as error:
            raise Invalid("a text cannot be written as UTF-8; send well-formed Unicode") from error
        except DBAPIError as error:
            if isinstance(error.orig, psycopg.DataError) and error.orig.sqlstate in _UNSTORABLE:
                raise Invalid("a text contains NUL; leave it out") from error
            if error.connection_invalidated:
                raise Transient("the connection to Postgres was lost", retry_after_s=1.0) from error
            raise

    async def ping(self) -> None:
        """Raises Transient when Postgres does not answer."""
        async with self.spanning() as connection:
            await connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        await self._engine.dispose()
