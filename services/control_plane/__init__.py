"""Administration: people, groups, sources and what is pushed into them; every write is audited.

`http` holds the routes, `push` the routes of contracts.md under /v1/sources, `bodies` what they take. Roles give
administration, never content: no route here shows a document.
"""
