"""A person goes through drafted questions: yes, no, edit, skip. Each decision is kept at once; the next run goes on."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cortex.domain.errors import Invalid, NotFound
from eval.golden_questions import states
from eval.proposing.drafts import keep, malformed

KEYS = "y(es)  n(o)  e(dit)  s(kip)  q(uit) > "
SEPARATOR = " | "
_ANSWERS = {"y": "yes", "n": "no", "e": "edit", "s": "skip", "q": "quit"}

Ask = Callable[[str], str]
"""Shows a prompt and gives the line that was typed. Raises EOFError where there is no more."""
Show = Callable[[str], None]
Row = dict[str, object]


@dataclass(slots=True)
class Tally:
    confirmed: int = 0
    refused: int = 0
    waiting: int = 0


def rows(path: Path) -> list[Row]:
    """Raises NotFound, or Invalid that names the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise NotFound(f"{path}: {error.strerror}") from error
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise Invalid(f"{path}:{number}: expected one JSON object a line") from error
        if not isinstance(row, dict) or "question" not in row:
            raise Invalid(f"{path}:{number}: expected a question in the form of the golden set")
        found.append(row)
    return found


def walk(path: Path, *, ask: Ask, show: Show) -> Tally:
    """Through every draft that nobody has decided on; what people wrote themselves is left as it is."""
    found = rows(path)
    waiting = [row for row in found if _waits(row)]
    for number, row in enumerate(waiting, start=1):
        show(f"\n{number} of {len(waiting)}")
        for line in shown(row):
            show(plain(line))
        try:
            decision = _decided(row, ask, show)
        except EOFError:
            break
        if decision == "quit":
            break
        if decision in ("yes", "no"):
            row["confirmed"] = decision == "yes"
            _draft(row)["decided"] = decision
            keep(path, found)
    return tally(found)


def tally(found: list[Row]) -> Tally:
    counted = Tally()
    for row in found:
        if row.get("confirmed", True) is True:
            counted.confirmed += 1
        elif _waits(row):
            counted.waiting += 1
        else:
            counted.refused += 1
    return counted


def shown(row: Row) -> list[str]:
    draft = _draft(row)
    facts = SEPARATOR.join(_facts(row))
    return [
        f"question   {row['question']}",
        f"answer     {facts}" if facts else "answer     none: nothing that this person may open answers",
        f"asker      {row.get('asker', '')}",
        f"source     {draft.get('source', '')}",
        f"sentence   {draft.get('rests_on', '')}",
        f"made       {draft.get('made', '')}",
    ]


def plain(text: str) -> str:
    """Nothing that a terminal would act upon."""
    return "".join(character if character.isprintable() else " " for character in text)


def _decided(row: Row, ask: Ask, show: Show) -> str:
    while True:
        answer = _ANSWERS.get(ask(KEYS).strip().casefold()[:1], "")
        if answer == "edit":
            if _edited(row, ask, show):
                return "yes"
        elif answer:
            return answer


def _edited(row: Row, ask: Ask, show: Show) -> bool:
    """An edited draft is confirmed, where it holds what code can check; nothing typed keeps what stands."""
    question = ask("question (empty: as it is) > ").strip() or str(row["question"])
    facts = _facts(row)
    if facts:
        typed = ask(f"answer, alternatives between{SEPARATOR}(empty: as it is) > ")
        facts = [part.strip() for part in typed.split(SEPARATOR.strip()) if part.strip()] or facts
    if reason := _fault(question, tuple(facts), str(_draft(row).get("rests_on", ""))):
        show(reason)
        return False
    row["question"] = question
    row["key_facts"] = [facts] if facts else []
    return True


def _fault(question: str, facts: tuple[str, ...], rests_on: str) -> str | None:
    if reason := malformed(question):
        return reason
    if facts and not states(facts, rests_on):
        return "none of these answers stands in the sentence"
    if facts and states(facts, question):
        return "the question holds its answer"
    return None


def _waits(row: Row) -> bool:
    return "draft" in row and row.get("confirmed") is not True and _draft(row).get("decided") != "no"


def _draft(row: Row) -> Row:
    found = row.get("draft")
    return found if isinstance(found, dict) else {}


def _facts(row: Row) -> list[str]:
    found = row.get("key_facts")
    return [str(one) for alternatives in found for one in alternatives] if isinstance(found, list) else []
