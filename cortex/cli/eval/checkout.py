"""What measures is in `eval/` of a checkout and is not installed: it is found from here."""

import sys
from pathlib import Path

from cortex.domain.errors import NotFound

ROOT = Path(__file__).resolve().parents[3]


def reach(root: Path = ROOT) -> None:
    """Afterwards `eval` can be imported, wherever the command was started. NotFound outside a checkout."""
    if not (root / "eval" / "answers").is_dir():
        raise NotFound("what measures comes with a checkout of Cortex; run this from one")
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
