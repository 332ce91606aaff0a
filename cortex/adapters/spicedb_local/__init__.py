"""A SpiceDB server for evaluation mode: the real engine, from its shared library, behind its own gRPC API.

The engine keeps everything in memory. So every start loads the schema, replays all tuples from Postgres, and only
then listens: a server that listened earlier would answer from half the facts, and a ZedToken of an older life is
silently read as "now". When the replay fails the process ends with a message and never listens.

`library` finds and binds the shared library, `engine` runs it, `replay` fills it, `server` serves it, `consistency`
keeps its first answers from looking back before the replay.
Watch, import and export are left out: Cortex does not use them.

The memory store finds relations by kind and then goes through all of that kind, so a check takes longer the more
there are, of any tenant: tried, many times as long with thirty random worlds in it as with one. A server on Postgres
has indexes instead.
"""
