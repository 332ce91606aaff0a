import pytest

from services.parse.times import rfc3339


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-05-04T09:12:00+02:00", "2026-05-04T07:12:00.000000Z"),
        ("2026-05-04", "2026-05-04T00:00:00.000000Z"),
        ("Mon, 04 May 2026 09:12:00 +0200", "2026-05-04T07:12:00.000000Z"),
        ("D:20260504091200+02'00'", "2026-05-04T07:12:00.000000Z"),
        ("D:20260504", "2026-05-04T00:00:00.000000Z"),
        ("yesterday", None),
        ("0001-01-01T00:00:00+23:00", None),
        ("", None),
        (None, None),
        ("9" * 200, None),
    ],
)
def test_times_of_all_formats_become_utc(written: str | None, read: str | None) -> None:
    assert rfc3339(written) == read
