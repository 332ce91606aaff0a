"""Permissions in depth: generations of groups, sharing with everyone, ages, limits, reconciliation."""

from pathlib import Path

from cortex.adapters.postgres.migrations.guard import execute, guard

revision = "0003"
down_revision = "0002"

HERE = Path(__file__).parent.parent


def upgrade() -> None:
    execute((HERE / "0003_permissions.sql").read_text(encoding="utf-8"))
    for table in ("group_leftovers", "tenant_settings", "reconcile_runs"):
        guard(table)
