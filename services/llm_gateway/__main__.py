"""`python -m services.llm_gateway`"""

import os
import sys

from cortex.runtime.process import main
from services.llm_gateway.compose import run

if __name__ == "__main__":
    sys.exit(main("llm_gateway", run, os.environ))
