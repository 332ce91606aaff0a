"""Which language a text is in."""

from typing import Protocol

from cortex.domain.encoding import Language


class LanguageDetector(Protocol):
    """Pure, deterministic and safe to call from several threads.

    Never fails: a text that gives no hint is in the default language.
    """

    def detect(self, text: str) -> Language: ...
