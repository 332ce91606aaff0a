"""A server of evaluation mode: the subset of Qdrant's gRPC API that Cortex uses, over Qdrant's embedded engine.

    python -m cortex.adapters.qdrant_edge --data DIR --port P --http-port H --key-file F

One process owns one data directory. Calls are mapped from protobuf straight to the engine's values, and whatever is
not mapped is refused with UNIMPLEMENTED. Two properties of the engine shape everything here. It holds the interpreter's
lock while it works, so one thread does all the work and the event loop only waits. And it logs a write before it looks
at it, so a malformed vector would make its shard unreadable for ever: every write is checked whole beforehand.
"""
