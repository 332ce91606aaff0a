"""What is recognised, each by one pattern that runs in linear time, and a test where the kind has one.

Patterns see a folded text (folding.py): one kind of space, ASCII digits, hyphens and dashes, nothing without a width.
Letters are Latin here on purpose: next to Chinese text there is no space, and `\\w` would take in the neighbours.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cortex.adapters.recognisers.checksums import entropy_bits, iban_pattern, is_card, is_iban, is_resident_id
from cortex.adapters.recognisers.folding import DASH, HYPHEN, Reading, readings
from cortex.domain.privacy import Finding, Kind

VERSION = "rules-2"
SECRET_BITS_MIN = 2.8
PHONE_DIGITS = range(8, 16)


@dataclass(frozen=True, slots=True)
class Rule:
    """`value` names the group that is the finding, where the pattern needs what stands around it or skips things."""

    kind: Kind
    score: float
    pattern: re.Pattern[str]
    holds: Callable[[str], bool] = lambda _: True

    def findings(self, reading: Reading) -> Iterator[Finding]:
        group = "value" if "value" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(reading.text):
            if match[group] is not None and self.holds(match[group]):
                yield Finding(*reading.span(*match.span(group)), self.kind, self.score)


def _is_phone(text: str) -> bool:
    return sum(map(str.isdigit, text)) in PHONE_DIGITS


def _is_token(text: str) -> bool:
    """A JSON Web Token's first part says by which algorithm it is signed."""
    head = text.partition(".")[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (binascii.Error, ValueError):
        return False
    return isinstance(header, dict) and "alg" in header


def _is_secret(text: str) -> bool:
    """No word, no number, no placeholder: letters and digits mixed as a generator mixes them."""
    mixed = any(map(str.isalpha, text)) and any(map(str.isdigit, text))
    return mixed and entropy_bits(text) >= SECRET_BITS_MIN


def _is_password(text: str) -> bool:
    return not text.startswith(("$", "<", "{", "%", "*")) and len(set(text)) > 2


_PREFIXED = (
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",  # AWS
    r"gh[pousr]_[A-Za-z0-9]{36,255}",
    r"github_pat_[A-Za-z0-9_]{22,255}",
    r"glpat-[A-Za-z0-9_-]{20,64}",
    r"xox[abeoprs]-[A-Za-z0-9-]{10,250}",  # Slack
    r"xapp-\d-[A-Za-z0-9-]{10,250}",
    r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,250}",  # Stripe and those that write theirs like it
    r"whsec_[A-Za-z0-9+/=]{20,100}",
    r"AIza[A-Za-z0-9_-]{35}",  # Google
    r"sk-[A-Za-z0-9_-]{20,250}",
    r"npm_[A-Za-z0-9]{36}",
    r"ck_[A-Za-z0-9_-]{24,250}",  # Cortex
)
_NAMED = (
    r"(?:api[_ -]?key|access[_ -]?key|secret|token|passw(?:or)?d|passwort|pwd|credential|密码|口令|密钥|令牌)"
    r"[A-Za-z0-9_-]{0,40}[\"']?[ \t]{0,3}(?:=|:|：)[ \t]{0,3}[\"'`]?(?P<value>[^\s\"'`,;，；。（）()]{12,200})"
)
# Closed, or as far as its lines go where the end is missing: prose that only names the marker is left alone.
_KEY_BLOCK = (
    r"-----BEGIN (?:[A-Z0-9]{1,40} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){0,20000}-----END (?:[A-Z0-9]{1,40} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:\s{1,4}[A-Za-z0-9+/=]{16,20000}){1,400})"
)
# Dots and dashes may part words too; what is parted by a hyphen is a code of which this is a piece.
_GROUP = rf"[ {DASH}{HYPHEN}]?"
_ALONE = r"(?<![A-Za-z0-9])(?<![A-Za-z0-9]-)"
_ENDS = r"(?![A-Za-z0-9])(?!-[A-Za-z0-9])"
# Skipped on the way: who signs in at an address, as in `ssh://git@host.example`. No address of a person is one with a
# path or a port behind it (`git@host.example:team/project`), a version, a picture's size or a unit of systemd.
_MAIL = (
    r"(?<!mailto)://[^\s/@?#&\"'<>()]{1,200}@|(?<![A-Za-zÀ-ɏ0-9])(?P<value>"
    r"[A-Za-zÀ-ɏ0-9](?:[A-Za-zÀ-ɏ0-9._%+-]|'(?=[A-Za-zÀ-ɏ])){0,63}(?:@|%40|&#64;)(?!v?\d{1,9}\.\d|[1-9]x\.)"
    r"(?:[A-Za-zÀ-ɏ0-9-]{1,63}\.){1,8}(?!(?:service|socket|timer|mount|device|slice|target)(?![A-Za-z0-9]))"
    r"(?:xn--[A-Za-z0-9-]{2,59}|[A-Za-z]{2,24}))(?![A-Za-z0-9]|-\d|\.[A-Za-z0-9]|:(?:/|\d{2,5}(?!\d)|[\w.~-]{1,100}/))"
)
_E164 = (
    rf"(?<![A-Za-z0-9+])\+[1-9]\d{{0,2}}(?:[ .{DASH}{HYPHEN}]?\(\d{{1,4}}\))?"
    rf"(?:[ .{DASH}{HYPHEN}]?\d{{1,5}}){{2,6}}(?![A-Za-z0-9])"
)
_CHINESE_MOBILE = (
    rf"(?<![A-Za-z0-9_.+-])1[3-9]\d(?:\d{{8}}|[ {DASH}{HYPHEN}]\d{{4}}[ {DASH}{HYPHEN}]\d{{4}})"
    r"(?![A-Za-z0-9_-])(?!\.\d)"
)
_RESIDENT = r"(?<![A-Za-z0-9])[1-9]\d{5}(?:19|20)\d{9}[\dXx](?![A-Za-z0-9])"
# As long as its country's are, so that no word behind it is taken in. Looked at without being consumed: what fails
# its check may hold one that passes.
_IBAN = rf"(?<![A-Za-z0-9])(?=(?P<value>{iban_pattern(_GROUP)})(?![A-Za-z0-9]))"
_CARD = (
    rf"{_ALONE}(?<!\d\.)(?<!\b0,)(?=(?P<value>"
    rf"(?:4\d{{3}}|5[1-5]\d\d|2[2-7]\d\d|6(?:011|5\d\d|2\d\d)|35\d\d)(?:{_GROUP}\d{{4}}){{3}}"
    rf"|3[47]\d\d{_GROUP}\d{{6}}{_GROUP}\d{{5}}){_ENDS}(?!\.\d))"
)
_UNIONPAY = rf"{_ALONE}(?<!\d\.)(?<!\b0,)62\d\d(?:{_GROUP}\d{{4}}){{3}}{_GROUP}\d{{3}}{_ENDS}(?!\.\d)"
_JWT = r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{0,2000}"

RULES = (
    Rule(Kind.PRIVATE_KEY, 1.0, re.compile(_KEY_BLOCK)),
    Rule(Kind.JWT, 1.0, re.compile(_JWT), _is_token),
    Rule(Kind.API_KEY, 0.95, re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(_PREFIXED)})(?![A-Za-z0-9_-])")),
    Rule(Kind.API_KEY, 0.95, re.compile(r"https://hooks\.slack\.com/services/[A-Za-z0-9/_-]{20,200}")),
    Rule(Kind.API_KEY, 0.7, re.compile(_NAMED, re.IGNORECASE), _is_secret),
    Rule(Kind.API_KEY, 0.8, re.compile(r"://[^\s/:@]{1,64}:(?P<value>[^\s/:@]{3,128})@"), _is_password),
    Rule(Kind.EMAIL, 0.95, re.compile(_MAIL)),
    Rule(Kind.IBAN, 0.95, re.compile(_IBAN, re.IGNORECASE | re.ASCII), is_iban),
    Rule(Kind.CREDIT_CARD, 0.9, re.compile(_CARD), is_card),
    Rule(Kind.CREDIT_CARD, 0.9, re.compile(_UNIONPAY), is_card),
    Rule(Kind.RESIDENT_ID, 0.95, re.compile(_RESIDENT), is_resident_id),
    Rule(Kind.PHONE, 0.75, re.compile(_E164), _is_phone),
    Rule(Kind.PHONE, 0.75, re.compile(_CHINESE_MOBILE)),
)


class RuleRecogniser:
    """Implements Redactor, in every language alike."""

    version = VERSION

    def detect(self, text: str, language: str) -> Sequence[Finding]:
        found = (finding for reading in readings(text) for rule in RULES for finding in rule.findings(reading))
        return list(dict.fromkeys(found))
