"""A folder tree as a source.

The external id of a file is its path relative to the root, byte for byte; a renamed file is a new document and a
deletion, and its vectors are reused by content. A file is read only if its size, times, inode, own ACL or the config
changed. Links are never followed: one that leads out is refused and counted, one that stays inside is passed over,
since what it points to is there under its own path. What cannot be read is counted and keeps what was stored of it,
hidden where its permissions cannot be read either. A root that is gone or has become empty fails the run and deletes
nothing; `--full` says that empty is meant.
"""

from services.connectors.sources.files.source import FilesConnector

__all__ = ["FilesConnector"]
