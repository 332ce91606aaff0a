"""Connectors: brings what sources hold into Cortex, with each source's permissions.

A Temporal worker. `workflows` decides what happens next and keeps nothing but ids; `activities` are its hands;
`page` makes one page durable and only then moves the cursor. Under `sources/` there is one folder a type of source,
each a `cortex.ports.connector.Connector`. Sources are only ever read. One pass at a time works on a source, so a slow
source delays itself alone; one item that cannot be read is counted and stops nothing else. Deletions are found by
comparing the source with what is stored, and what could not be read is never taken for deleted.

    python -m services.connectors
"""
