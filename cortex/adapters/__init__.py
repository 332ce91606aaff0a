"""One file or folder a technology: the only place where its SDK is imported."""
