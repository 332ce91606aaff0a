"""Documents for the tests of what drafts questions."""

from eval.proposing.drafts import Draft
from eval.proposing.pages import Page, Section

KEYS = (
    "A new key takes two days to Hamburg and four to Shenzhen. Omar Siddiqui approves every order.",
    "In 2025 we replaced 14 keys.",
)
BADGES = ("Badges are printed in Rotterdam every Monday.", "The printer MX-2000 belongs to Priya Raman.")


def page(path: str, title: str, *paragraphs: str, headings: tuple[str, ...] = ()) -> Page:
    return Page(path, path, title, (Section(headings, "\n\n".join(paragraphs)),))


def draft(question: str, *facts: str, source: str = "wiki/keys.md", rests_on: str = KEYS[0]) -> Draft:
    return Draft(
        kind="fact",
        question=question,
        language="en",
        facts=facts,
        source=source,
        document=source,
        rests_on=rests_on,
        made="by rule: how many",
    )
