"""Who is at the other end of a connection on loopback, for the sign-in of evaluation mode."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Connection:
    """The ports of both ends of a TCP connection within 127.0.0.1."""

    client_port: int
    server_port: int


class LoopbackPeers(Protocol):
    def is_same_user(self, connection: Connection) -> bool:
        """Whether the other end belongs to the user that this process runs as. False where that cannot be told."""
        ...


class LocalTokenMaker(Protocol):
    def token(self, tenant: str, email: str, *, ttl: timedelta) -> str:
        """A local token of a member."""
        ...
