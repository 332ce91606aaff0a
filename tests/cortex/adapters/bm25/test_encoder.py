"""Terms by language, their weights and their indices."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.adapters.bm25.encoder import Bm25Encoder, term_index
from cortex.adapters.bm25.stems import ALGORITHMS, Stems, stop_words
from cortex.adapters.bm25.unspaced import ChineseSegmenter
from cortex.adapters.language import LanguageByScript
from cortex.domain.vector import PassageTerms, SparseVector

LANGUAGES = LanguageByScript()


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Bm25Encoder:
    return Bm25Encoder(ChineseSegmenter(tmp_path_factory.mktemp("dictionary")))


def score(query: SparseVector, passage: SparseVector) -> float:
    weights = dict(zip(passage.indices, passage.values, strict=True))
    return sum(value * weights.get(index, 0.0) for index, value in zip(query.indices, query.values, strict=True))


def match(encoder: Bm25Encoder, query: str, passage: str, *, language: str | None = None) -> float:
    """As the platform does it: the passage in its own language, the question in all plausible ones."""
    code = language or LANGUAGES.detect(passage).code
    asked = encoder.encode_query(query, LANGUAGES.detect(query).candidates)
    return score(asked, encoder.encode_passage(passage, code).sparse)


GERMAN = "Die Kündigungsfristen betragen drei Monate zum Ende eines Quartals. Anträge gehen an die Personalabteilung."
ENGLISH = "Notice periods are three months to the end of a quarter. Requests are approved by human resources."
CHINESE = "员工报销差旅费需要在三十天内提交发票,由部门经理审批。"
JAPANESE = "請求書番号はサーバーの管理画面で確認できます。経費精算の締め切りは月末です。"
FRENCH = "Les demandes de congés sont validées par le responsable de l’équipe avant la fin du mois."


@pytest.mark.parametrize(
    ("query", "passage"),
    [
        ("Kündigungsfrist", GERMAN),
        ("Frist Antrag", GERMAN),
        ("Wohin gehen Anträge?", GERMAN),
        ("approving a request", ENGLISH),
        ("notice period", ENGLISH),
        ("差旅费报销", CHINESE),
        ("谁审批发票", CHINESE),
        ("請求書番号", JAPANESE),
        ("経費精算の締め切りはいつですか", JAPANESE),
        ("サーバー", JAPANESE),
        ("demande de congé", FRENCH),
        ("équipes", FRENCH),
    ],
)
def test_a_short_question_finds_its_passage_in_its_own_language(encoder: Bm25Encoder, query: str, passage: str) -> None:
    others = {GERMAN, ENGLISH, CHINESE, JAPANESE, FRENCH} - {passage}
    assert match(encoder, query, passage) > max(match(encoder, query, other) for other in others)


@pytest.mark.parametrize("code", ["1099-MISC", "E_CONN_42", "SKU-88/A", "v2.3.1", "jane.doe@acme.com", "getUserName"])
def test_an_exact_code_finds_the_passage_that_holds_it_in_any_language(encoder: Bm25Encoder, code: str) -> None:
    for passage in (GERMAN, ENGLISH, CHINESE, JAPANESE):
        assert match(encoder, code, f"{passage} {code}") > match(encoder, code, passage)


def test_half_a_code_finds_it_too_and_the_whole_more(encoder: Bm25Encoder) -> None:
    passage = "Form 1099-MISC is sent in January."
    assert 0 < match(encoder, "1099", passage) < match(encoder, "1099-MISC", passage)


def test_an_english_word_in_a_german_passage_is_found_by_an_english_question(encoder: Bm25Encoder) -> None:
    passage = "Das Deployment der Anwendung erfolgt jeden Dienstag durch die Bereitschaft."
    assert LANGUAGES.detect(passage).code == "de"
    assert match(encoder, "when does the deployment happen", passage) > 0


def test_a_word_scores_once_however_many_languages_a_question_may_be_in(encoder: Bm25Encoder) -> None:
    passage = encoder.encode_passage("Elternzeit", "de").sparse
    alone = encoder.encode_query("Elternzeit", ["de"])
    assert score(alone, passage) == score(encoder.encode_query("Elternzeit", ["en", "de", "nl", "fi"]), passage)


def test_stop_words_are_those_of_the_likeliest_language(encoder: Bm25Encoder) -> None:
    assert list(encoder.query_terms("die hard", ["en", "de"])) != list(encoder.query_terms("die hard", ["de", "en"]))
    assert list(encoder.passage_terms("the and of", "en")) == []
    assert list(encoder.passage_terms("Ask IT for it", "en")) == ["ask", "it"]


@pytest.mark.parametrize("empty", ["", "   ", "the of and", "!?…"])
def test_a_text_without_terms_gives_an_empty_vector(encoder: Bm25Encoder, empty: str) -> None:
    assert encoder.encode_passage(empty, "en") == PassageTerms(SparseVector((), ()), 0)
    assert encoder.encode_query(empty, ["en"]) == SparseVector((), ())


def test_a_language_without_stemmer_indexes_words_as_they_stand(encoder: Bm25Encoder) -> None:
    assert list(encoder.passage_terms("Thông báo nghỉ", "vi")) == ["thông", "báo", "nghỉ"]


def test_weights_follow_the_formula(encoder: Bm25Encoder) -> None:
    passage = encoder.encode_passage("alpha alpha beta", "en", average_terms=10)
    weights = dict(zip(passage.sparse.indices, passage.sparse.values, strict=True))
    assert passage.length == 3
    shrink = 1.2 * (1 - 0.75 + 0.75 * 3 / 10)
    assert weights[term_index("alpha")] == pytest.approx(2 * 2.2 / (2 + shrink))
    assert weights[term_index("beta")] == pytest.approx(2.2 / (1 + shrink))


def test_a_question_counts_its_words(encoder: Bm25Encoder) -> None:
    query = encoder.encode_query("alpha alpha beta", ["en"])
    assert sorted(query.values) == [1.0, 2.0]


@settings(deadline=None, max_examples=150)
@given(st.text(max_size=120), st.sampled_from(["en", "de", "zh", "ja", "ko", "th", "xx"]))
def test_vectors_of_any_text_ascend_and_are_positive(encoder: Bm25Encoder, text: str, language: str) -> None:
    for vector in (encoder.encode_passage(text, language).sparse, encoder.encode_query(text, [language, "en"])):
        indices: Sequence[int] = vector.indices
        assert list(indices) == sorted(set(indices))
        assert all(0 <= index < 2**32 for index in indices)
        assert all(value > 0 for value in vector.values)


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=80), st.sampled_from(["en", "de", "zh", "ja"]))
def test_a_passage_finds_itself(encoder: Bm25Encoder, text: str, language: str) -> None:
    passage = encoder.encode_passage(text, language).sparse
    assert bool(passage.indices) == (score(encoder.encode_query(text, [language]), passage) > 0)


def test_indices_are_pinned_since_they_are_stored() -> None:
    assert term_index("cortex") == 1_552_404_247


def test_two_processes_that_start_together_share_one_dictionary(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from cortex.adapters.bm25.unspaced import ChineseSegmenter;"
        "print('/'.join(ChineseSegmenter(Path(sys.argv[1])).terms('差旅费报销')))"
    )
    folder = tmp_path / "cache"
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    answers = [child.communicate(timeout=60) for child in children]
    assert answers == [("差旅/旅费/差旅费/报销\n", "")] * 2
    assert [path.name for path in folder.iterdir()] == ["jieba.cache"]
    assert folder.stat().st_mode & 0o077 == 0


def test_stemmers_exist_for_every_language_that_is_named() -> None:
    stems = Stems()
    assert {language: bool(stems.stem("abc", language)) for language in ALGORITHMS} == dict.fromkeys(ALGORITHMS, True)
    assert stop_words().keys() <= ALGORITHMS.keys() | {"zh"}
