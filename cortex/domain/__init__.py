"""Frozen values and pure functions: what Cortex decides, with the standard library alone."""
