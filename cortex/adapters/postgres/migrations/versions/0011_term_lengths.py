"""How long a tenant's passages are, and by which average each was weighed."""

from cortex.adapters.postgres.migrations.guard import execute

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    execute("ALTER TABLE tenant_settings ADD COLUMN average_terms real")  # NULL: the one that every tenant begins with
    execute("ALTER TABLE chunks ADD COLUMN terms integer, ADD COLUMN average_terms real")  # NULL: not indexed since
