"""Finds what is personal or secret in a text. What is done about it is decided by rules (domain/privacy.py)."""

from collections.abc import Sequence
from typing import Protocol

from cortex.domain.privacy import Finding


class Redactor(Protocol):
    """Pure and deterministic for a `version`, which is part of what a document's revision stands for."""

    @property
    def version(self) -> str: ...

    def detect(self, text: str, language: str) -> Sequence[Finding]:
        """In any order; findings may overlap. Blocks its thread: milliseconds for a page."""
        ...
