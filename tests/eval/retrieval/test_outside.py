"""BM25 from outside gets terms of the language that it is asked in, and the best of them."""

from eval.languages import best_outside, language_of
from eval.retrieval.outside import bm25, han_bigrams, jieba_words, spaced
from eval.retrieval_sets import RetrievalSet, SetDocument

GERMAN = RetrievalSet(
    "shelf_de",
    {"1": SetDocument("", "Die Häuser am Fluss"), "2": SetDocument("", "Der Fluss und die Brücke")},
    {"q": "Wo steht ein Haus?"},
    {"q": {"1": 1}},
)
CHINESE = RetrievalSet(
    "zh",
    {"1": SetDocument("", "合同的通知期为三个月。"), "2": SetDocument("", "香蕉是黄色的。")},
    {"q": "通知期是多久？"},
    {"q": {"1": 1}},
)


def test_a_set_tells_its_language_by_its_name() -> None:
    assert (language_of(GERMAN), language_of(CHINESE)) == ("de", "zh")


def test_words_are_stemmed_in_the_language_of_the_set() -> None:
    assert bm25(GERMAN, spaced("de")) == {"q": ["1"]}
    assert best_outside(GERMAN) == ("de", {"q": 1.0})


def test_chinese_is_cut_into_words_or_pairs() -> None:
    assert jieba_words(["合同, 2024年"]) == [["合同", "2024", "年"]]
    assert han_bigrams(["通知期 ABC"]) == [["通知", "知期", "abc"]]
    name, scores = best_outside(CHINESE)
    assert (name in {"jieba", "bigrams"}, scores) == (True, {"q": 1.0})
