"""`python -m services.parse`"""

import os
import sys

from cortex.runtime.process import main
from services.parse.compose import run

if __name__ == "__main__":
    sys.exit(main("parse", run, os.environ))
