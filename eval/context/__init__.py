"""Whether a context that a language model writes for each passage pays on a corpus: what it costs, what it gains.

The corpus is ingested twice into tenants of its own, without and with, and asked the same questions through search.
"""
