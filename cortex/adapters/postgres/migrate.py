"""Brings the schema up to date, as the bootstrap role, and sets the passwords of the roles that log in."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg import sql
from sqlalchemy import Connection, create_engine

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK = 0x636F72746578  # "cortex": one migration at a time, whoever starts it


def upgrade(admin_url: str, *, service_password: str, replay_password: str) -> None:
    """Idempotent. `admin_url` is a `postgresql://` address of a superuser; it is used for nothing else."""
    engine = create_engine(admin_url.replace("postgresql://", "postgresql+psycopg://", 1))
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
            _migrate(connection)
            _set_password(connection, "cortex_service", service_password)
            _set_password(connection, "cortex_replay", replay_password)
    finally:
        engine.dispose()


def _migrate(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    head = ScriptDirectory.from_config(config).get_current_head()
    if MigrationContext.configure(connection).get_current_revision() != head:
        command.upgrade(config, "head")


def _set_password(connection: Connection, role: str, password: str) -> None:
    statement = sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(password))
    connection.exec_driver_sql(statement.as_string().replace("%", "%%"))
