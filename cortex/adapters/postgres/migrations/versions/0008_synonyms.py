"""Synonyms of a tenant."""

from pathlib import Path

from cortex.adapters.postgres.migrations.guard import execute

revision = "0008"
down_revision = "0007"

HERE = Path(__file__).parent.parent


def upgrade() -> None:
    execute((HERE / "0008_synonyms.sql").read_text(encoding="utf-8"))
