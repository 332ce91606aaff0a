"""Which language: by script first, then by py3langid among the languages of that script."""

import re
import threading
from dataclasses import dataclass

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from cortex.domain.encoding import Language

TEXT_CHARACTERS_MAX = 2000
# Below this share of the probability a text counts as in the default language: error codes, names, single words.
CERTAIN = 0.6
# A language that stays below this is not searched in.
PLAUSIBLE = 0.05
CANDIDATES_MAX = 4
# A Chinese or Japanese character says about as much as two letters.
WIDE_CHARACTER_LETTERS = 2
# From this share of kana on, a text with Han characters is Japanese.
JAPANESE = 0.15

# Each further language makes a question of one or two words less certain: those of few companies are left out.
LATIN = frozenset(
    {"cs", "da", "de", "en", "es", "fi", "fr", "hu", "id", "it", "nl", "no", "pl", "pt", "ro", "sv", "tr", "vi"}
)
CYRILLIC = frozenset({"be", "bg", "mk", "ru", "sr", "uk"})
ARABIC = frozenset({"ar", "fa", "ur"})
DEVANAGARI = frozenset({"hi", "mr", "ne"})


@dataclass(frozen=True, slots=True)
class _Script:
    characters: re.Pattern[str]
    languages: frozenset[str]
    weight: int = 1


_SCRIPTS = {
    "latin": _Script(re.compile("[A-Za-zÀ-ɏḀ-ỿ]"), LATIN),
    "han": _Script(re.compile("[㐀-䶿一-鿿豈-﫿]"), frozenset({"zh"}), WIDE_CHARACTER_LETTERS),
    "kana": _Script(re.compile("[ぁ-ゟァ-ヺー-ヿ]"), frozenset({"ja"}), WIDE_CHARACTER_LETTERS),
    "hangul": _Script(re.compile("[가-힯ᄀ-ᇿ]"), frozenset({"ko"}), WIDE_CHARACTER_LETTERS),
    "cyrillic": _Script(re.compile("[Ѐ-ӿ]"), CYRILLIC),
    "arabic": _Script(re.compile("[؀-ۿ]"), ARABIC),
    "devanagari": _Script(re.compile("[ऀ-ॿ]"), DEVANAGARI),
    "greek": _Script(re.compile("[Ͱ-Ͽ]"), frozenset({"el"})),
    "hebrew": _Script(re.compile("[א-ת]"), frozenset({"he"})),
    "thai": _Script(re.compile("[ก-๛]"), frozenset({"th"})),
}


class LanguageByScript:
    """Implements LanguageDetector. The statistical model is loaded at the first text that needs it."""

    def __init__(self, default: str = "en") -> None:
        self._default = default
        self._lock = threading.Lock()
        self._identifier: LanguageIdentifier | None = None

    def detect(self, text: str) -> Language:
        sample = text[:TEXT_CHARACTERS_MAX]
        weights = {name: script.weight * len(script.characters.findall(sample)) for name, script in _SCRIPTS.items()}
        # Japanese is half kana; Chinese quotes a name in it now and then. A few Han characters alone may be either.
        wide = weights["han"] + weights["kana"]
        others = {name: weight for name, weight in weights.items() if name not in {"han", "kana"}}
        if wide > max(others.values()):
            return Language("ja", ("ja",)) if weights["kana"] >= JAPANESE * wide else Language("zh", ("zh", "ja"))
        script = max(others, key=others.__getitem__)
        if not others[script]:
            return Language(self._default, (self._default,))
        return self._among(_SCRIPTS[script].languages, sample)

    def _among(self, languages: frozenset[str], text: str) -> Language:
        if len(languages) == 1:
            (only,) = languages
            return Language(only, (only,))
        ranked = [(code, share) for code, share in self._model().rank(text) if code in languages]
        total = sum(share for _, share in ranked) or 1.0
        best, share = ranked[0]
        if share / total >= CERTAIN:
            return Language(best, (best,) if best == self._default else (best, self._default))
        fallback = self._default if self._default in languages else best
        plausible = [code for code, share in ranked[:CANDIDATES_MAX] if share / total >= PLAUSIBLE]
        return Language(fallback, tuple(dict.fromkeys([fallback, *plausible])))

    def _model(self) -> LanguageIdentifier:
        with self._lock:
            if self._identifier is None:
                self._identifier = _load(LATIN | CYRILLIC | ARABIC | DEVANAGARI)
        return self._identifier


def _load(languages: frozenset[str]) -> LanguageIdentifier:
    whole = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    whole.set_languages(sorted(languages))
    # A new one out of the narrowed tables lets go of those of all languages: 28 MB.
    return LanguageIdentifier(
        whole.nb_ptc,
        whole.nb_pc,
        whole.nb_classes,
        whole.tk_nextmove,
        whole.tk_output,
        norm_probs=True,
        tk_row=whole.tk_row,
    )
