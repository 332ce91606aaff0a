"""How sure an answer must be in a tenant."""

from cortex.adapters.postgres.migrations.guard import execute

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    execute("ALTER TABLE tenant_settings ADD COLUMN calibration jsonb")  # NULL: the shipped one
