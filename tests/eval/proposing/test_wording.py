"""Sentences and the questions that are made of them."""

import pytest

from eval.proposing.wording import about, small_words, worded


@pytest.mark.parametrize(
    ("sentence", "question", "facts"),
    [
        (
            "A new key takes two days to Hamburg.",
            "how many days does a new key take to Hamburg?",
            ("two days", "2 days"),
        ),
        (
            "In 2025 we replaced 14 keys, two of them wet.",
            "how many keys did we replace in 2025?",
            ("14 keys", "fourteen keys"),
        ),
        (
            "You may work from another country for at most 20 working days a year.",
            "for how many working days may you work from another country a year?",
            ("20 working days", "twenty working days"),
        ),
        (
            "The daily meal allowance is 38 euros in Germany, 220 yuan in China.",
            "how many euros is the daily meal allowance in Germany?",
            ("38 euros",),
        ),
        ("There were four cases in 2025.", "how many cases were there in 2025?", ("four cases", "4 cases")),
        (
            "One Harbor covers about 2,000 square metres of open racking.",
            "how many square metres of open racking does one Harbor cover?",
            ("2,000 square metres",),
        ),
        ("Omar Siddiqui approves claims every Friday.", "who approves claims every Friday?", ("Omar Siddiqui",)),
        ("The People team needs four weeks.", "who needs four weeks?", ("The People team", "People team")),
        (
            "The budget is approved by Ada Lovelace in March.",
            "by whom is the budget approved in March?",
            ("Ada Lovelace",),
        ),
        ("The line was stopped at 10:05 in Hamburg.", "when was the line stopped in Hamburg?", ("10:05",)),
        ("The board sees the draft on 8 December.", "when does the board see the draft?", ("8 December",)),
        ("The old server is kept until 6 July.", "until when is the old server kept?", ("6 July",)),
        (
            "The gateway listens to port 8443 by default.",
            "which port does the gateway listen to by default?",
            ("8443",),
        ),
        ("The list price is named LP-77.", "what is the list price named?", ("LP-77",)),
        ("MKT means mean kinetic temperature, one number.", "what does MKT mean?", ("mean kinetic temperature",)),
        (
            "E_CONN_42: the clock of the gateway is wrong.",
            "what does E_CONN_42 mean?",
            ("the clock of the gateway is wrong",),
        ),
    ],
)
def test_a_sentence_becomes_a_question_and_its_fact(sentence: str, question: str, facts: tuple[str, ...]) -> None:
    found = {one.question: one.facts for one in worded(sentence)}
    assert found.get(question) == facts, found


@pytest.mark.parametrize(
    "sentence",
    [
        "It takes two days to Hamburg.",
        "They approve claims on 3 May 2026.",
        "Omar Siddiqui and Ada Lovelace met.",
        "Does a key take two days?",
        "The key that takes two days is lost.",
        "Plan: engineers choose between two sizes.",
        "The office takes one day.",
        "Short.",
    ],
)
def test_what_does_not_stand_alone_makes_nothing(sentence: str) -> None:
    assert list(worded(sentence)) == []


def test_a_plain_word_is_explained_in_a_glossary_alone() -> None:
    entry = "Heron: the fixed room sensor."
    assert list(worded(entry)) == []
    (made,) = worded(entry, glossary=True)
    assert (made.question, made.facts) == ("what does “Heron” mean?", ("the fixed room sensor",))


def test_a_word_that_the_document_writes_small_is_no_name() -> None:
    sentence = "Hotels may cost up to 160 euros a night."
    (unknown,) = worded(sentence)
    (known,) = worded(sentence, small_words("Of all hotels this is the best. Hotels are dear."))
    assert "may Hotels cost" in unknown.question
    assert "may hotels cost" in known.question


def test_title_and_headings_make_a_question_whole() -> None:
    asked = "how many days does a new key take?"
    assert about(asked, "Travel", ("Germany", "Trains")) == f"About “Travel / Germany / Trains”: {asked}"
    assert about(asked, "New keys", ()) == "How many days does a new key take?"
