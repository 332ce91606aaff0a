"""The services: each a folder that runs as its own process."""
