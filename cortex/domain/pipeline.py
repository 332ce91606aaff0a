"""The version of what makes blocks, chunks and terms from bytes: raising it makes every document anew."""

VERSION = "1"
