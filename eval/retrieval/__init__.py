"""Retrieval through the real pipeline: push a set in BEIR form, search as a person, measure against its judgements.

`platforms` finds or starts a platform, `ingest` pushes, `ask` searches, `measures` scores, `intervals` says what is
noise, `evaluate` puts them together, `keep` and `page` write what was found: JSON, JSON lines, and a page with plots.
"""
