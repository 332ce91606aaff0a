"""Tables of identity."""

from pathlib import Path

from cortex.adapters.postgres.migrations.guard import execute, guard

revision = "0002"
down_revision = "0001"

HERE = Path(__file__).parent.parent


def upgrade() -> None:
    execute((HERE / "0002_identity.sql").read_text(encoding="utf-8"))
    for table in ("person_identities", "sign_ins", "sessions", "api_keys"):
        guard(table)
    execute((HERE / "functions_0002.sql").read_text(encoding="utf-8"))
