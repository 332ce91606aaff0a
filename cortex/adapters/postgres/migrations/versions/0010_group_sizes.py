"""How many members each group has."""

from pathlib import Path

from cortex.adapters.postgres.migrations.guard import execute

revision = "0010"
down_revision = "0009"

HERE = Path(__file__).parent.parent


def upgrade() -> None:
    execute((HERE / "0010_group_sizes.sql").read_text(encoding="utf-8"))
