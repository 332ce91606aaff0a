"""Cross-encoders: an engine over HTTP (`engines`), or a model from a folder in this process (`local`)."""
