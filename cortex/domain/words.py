"""Words of a text, so that a question's words are found again in a passage: for snippets and for choosing sentences.

Lighter than the index's tokens and independent of them: nothing here is stored. Endings are cut by a few rules in
English and German, Chinese and Japanese runs become pairs of characters, and codes such as `E_CONN_42` stay whole.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_RUN = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+(?:[-_./'’@+][^\W{_CJK}]+)*")
_CJK_RUN = re.compile(rf"[{_CJK}]")
_PART = re.compile(r"[^-_./'’@+]+")
_VERSION = re.compile(r"\d+(?:\.\d{1,2})+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_VOWEL = re.compile(r"[aeiouyäöü]")

_STOP_ENGLISH = """
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could currently did do does doing done down during each ever every few for from further get gets getting give
given go goes going had happen happens has have having he her here hers him his how i if in into is it its itself just
let like long made make makes many may me might more most much must my need needs new no nor not now of off on once one
only or other our ours out over own per please put same say says shall she should since so some still such take takes
tell than that the their them then there these they thing things this those through to today too under until up us use
used uses using very was we were what when where whether which while who whom whose why will with within work would yet
you your yours company someone anyone somebody anybody person people currently actually usually normally exactly there's
what's who's how's it's i'm we're don't doesn't kind sort way current latest
"""
_STOP_GERMAN = """
aber alle als also am an auch auf aus bei beim bin bis bitte da damit dann das dass dem den der des die dies diese
dieser dieses doch du durch ein eine einem einen einer eines er es etwas für gibt haben hat hatte ich ihr im in ist
ja kann können man mit muss müssen nach nicht noch nun nur oder ob sein seine sich sie sind so soll sollen über um
und uns unser unsere unserem unseren unter vom von vor war waren warum was welche welchem welchen welcher welches
wenn wer werden wessen wie wieso wieviel wird wir wo wann wohin worden wurde wurden zu zum zur zwischen viele viel
derzeit aktuell heute
"""
STOP_WORDS = frozenset(_STOP_ENGLISH.split()) | frozenset(_STOP_GERMAN.split())
_STOP_CJK = re.compile(
    "什么时候|什么|多少|怎么样|怎么|怎样|如何|为什么|哪些|哪个|哪里|哪天|几个|几天|是否|请问|我们|你们|他们|可以|需要|应该|目前|现在"
    "|谁|哪|吗|呢|吧|的|了|是|在|有|和|与|或|要|会|能|个|将|被|把|由|从|到|对|为|几"
    "|ですか|ますか|でしょうか|ください|どのくらい|どのように|いくつ|いくら|いつ|どこ|どれ|どの|だれ|なぜ|なに|何|誰|です|ます|ました|される|する|した|して"
    "|から|まで|より|には|では|とは|は|が|を|に|の|で|と|も|へ|か"
)


@dataclass(frozen=True, slots=True)
class Word:
    """Code points `start` to `end` of its text. `key` is what is compared; an `exact` word is found as it stands."""

    start: int
    end: int
    key: str
    exact: bool
    stop: bool


def stem(word: str, language: str) -> str:
    """A word without its ending: enough to match a plural or a past tense, and never below three letters."""
    return _german(word) if language == "de" else _english(word)


_IRREGULAR_PAIRS = """
    won:win sent:send kept:keep sold:sell bought:buy paid:pay met:meet held:hold led:lead left:leave
    built:build began:begin begun:begin broke:break broken:break chose:choose chosen:choose wrote:write written:write
    spoke:speak spoken:speak told:tell taken:take took:take gave:give given:give grew:grow grown:grow knew:know
    known:know lost:lose ran:run said:say saw:see seen:see spent:spend stood:stand taught:teach thought:think
    brought:bring caught:catch found:find fell:fall fallen:fall hidden:hide hid:hide rose:rise risen:rise
    thrown:throw threw:throw
"""
_IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR_PAIRS.split())
_ENDINGS = (("'s", 2), ("’s", 2), ("ingly", 4), ("edly", 4), ("ing", 3), ("ied", 3), ("ies", 3), ("ed", 3))


def _english(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    for ending, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least and _VOWEL.search(word[: -len(ending)]):
            word = word[: -len(ending)] + ("y" if ending in ("ied", "ies") else "")
            return _bare(word)
    if word.endswith("es") and len(word) > 4 and word[-3] in "sxzho":
        return _bare(word[:-2])
    if word.endswith("s") and len(word) > 3 and word[-2] not in "su":
        return _bare(word[:-1])
    return _bare(word)


def _bare(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def _german(word: str) -> str:
    word = word.replace("ß", "ss")
    for ending in ("en", "er", "em", "es", "ern", "e", "n", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    return word.replace("ä", "a").replace("ö", "o").replace("ü", "u")


def is_exact(text: str) -> bool:
    """A code, a version, a host: something that either stands there or does not. Years are not codes."""
    if _VERSION.fullmatch(text):
        return True
    letters, digits = any(map(str.isalpha, text)), any(map(str.isdigit, text))
    if _YEAR.fullmatch(text):
        return False
    return (letters and digits and not re.fullmatch(r"\d+(?:st|nd|rd|th)", text.lower())) or "_" in text or "@" in text


def words(text: str, language: str = "en") -> list[Word]:
    """Every word in order; of a code or a compound its parts as well, after the whole."""
    return list(_words(text, language))


def _words(text: str, language: str) -> Iterator[Word]:
    for run in _RUN.finditer(text):
        if _CJK_RUN.match(run.group()):
            yield from _pairs(run.group(), run.start())
            continue
        yield _word(run.group(), run.start(), language)
        parts = list(_PART.finditer(run.group()))
        if len(parts) > 1:
            yield from (_word(part.group(), run.start() + part.start(), language) for part in parts if part.group())


def _word(text: str, start: int, language: str) -> Word:
    key, exact, stop = _reading(text, language)
    return Word(start, start + len(text), key, exact, stop)


@lru_cache(maxsize=65_536)
def _reading(text: str, language: str) -> tuple[str, bool, bool]:
    """Key, exact, stop: the same wherever the word stands."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    exact = is_exact(text)
    key = folded if exact else stem(folded, language)
    return key, exact, folded in STOP_WORDS or (len(folded) == 1 and not exact)


def _pairs(run: str, offset: int) -> Iterator[Word]:
    """Pairs of characters; those that touch a word of grammar are kept for matching but marked as stop words."""
    grammar = {at for match in _STOP_CJK.finditer(run) for at in range(match.start(), match.end())}
    if len(run) == 1:
        yield Word(offset, offset + 1, run, False, 0 in grammar)
    for at in range(len(run) - 1):
        pair = run[at : at + 2]
        yield Word(offset + at, offset + at + 2, pair, False, at in grammar or at + 1 in grammar)
