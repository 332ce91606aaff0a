"""Questions made of English sentences by patterns alone: how many, who, when, which, what does it mean.

A pattern that does not fit makes nothing. What it makes is plain, and close to its sentence.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from cortex.domain.words import STOP_WORDS, is_exact, words
from eval.proposing.verbs import FORM, form

WORDS_MIN, WORDS_MAX = 4, 45
SUBJECT_WORDS_MAX = 9


@dataclass(frozen=True, slots=True)
class Worded:
    """`asks` is what for: `how many`, `who`, `when`, `which`, `what`."""

    asks: str
    question: str
    facts: tuple[str, ...]


_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
eighteen nineteen twenty"
NUMBERS = {word: str(value) for value, word in enumerate(_ONES.split(), start=1)}
_DIGITS = {value: word for word, value in NUMBERS.items()}
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_WEEKDAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_DATE = (
    rf"(?:(?:(?:{_WEEKDAYS}),? )?\d{{1,2}} (?:{_MONTHS})(?: \d{{4}})?"
    rf"|(?:{_MONTHS})(?: \d{{1,2}},)? \d{{4}}|\d{{4}}-\d\d-\d\d|(?:19|20)\d\d"
    rf"|(?:{_WEEKDAYS})|\d{{1,2}}:\d\d)"
)
_NUMBER = rf"(?:\d[\d.,]*\d|\d|{'|'.join(NUMBERS)})"
_ABOUT = r"(?:(?:about|around|up to|at most|at least|only|nearly|almost|more than|fewer than|less than|over|under) )?"
_QUALIFIER = r"(?:working|business|calendar|square|cubic|full|unused|unpaid|paid|Canadian|US)"
_FUNCTION = r"(?:on|in|at|to|for|from|with|per|an?|the|by|under|over|than|as|and|or|of|its|every|each|before|after)"
_UNIT = (
    rf"(?P<unit>(?:{_QUALIFIER} )?(?!{_FUNCTION}\b)(?:people|yuan|[a-z]{{2,}}s)\b"
    rf"(?: of (?!{_FUNCTION}\b)[a-z-]+(?: (?!{_FUNCTION}\b)[a-z-]+)?)?)"
)
_AMOUNT = rf"{_ABOUT}(?P<number>{_NUMBER}) {_UNIT}"
_SUBJECT = rf"(?P<subject>[A-Z][\w'’/-]*(?: [\w'’/-]+){{0,{SUBJECT_WORDS_MAX - 1}}}?)"
_TEXT = r"(?:[^.]|\.(?=\d))"
_REST = rf"(?P<rest>(?:[ ,:(]{_TEXT}*)?)\.?$"
_BE = r"(?P<be>is|are|was|were)"
_MODAL = r"(?P<modal>may|must|can|will|should|shall)"
_NO_NAME = r"(?!(?:One|Two|The|Every|All|Each|Our|No|If|In|On|At|For)\b)"
_NAME = rf"{_NO_NAME}[A-Z][a-zé’'-]+(?: [A-Z][a-zé’'-]+){{1,2}}"
_ROLE = r"[Tt]he (?:[A-Za-z-]+ ){0,2}(?:team|desk|council|officer|manager|lead|director|department|board|committee)"
_PERSON = rf"(?P<person>{_NAME}|{_ROLE})"
_CLAUSE = r"(?:[^.,;]|[.,](?=\d))+"
_CODE = r"(?P<code>[A-Z0-9][\w./-]*\d[\w./-]*|[A-Z]{2,}[\w-]*)"
_NO_NOUN = (
    r"(?:about|from|into|over|under|until|since|with|than|are|was|were|for|and|the|its|before|after|only|every)\b"
)
_NUMBERED = "port|room|form|version|building|revision|batch|line|extension|variant|page|site|model|build"

_LEAD = re.compile(rf"^(?P<lead>(?:In|Since|On|From|Until|By|At) {_DATE}),? (?=\S)")
_HOW_MANY = re.compile(rf"^{_SUBJECT} (?P<verb>{FORM}) {_AMOUNT}{_REST}")
_MAY = re.compile(
    rf"^{_SUBJECT} {_MODAL} (?P<does>(?!not\b)[a-z]+(?: [\w-]+){{0,7}}?)"
    r"(?: (?P<by>for|within|after|in|by|to|from|at|with))?"
    rf" {_AMOUNT}{_REST}"
)
_IS_MANY = re.compile(rf"^{_SUBJECT} {_BE} {_AMOUNT}{_REST}")
_THERE = re.compile(rf"^There {_BE} {_AMOUNT}{_REST}")
_WHO = re.compile(rf"^{_PERSON} (?P<verb>{FORM}|is|was|must|may|can|will)(?P<rest> {_TEXT}+?)\.?$")
_BY_WHOM = re.compile(rf"^{_SUBJECT} {_BE} (?P<done>[a-z]+(?:ed|en|wn|ught|pt|ld|de)) by {_PERSON}{_REST}")
_WHEN = re.compile(
    rf"^{_SUBJECT} {_BE} (?P<done>(?!what\b|the\b|an?\b)[a-z]+(?: [\w-]+){{0,6}}?)"
    rf" (?P<by>on|in|at|since|until|by|from) (?P<date>{_DATE}){_REST}"
)
_WHEN_DID = re.compile(
    rf"^{_SUBJECT} (?P<verb>{FORM})(?P<done>(?: [\w-]+){{0,7}}?)"
    rf" (?P<by>on|in|at|since|until|by) (?P<date>{_DATE}){_REST}"
)
_CALLED = re.compile(rf"^{_SUBJECT} {_BE} (?P<called>called |named )?(?P<name>{_CODE}|{_NAME})(?=[,;]|\.(?!\d)|$).*$")
_WHICH = re.compile(
    rf"^{_SUBJECT} (?P<verb>{FORM})(?P<on> (?:on|to|in|with))?(?: the| an?)? (?P<noun>(?!{_NO_NOUN})[a-z]{{3,}})"
    rf" (?P<code>[A-Z][\w./-]*\d[\w./-]*|[A-Z]+_[\w]+|\d{{2,}}\b|\d+\.\d[\d.]*){_REST}"
)
_MEANS = re.compile(rf"^{_CODE} (?:means|stands for) (?:that )?(?P<meaning>{_CLAUSE})")
_ENTRY = re.compile(rf"^(?P<term>[A-Z][\w-]*(?: [\w-]+){{0,3}}): (?P<meaning>{_CLAUSE})")
_CUT = re.compile(r"(?:[,:(](?!\d)| but\b| which | that | because | and | so |;| – | - ).*$")
_COMMA = re.compile(r"(?:[,;:](?!\d)| but\b).*$")
_HANGING = re.compile(r"(?: (?:a|an|and|as|at|but|by|for|from|in|of|on|or|than|the|to|with))+$")

Pattern = tuple[re.Pattern[str], Callable[[re.Match[str], str, Collection[str]], Worded | None]]


def worded(sentence: str, vocabulary: Collection[str] = (), *, glossary: bool = False) -> Iterator[Worded]:
    """`vocabulary` are words that the document writes small: one of them is no name, even where a sentence begins.

    In a `glossary` every `Term: meaning` is one; elsewhere only that of a code.
    """
    if "?" in sentence:
        return
    entry = _ENTRY.match(sentence)
    if entry and (made := _entry(entry, glossary=glossary)):
        yield made
    if entry or not sentence.endswith("."):
        return
    for clause in sentence.split("; "):
        plain = clause.rstrip(".") + "."
        if len(plain.split()) not in range(WORDS_MIN, WORDS_MAX + 1):
            continue
        lead = _LEAD.match(plain)
        plain, led = (_begun(plain[lead.end() :]), f" {_small(lead['lead'])}") if lead else (plain, "")
        for pattern, make in PATTERNS:
            match = pattern.match(plain)
            made = make(match, led, vocabulary) if match and _stands_alone(match) else None
            if made is not None:
                yield made


def small_words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"(?<![\w.@/-])[a-z][a-z-]+(?![\w@/-])", text))


def _stands_alone(match: re.Match[str]) -> bool:
    """A subject that only what stands before it explains, or that is half a sentence, is left out."""
    subject = (match.groupdict().get("subject") or "").casefold().split()
    if not subject:
        return True
    if subject[0] in _BEGINNINGS or _OFTEN.match(" ".join(subject)) or (subject[0] in ("we", "you") and subject[1:]):
        return False
    return not _WITHIN & set(subject) and subject[-1] not in _DETERMINERS - _ALONE


_CLAUSE_WORDS = """
    it they this these those he she them his him her their its both such there am is are was were be been being do does
    did has have had may must can could will would should shall that which who whom what if when while and or not then
    so because
"""
_PREPOSITIONS = """
    without with for after before during in on at by from until since to as under over between most all some
"""
_PEOPLE_AND_SHARES = "everyone everybody we you any most all"
_ARTICLES = "the a an each every our your some one two three four no new old"
_WITHIN = frozenset(_CLAUSE_WORDS.split())
_BEGINNINGS = frozenset(_PREPOSITIONS.split())
_OFTEN = re.compile(r"every (?:other |second )?(?:night|day|week|month|quarter|year|hour|morning|evening|minute)\b")
_ALONE = frozenset(_PEOPLE_AND_SHARES.split())
_DETERMINERS = frozenset(_ARTICLES.split()) | _ALONE


def _how_many(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    base, do = form(match["verb"])
    rest = _cut(match["rest"])
    return _many(match, f"how many {match['unit']} {do} {_subject(match, vocabulary)} {base}{rest}{led}")


def _may(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    by = f"{match['by']} " if match["by"] else ""
    asked = f"{by}how many {match['unit']} {match['modal']} {_subject(match, vocabulary)} {match['does']}"
    return _many(match, f"{asked}{_cut(match['rest'])}{led}")


def _is_many(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    asked = f"how many {match['unit']} {match['be']} {_subject(match, vocabulary)}{_cut(match['rest'])}{led}"
    return _many(match, asked)


def _there(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    return _many(match, f"how many {match['unit']} {match['be']} there{_cut(match['rest'])}{led}")


def _many(match: re.Match[str], asked: str) -> Worded | None:
    number, unit = match["number"].casefold(), match["unit"].split(" of ")[0]
    if number in ("1", "one"):
        return None
    other = NUMBERS.get(number) or _DIGITS.get(number)
    facts = (f"{match['number']} {unit}", *((f"{other} {unit}",) if other else ()))
    return Worded("how many", f"{asked}?", facts)


def _who(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    verb = match["verb"]
    if form(verb)[1] == "do" or len(match["rest"].split()) < 2:
        return None
    return Worded("who", f"who {verb}{_cut(match['rest'], more=False)}{led}?", _people(match["person"]))


def _by_whom(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    asked = f"by whom {match['be']} {_subject(match, vocabulary)} {match['done']}{_cut(match['rest'])}{led}?"
    return Worded("who", asked, _people(match["person"]))


def _people(person: str) -> tuple[str, ...]:
    return (person, person[4:]) if person.casefold().startswith("the ") else (person,)


def _when(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    if led:
        return None
    asked = f"{_moment(match['by'])} {match['be']} {_subject(match, vocabulary)} {match['done']}{_cut(match['rest'])}?"
    return Worded("when", asked, (match["date"],))


def _when_did(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    if led:
        return None
    base, do = form(match["verb"])
    asked = f"{_moment(match['by'])} {do} {_subject(match, vocabulary)} {base}{match['done']}{_cut(match['rest'])}?"
    return Worded("when", asked, (match["date"],))


def _moment(by: str) -> str:
    return "when" if by in ("on", "in", "at") else f"{by} when"


def _called(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    name = match["name"].rstrip(".")
    if match["be"] in ("are", "were") or (match["subject"][0].isupper() and " " not in match["subject"]):
        return None
    called = f" {match['called'].strip()}" if match["called"] else ""
    return Worded("what", f"what {match['be']} {_subject(match, vocabulary)}{called}{led}?", (name,))


def _which(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    noun, code = match["noun"], match["code"]
    if code.isdigit() and noun not in _NUMBERED.split("|"):
        return None
    base, do = form(match["verb"])
    asked = f"which {noun} {do} {_subject(match, vocabulary)} {base}{match['on'] or ''}{_cut(match['rest'])}{led}?"
    return Worded("which", asked, (code.rstrip("."),))


def _means(match: re.Match[str], led: str, vocabulary: Collection[str]) -> Worded | None:
    return Worded("what", f"what does {match['code']} mean?", (match["meaning"].strip(),))


def _entry(match: re.Match[str], *, glossary: bool) -> Worded | None:
    term, meaning = match["term"], match["meaning"].strip()
    code = is_exact(term) or re.fullmatch(r"[A-Z]{2,}[\w-]*", term) is not None
    if not (code or glossary) or len(meaning.split()) < 2 or not (meaning[0].islower() or glossary):
        return None
    return Worded("what", f"what does {term if code else f'“{term}”'} mean?", (meaning,))


def _subject(match: re.Match[str], vocabulary: Collection[str]) -> str:
    subject = match["subject"]
    first, _, then = subject.partition(" ")
    plain = first.casefold() in vocabulary and not then[:1].isupper()
    return _small(subject) if plain or first.casefold() in _DETERMINERS | STOP_WORDS else subject


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cut(rest: str, *, more: bool = True) -> str:
    """What follows the fact, up to where the sentence says something else."""
    kept = _CUT.sub("", rest) if more else _COMMA.sub("", rest)
    return _HANGING.sub("", kept.rstrip(" .,"))


PATTERNS: tuple[Pattern, ...] = (
    (_HOW_MANY, _how_many),
    (_MAY, _may),
    (_IS_MANY, _is_many),
    (_THERE, _there),
    (_WHO, _who),
    (_BY_WHOM, _by_whom),
    (_WHEN, _when),
    (_WHEN_DID, _when_did),
    (_CALLED, _called),
    (_WHICH, _which),
    (_MEANS, _means),
)


def about(question: str, title: str, headings: tuple[str, ...]) -> str:
    """With the title and the headings before it, but for those whose words it holds already."""
    asked = {word.key for word in words(question)}
    named = []
    for name in (title, *headings):
        keys = {word.key for word in words(name) if not word.stop}
        if keys and not keys <= asked:
            named.append(name.replace("“", "").replace("”", "").rstrip("?:. "))
    return f"About “{' / '.join(named)}”: {question}" if named else _begun(question)
