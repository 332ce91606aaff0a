"""What is recognised, each by one pattern that runs in linear time, and a test where the kind has one.

Letters are Latin here on purpose: next to Chinese text there is no space, and `\\w` would take in the neighbours.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cortex.adapters.recognisers.checksums import entropy_bits, is_card, is_iban, is_resident_id
from cortex.domain.privacy import Finding, Kind

VERSION = "rules-1"
SECRET_BITS_MIN = 2.8
PHONE_DIGITS = range(8, 16)


@dataclass(frozen=True, slots=True)
class Rule:
    """`value` names the group that is the finding, where the pattern needs what stands around it."""

    kind: Kind
    score: float
    pattern: re.Pattern[str]
    holds: Callable[[str], bool] = lambda _: True

    def findings(self, text: str) -> Iterator[Finding]:
        group = "value" if "value" in self.pattern.groupindex else 0
        for match in self.pattern.finditer(text):
            if self.holds(match[group]):
                yield Finding(match.start(group), match.end(group), self.kind, self.score)


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
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){0,20000}-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:\s{1,4}[A-Za-z0-9+/=]{16,}){1,400})"
)
# Not what has a path behind it, as `git@host.example:team/project` has.
_MAIL = (
    r"(?<![A-Za-zÀ-ɏ0-9.!#$%&'*+/=?^_`{|}~-])[A-Za-zÀ-ɏ0-9][A-Za-zÀ-ɏ0-9._%+-]{0,63}"
    r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-]|\.[A-Za-z0-9]|:[A-Za-z0-9/])"
)
_E164 = r"(?<![A-Za-z0-9+])\+[1-9]\d{0,2}(?:[ .-]?\(\d{1,4}\))?(?:[ .-]?\d{1,5}){2,6}(?![A-Za-z0-9])"
_CHINESE_MOBILE = r"(?<![A-Za-z0-9_.+-])1[3-9]\d(?:\d{8}|[ -]\d{4}[ -]\d{4})(?![A-Za-z0-9_-])(?!\.\d)"
_RESIDENT = r"(?<![A-Za-z0-9])[1-9]\d{5}(?:19|20)\d{9}[\dXx](?![A-Za-z0-9])"
_IBAN = r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])"
_CARD = (
    r"(?<![A-Za-z0-9.-])(?:(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6(?:011|5\d\d|2\d\d)|35\d\d)(?:[ -]?\d{4}){3}"
    r"|3[47]\d\d[ -]?\d{6}[ -]?\d{5})(?![A-Za-z0-9-])"
)
_JWT = r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{0,2000}"

RULES = (
    Rule(Kind.PRIVATE_KEY, 1.0, re.compile(_KEY_BLOCK)),
    Rule(Kind.JWT, 1.0, re.compile(_JWT), _is_token),
    Rule(Kind.API_KEY, 0.95, re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(_PREFIXED)})(?![A-Za-z0-9_-])")),
    Rule(Kind.API_KEY, 0.95, re.compile(r"https://hooks\.slack\.com/services/[A-Za-z0-9/_-]{20,200}")),
    Rule(Kind.API_KEY, 0.7, re.compile(_NAMED, re.IGNORECASE), _is_secret),
    Rule(Kind.API_KEY, 0.8, re.compile(r"://[^\s/:@]{1,64}:(?P<value>[^\s/:@]{3,128})@"), _is_password),
    Rule(Kind.EMAIL, 0.95, re.compile(_MAIL)),
    Rule(Kind.IBAN, 0.95, re.compile(_IBAN), is_iban),
    Rule(Kind.CREDIT_CARD, 0.9, re.compile(_CARD), is_card),
    Rule(Kind.RESIDENT_ID, 0.95, re.compile(_RESIDENT), is_resident_id),
    Rule(Kind.PHONE, 0.75, re.compile(_E164), _is_phone),
    Rule(Kind.PHONE, 0.75, re.compile(_CHINESE_MOBILE)),
)


class RuleRecogniser:
    """Implements Redactor, in every language alike."""

    version = VERSION

    def detect(self, text: str, language: str) -> Sequence[Finding]:
        return [finding for rule in RULES for finding in rule.findings(text)]
