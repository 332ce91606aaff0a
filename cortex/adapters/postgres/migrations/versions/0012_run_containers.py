"""How many containers a run found new, moved, or open to others."""

from cortex.adapters.postgres.migrations.guard import execute

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    execute("ALTER TABLE source_runs ADD COLUMN containers bigint NOT NULL DEFAULT 0")
