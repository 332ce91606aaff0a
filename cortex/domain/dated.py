"""The day from which a statement is, said before it: where an older text says otherwise."""

import re
from datetime import datetime

_ENGLISH = "January February March April May June July August September October November December"
_GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
_ANY_DAY = re.compile(
    rf"As of \d+ (?:{_ENGLISH.replace(' ', '|')}) \d+: |Stand \d+\. (?:{_GERMAN.replace(' ', '|')}) \d+: "
    r"|截至\d+年\d+月\d+日：|\d+年\d+月\d+日現在："
)


def as_of(at: datetime, language: str) -> str:
    """`As of 6 May 2026: `, in the language of the statement."""
    day = f"{at.year}年{at.month}月{at.day}日"
    match language:
        case "zh":
            return f"截至{day}："
        case "ja":
            return f"{day}現在："
        case "de":
            return f"Stand {at.day}. {_GERMAN.split()[at.month - 1]} {at.year}: "
    return f"As of {at.day} {_ENGLISH.split()[at.month - 1]} {at.year}: "


def undated(text: str, at: datetime | None, language: str) -> str:
    """The statement without that beginning."""
    return text if at is None else text.removeprefix(as_of(at, language))


def undated_of_any_day(text: str) -> str:
    """The same where the day is not known."""
    found = _ANY_DAY.match(text)
    return text if found is None else text[found.end() :]
