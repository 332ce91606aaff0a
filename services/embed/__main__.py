"""`python -m services.embed`"""

import os
import sys

from cortex.runtime.process import main
from services.embed.compose import run

if __name__ == "__main__":
    sys.exit(main("embed", run, os.environ))
