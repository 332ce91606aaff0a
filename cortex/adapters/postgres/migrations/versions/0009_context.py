"""Context of passages, for each source that wants it."""

from pathlib import Path

from cortex.adapters.postgres.migrations.guard import execute

revision = "0009"
down_revision = "0008"

HERE = Path(__file__).parent.parent


def upgrade() -> None:
    execute((HERE / "0009_context.sql").read_text(encoding="utf-8"))
