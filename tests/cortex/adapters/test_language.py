"""Languages of passages and of short questions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.adapters.language import CANDIDATES_MAX, LanguageByScript

LANGUAGES = LanguageByScript()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("What changed in the pricing plan?", "en"),
        ("Wie lange ist die Kündigungsfrist?", "de"),
        ("Quelle est la politique de congés de l'entreprise ?", "fr"),
        ("¿Cuál es el plazo para presentar los gastos de viaje?", "es"),
        ("Qual è la scadenza per la nota spese del mese?", "it"),
        ("Wat is de opzegtermijn van het contract?", "nl"),
        ("Hur lång är uppsägningstiden enligt avtalet?", "sv"),
        ("Сколько дней отпуска у сотрудника?", "ru"),
        ("报销的截止日期是哪一天?", "zh"),
        ("経費精算の締め切りはいつですか", "ja"),
        ("サーバー", "ja"),
        ("휴가 신청은 어디에서 하나요", "ko"),
        ("วันหยุดประจำปี", "th"),
        ("Πόσες ημέρες άδειας υπάρχουν;", "el"),
        ("登录页面 OAuth 报错了", "zh"),
        ("该公司由任天堂(にんてんどう)创立,总部位于日本京都市,主要开发电子游戏主机和游戏软件,员工超过六千人。", "zh"),
    ],
)
def test_the_language_of_a_sentence(text: str, code: str) -> None:
    assert LANGUAGES.detect(text).code == code


@pytest.mark.parametrize(
    "text", ["1099-MISC", "E_CONN_42 error", "vacation policy", "deploy rollback", "", "42", "???"]
)
def test_what_gives_no_certain_hint_is_in_the_default_language(text: str) -> None:
    assert LANGUAGES.detect(text).code == "en"
    assert LANGUAGES.detect(text).candidates[0] == "en"


@pytest.mark.parametrize("text", ["Reisekosten", "Homeoffice Regelung", "Kündigungsfrist Probezeit", "Urlaub"])
def test_german_is_plausible_for_one_or_two_german_words(text: str) -> None:
    assert "de" in LANGUAGES.detect(text).candidates


def test_a_few_han_characters_may_be_chinese_or_japanese() -> None:
    assert LANGUAGES.detect("東京支社").candidates == ("zh", "ja")


def test_another_default_language() -> None:
    assert LanguageByScript("de").detect("Urlaub").code == "de"


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_has_a_language_and_few_candidates(text: str) -> None:
    language = LANGUAGES.detect(text)
    assert language.candidates[0] == language.code
    assert 1 <= len(set(language.candidates)) == len(language.candidates) <= CANDIDATES_MAX + 1
    assert language == LANGUAGES.detect(text)
