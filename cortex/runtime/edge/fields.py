"""Fields that bodies have in common: text that every store takes, and moments that exist in UTC."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime

from cortex.domain.storable import is_storable


def storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError("contains NUL or half of a surrogate pair; send well-formed Unicode")
    return text


def in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is outside of the years 1 to 9999 in UTC") from None


Storable = Annotated[str, AfterValidator(storable)]
Moment = Annotated[AwareDatetime, AfterValidator(in_utc)]
