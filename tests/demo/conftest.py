"""The demo company, read once."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.demo.corpus import text_of
from tests.demo.oracle import Oracle, load_oracle

DEMO = Path(__file__).resolve().parents[2] / "demo"


@pytest.fixture(scope="session")
def oracle() -> Oracle:
    return load_oracle(DEMO)


@pytest.fixture(scope="session")
def texts(oracle: Oracle) -> Mapping[str, str]:
    return {path: text_of(file) for path, file in oracle.documents.items()}
