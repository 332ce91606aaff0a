"""The first schema: tables, row-level security, roles and the functions that span tenants."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None

HERE = Path(__file__).parent.parent


def upgrade() -> None:
    # Straight to psycopg: a file holds many statements, and `%` is meant as it stands.
    driver = op.get_bind().connection.driver_connection
    assert driver is not None
    for name in ("0001_tables.sql", "0001_roles.sql", "functions.sql"):
        driver.execute((HERE / name).read_text(encoding="utf-8"))
