"""`python -m services.chunk`"""

import os
import sys

from cortex.runtime.process import main
from services.chunk.compose import run

if __name__ == "__main__":
    sys.exit(main("chunk", run, os.environ))
