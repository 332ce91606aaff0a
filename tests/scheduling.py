"""Which tests run in one worker when several share the work."""

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped]

ONE_PLATFORM = ("tests/e2e/", "tests/redteam/")


class ByServers(LoadFileScheduling):  # type: ignore[misc]
    """A file's tests stay together, and so do all that share the one whole platform."""

    def _split_scope(self, nodeid: str) -> str:
        return ONE_PLATFORM[0] if nodeid.startswith(ONE_PLATFORM) else str(super()._split_scope(nodeid))
