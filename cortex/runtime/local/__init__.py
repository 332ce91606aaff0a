"""The local platform: real servers and Cortex's own processes on loopback, under one data folder.

    async with platform(PlatformOptions(data=Path(".cortex"))) as running:
        running.urls            # the CORTEX_* environment that the processes got
        await running.until_stopped()

One module a server says how that server is configured, started and asked whether it is ready.
"""

from cortex.runtime.local.options import Hooks, Migration, PlatformOptions, Role, ServerName
from cortex.runtime.local.platform import RunningPlatform, platform

__all__ = ["Hooks", "Migration", "PlatformOptions", "Role", "RunningPlatform", "ServerName", "platform"]
