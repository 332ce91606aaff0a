"""Tables of privacy: rules and findings of sources, erasures."""

from pathlib import Path

from cortex.adapters.postgres.migrations.guard import execute, guard

revision = "0004"
down_revision = "0003"

HERE = Path(__file__).parent.parent


def upgrade() -> None:
    execute((HERE / "0004_privacy.sql").read_text(encoding="utf-8"))
    for table in ("document_bytes", "erased_documents", "erasures"):
        guard(table)
