"""Answers made of whole sentences that stand in the passages."""
