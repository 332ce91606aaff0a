"""The vector index in Qdrant, through its own client over gRPC.

`connect` opens a client; `Qdrant` gives the ports that stand on it. The fields of a point are in `payload`, and
`filters` builds the one filter that every search carries.
"""

from cortex.adapters.qdrant.client import Qdrant, connect

__all__ = ["Qdrant", "connect"]
