"""SpiceDB: the schema of the permission algebra and the client that writes and checks it."""
