"""Days of the year as one key, however they are written: `7 December`, `Dec 7th`, `2026-12-07`, `12月7日`."""

import re

_MONTHS = {
    name: n
    for n, names in enumerate(
        (
            "january jan januar",
            "february feb februar",
            "march mar märz",
            "april apr",
            "may mai",
            "june jun juni",
            "july jul juli",
            "august aug",
            "september sep sept",
            "october oct oktober okt",
            "november nov",
            "december dec dezember dez",
        ),
        start=1,
    )
    for name in names.split()
}
_WEEKDAYS = """
    monday tuesday wednesday thursday friday saturday sunday
    montag dienstag mittwoch donnerstag freitag samstag sonntag
"""
CALENDAR = frozenset({*_MONTHS, "marz", *_WEEKDAYS.split()})
"""Names of months and days of the week, as words are compared: German ones lose their umlaut."""

_DIGIT = re.compile(r"\d")
_NAMED = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = re.compile(
    r"\b\d{4}-(?P<iso_month>\d\d)-(?P<iso_day>\d\d)\b"
    rf"|\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<month>{_NAMED})\b"
    rf"|\b(?P<month_first>{_NAMED})\s+(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)"
    r"|(?P<zh_month>\d{1,2})月(?P<zh_day>\d{1,2})[日号]",
    re.IGNORECASE,
)


def days(text: str) -> list[tuple[int, int, str]]:
    """Start, end and key `MM-DD` of each."""
    if not _DIGIT.search(text):
        return []
    return [(match.start(), match.end(), key) for match in _DAY.finditer(text) if (key := _key(match))]


def _key(match: re.Match[str]) -> str:
    if match["iso_month"]:
        return f"{match['iso_month']}-{match['iso_day']}"
    if match["zh_month"]:
        return f"{int(match['zh_month']):02}-{int(match['zh_day']):02}"
    month = _MONTHS[(match["month"] or match["month_first"]).casefold()]
    day = int(match["day"] or match["day_after"])
    return f"{month:02}-{day:02}" if 1 <= day <= 31 else ""
