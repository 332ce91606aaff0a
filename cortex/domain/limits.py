"""How much one principal may ask for: a bucket that fills at a steady rate, and a quota a day."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta


@dataclass(frozen=True, slots=True)
class Limits:
    """`requests_at_once` may come in a burst; then as many as the rate gives. `questions_per_day` None: no quota."""

    requests_per_minute: int = 12_000
    requests_at_once: int = 2_000
    questions_per_day: int | None = None


@dataclass(frozen=True, slots=True)
class Ages:
    """How old permissions of a source that is read may be before its documents are hidden, and when all is compared."""

    acl_age_s_max: int = 259_200
    reconcile_every_s: int = 86_400


@dataclass(frozen=True, slots=True)
class Bucket:
    tokens: float
    at_s: float


def taken(bucket: Bucket | None, *, now_s: float, per_s: float, most: float) -> tuple[Bucket, float]:
    """The bucket after one token was taken, and 0; or as it is now, and how long until there is one."""
    full = Bucket(most, now_s) if bucket is None else bucket
    tokens = min(most, full.tokens + max(0.0, now_s - full.at_s) * per_s)
    if tokens >= 1:
        return Bucket(tokens - 1, now_s), 0.0
    return Bucket(tokens, now_s), (1 - tokens) / per_s


def until_midnight_s(now: datetime) -> float:
    """Quotas are of a day in UTC."""
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), tzinfo=now.tzinfo)
    return (midnight - now).total_seconds()
