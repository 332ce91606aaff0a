"""One seed for a whole run, printed, so that what was found can be found again."""

import os
import random
import secrets

VARIABLE = "CORTEX_REDTEAM_SEED"


def chosen() -> int:
    """The environment's, or one that nobody has tried."""
    named = os.environ.get(VARIABLE)
    return int(named) if named else secrets.randbits(32)


def chance(seed: int, what: str) -> random.Random:
    """Independent of how much chance other tests have used."""
    print(f"{VARIABLE}={seed} ({what})")
    return random.Random(f"{seed}:{what}")
