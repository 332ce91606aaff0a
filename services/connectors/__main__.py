"""`python -m services.connectors`"""

import os
import sys

from cortex.runtime.process import main
from services.connectors.compose import run

if __name__ == "__main__":
    sys.exit(main("connectors", run, os.environ))
