"""The types of sources, one folder each."""
