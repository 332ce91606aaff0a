"""Conversations, feedback, suggestions."""

from pathlib import Path

from cortex.adapters.postgres.migrations.guard import execute, guard

revision = "0006"
down_revision = "0005"

HERE = Path(__file__).parent.parent


def upgrade() -> None:
    execute((HERE / "0006_conversations.sql").read_text(encoding="utf-8"))
    for table in ("conversations", "answer_feedback", "suggestions"):
        guard(table)
