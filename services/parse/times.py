"""Times as documents write them, to RFC 3339 in UTC."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_PDF_TIME = re.compile(r"D:(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(?:([+-])(\d\d)'?(\d\d)|Z)?")


def rfc3339(value: str | None) -> str | None:
    """From ISO 8601, an e-mail's date or a PDF's; a time without a zone is taken as UTC. None for anything else."""
    if not value or len(value) > 100:
        return None
    value = value.strip()
    for read in (datetime.fromisoformat, _from_pdf, parsedate_to_datetime):
        try:
            found = read(value)
            found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return found.isoformat(timespec="microseconds").replace("+00:00", "Z")
    return None


def _from_pdf(value: str) -> datetime:
    found = _PDF_TIME.match(value)
    if not found:
        raise ValueError("not a PDF time")
    year, month, day, hour, minute, second, sign, zone_hour, zone_minute = found.groups()
    zone = f"{sign}{zone_hour}:{zone_minute}" if sign else "+00:00"
    return datetime.fromisoformat(f"{year}-{month}-{day}T{hour or '00'}:{minute or '00'}:{second or '00'}{zone}")
