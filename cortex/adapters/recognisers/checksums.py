"""Numbers that carry a proof of themselves: what passes is very likely what it looks like."""

import math
from collections import Counter
from datetime import date

# ISO 13616 registry: how long an IBAN of each country is.
_IBAN_LENGTHS = {
    country: length
    for length, countries in {
        15: "NO",
        16: "BE",
        18: "DK FI FO GL NL SD",
        19: "MK SI",
        20: "AT BA EE KZ LT LU MN XK",
        21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA",
        23: "AE GI IL IQ OM TL",
        24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST",
        26: "IS TR",
        27: "BI DJ FR GR IT MC MR SM",
        28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA",
        30: "JO KW MU YE",
        31: "MT SC",
        32: "LC",
        33: "RU",
    }.items()
    for country in countries.split()
}
IBAN_DIGITS_MIN = 8
_RESIDENT_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_RESIDENT_CHECKS = "10X98765432"


def iban_pattern(between: str) -> str:
    """Of every country at its length; `between` is the pattern of what may part the groups of four."""
    of_length: dict[int, list[str]] = {}
    for country, length in _IBAN_LENGTHS.items():
        of_length.setdefault(length, []).append(country)
    alternatives = []
    for length, countries in of_length.items():
        fours, rest = divmod(length - 4, 4)
        groups = [between + "[A-Z0-9]{4}"] * fours + [f"{between}[A-Z0-9]{{{rest}}}"] * (rest > 0)
        alternatives.append(rf"(?:{'|'.join(countries)})\d\d{''.join(groups)}")
    return f"(?:{'|'.join(alternatives)})"


def is_iban(text: str) -> bool:
    """ISO 7064 mod 97-10, at the length of its country, and not of words alone."""
    plain = "".join(filter(str.isalnum, text)).upper()
    if len(plain) != _IBAN_LENGTHS.get(plain[:2]) or sum(map(str.isdigit, plain)) < IBAN_DIGITS_MIN:
        return False
    return int("".join(str(int(character, 36)) for character in plain[4:] + plain[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """Luhn, and not one digit over and over."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [number * 2 - 9 * (number > 4) if place % 2 else number for place, number in enumerate(reversed(digits))]
    return len(set(digits)) > 1 and sum(doubled) % 10 == 0


def is_resident_id(text: str) -> bool:
    """GB 11643: a region, a day of birth, a serial number, and a check by ISO 7064 mod 11-2."""
    try:
        date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(text, _RESIDENT_WEIGHTS, strict=False))
    return text[-1].upper() == _RESIDENT_CHECKS[total % 11]


def entropy_bits(text: str) -> float:
    """Of one character, by how often each occurs."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())
