"""What cuts across wraps a port: caches, limits, retries."""
