"""Bounds of the workflows: what is retried, for how long, and how much history one execution may gather.

They are part of each workflow's code, so they are constants: a setting that differed between two workers would make a
replay differ.
"""

from datetime import timedelta

PAGES_PER_EXECUTION = 200
PASSES_QUEUED_MAX = 8

STEP_ATTEMPTS_MAX = 8
RETRY_FIRST = timedelta(seconds=1)
RETRY_MAX = timedelta(minutes=2)
RETRY_FACTOR = 2.0

# With the longest pause between them, three days.
ERASURE_ATTEMPTS_MAX = 2_200

# A page is tens of documents; beyond this something hangs, and a new attempt goes on behind what is already durable.
PAGE_TIMEOUT = timedelta(minutes=10)
STEP_TIMEOUT = timedelta(seconds=60)
# How soon a page is taken up by another worker after its own was killed.
HEARTBEAT_TIMEOUT = timedelta(seconds=12)
