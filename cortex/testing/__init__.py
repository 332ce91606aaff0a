"""In-memory twins of ports and the contract suites that every adapter passes."""
