"""One pure module a format: `parse(data, *, name, limits) -> ParsedDocument`.

Each imports its own library, so that a child process holds only what its documents needed. Line numbers are from 1.
"""
