"""Cortex: permission-checked, cited answers over everything a company writes."""
