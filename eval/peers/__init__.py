"""Other engines on the same texts and questions. Each module is a script for an environment of its own
(requirements/eval-peers.lock), which has no Cortex in it: it reads one JSON file and prints one JSON object.
"""
