"""What every service that speaks HTTP shares: problems, middleware, who asks.

Nothing here opens a connection, so the modules of services may import it; `cortex.runtime.signing_in` opens what
signing in stands on.
"""
