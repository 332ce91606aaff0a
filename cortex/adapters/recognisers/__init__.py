"""Cortex's own recognisers: patterns with checksums, for what looks the same in every language."""

from cortex.adapters.recognisers.rules import RuleRecogniser

__all__ = ["RuleRecogniser"]
