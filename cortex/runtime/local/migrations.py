"""Brings the database's schema up to date, in a process of its own.

Its libraries would otherwise stay in the supervisor's memory for as long as the platform runs. The address and the
passwords go through the environment, which other users cannot read.
"""

import sys
import tempfile
from pathlib import Path

from cortex.runtime.local.options import Migration
from cortex.runtime.local.programs import python_environment
from cortex.runtime.supervisor.child import run_tool


async def migrate(migration: Migration) -> None:
    """Raises Transient with the end of the output when it fails."""
    secrets = {
        "CORTEX_MIGRATE_URL": migration.admin_url,
        "CORTEX_MIGRATE_SERVICE_PASSWORD": migration.service_password,
        "CORTEX_MIGRATE_REPLAY_PASSWORD": migration.replay_password,
    }
    argv = (sys.executable, "-m", "cortex.runtime.local.migrations_process")
    environment = {**python_environment(), **secrets}
    await run_tool(argv, folder=Path(tempfile.gettempdir()), environment=environment, timeout_s=300.0)
