"""Reconciliation: what the sources said last against mirror, engine and index; drift is mended and counted."""
