"""`python -m services.rerank`"""

import os
import sys

from cortex.runtime.process import main
from services.rerank.compose import run

if __name__ == "__main__":
    sys.exit(main("rerank", run, os.environ))
