"""What every table of a tenant needs, for migrations after the first."""

from alembic import op
from psycopg import sql


def execute(statements: str) -> None:
    """Straight to psycopg: a file holds many statements, and `%` is meant as it stands."""
    driver = op.get_bind().connection.driver_connection
    assert driver is not None
    driver.execute(statements)


def guard(table: str, *, privileges: str = "SELECT, INSERT, UPDATE, DELETE") -> None:
    """Forced row-level security by `tenant_id`, and the service's privileges."""
    template = sql.SQL(
        "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY; ALTER TABLE {table} FORCE ROW LEVEL SECURITY;"
        " CREATE POLICY tenant ON {table}"
        " USING (tenant_id = nullif(current_setting('cortex.tenant', true), '')::uuid);"
        " GRANT {privileges} ON {table} TO cortex_service"
    )
    execute(template.format(table=sql.Identifier(table), privileges=sql.SQL(privileges)).as_string())
