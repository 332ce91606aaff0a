"""SpiceDB's engine in a process of its own: `cortex.adapters.spicedb_local`.

With Postgres, here or elsewhere, it replays the tuples before it listens; for tests, it starts without tuples.
"""

import sys
from pathlib import Path

from cortex.adapters import spicedb_local
from cortex.adapters.spicedb_local.library import locate
from cortex.runtime.local.folder import write_private
from cortex.runtime.local.plan import MIGRATIONS, Plan
from cortex.runtime.local.programs import python_environment
from cortex.runtime.supervisor import GrpcHealthProbe, ProcessSpec

SCHEMA = Path(spicedb_local.__file__).parents[1] / "spicedb" / "schema.zed"
# The engine puts a socket here, and the system allows 107 bytes for its whole path.
_SOCKET_FOLDER_BYTES_MAX = 70
# The engine reports to its makers, and the embedded one has no switch for that: its reports meet a closed door.
_NO_WAY_OUT = {"HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}


def spec(plan: Plan, *, empty: bool) -> ProcessSpec:
    folder = plan.folder.server("spicedb")
    key_file = folder / "key"
    write_private(key_file, plan.credentials.spicedb)
    port = plan.ports["spicedb"]
    source = ("--empty",) if empty else ("--database-url", plan.replay_url)
    environment = {**python_environment(), **_NO_WAY_OUT, "PGPASSWORD": plan.credentials.postgres_replay}
    if len(str(folder).encode()) <= _SOCKET_FOLDER_BYTES_MAX:
        environment["TMPDIR"] = str(folder)
    return ProcessSpec(
        name="spicedb",
        argv=(
            *(sys.executable, "-m", "cortex.adapters.spicedb_local", "--port", str(port)),
            *("--key-file", str(key_file), "--library", str(locate()), "--schema", str(SCHEMA), *source),
        ),
        environment=environment,
        depends_on=plan.present(MIGRATIONS),
        port=port,
        probe=GrpcHealthProbe(port=port),
    )
