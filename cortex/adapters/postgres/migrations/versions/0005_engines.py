"""Tables of engines: specifications and keys, tokens spent, answers written before."""

from pathlib import Path

from cortex.adapters.postgres.migrations.guard import execute, guard

revision = "0005"
down_revision = "0004"

HERE = Path(__file__).parent.parent


def upgrade() -> None:
    execute((HERE / "0005_engines.sql").read_text(encoding="utf-8"))
    for table in ("engines", "spent_tokens", "cached_answers", "cached_answer_documents"):
        guard(table)
