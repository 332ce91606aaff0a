"""What is personal or secret in a text, and what a source's rules make of it before the text is stored."""

import enum
import hashlib
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeVar

from cortex.domain.document import Block, ParsedDocument
from cortex.domain.errors import Invalid


class Kind(enum.StrEnum):
    EMAIL = "email"
    PHONE = "phone"
    RESIDENT_ID = "resident_id"
    IBAN = "iban"
    CREDIT_CARD = "credit_card"
    API_KEY = "api_key"
    PRIVATE_KEY = "private_key"
    JWT = "jwt"
    PERSON = "person"
    PLACE = "place"
    UNSCREENED = "unscreened"
    """A whole file of which no text could be read: whatever else is in it, nobody has looked."""


SECRETS = frozenset({Kind.API_KEY, Kind.PRIVATE_KEY, Kind.JWT})


class Action(enum.StrEnum):
    """From the mildest: count it; replace it; leave its whole block out; hide the document until it is released."""

    DETECT = "detect"
    REDACT = "redact"
    DROP = "drop"
    QUARANTINE = "quarantine"


class Originals(enum.StrEnum):
    """Whether the file itself is given out where the stored text lacks something of it."""

    HIDE = "hide"
    SHOW = "show"


@dataclass(frozen=True, slots=True)
class Finding:
    """Code points `start` to `end` (exclusive); `score` from 0 to 1 says how sure the recogniser is."""

    start: int
    end: int
    kind: Kind
    score: float


Detect = Callable[[str], Sequence[Finding]]
GROUP_CHARACTERS = 100_000
_Member = TypeVar("_Member", bound=enum.StrEnum)


def _by_default() -> Mapping[Kind, Action]:
    return MappingProxyType({kind: Action.REDACT if kind in SECRETS else Action.DETECT for kind in Kind})


@dataclass(frozen=True, slots=True)
class PrivacyRules:
    """One action for every kind: secrets are redacted and the rest is counted, unless an administrator says else."""

    actions: Mapping[Kind, Action] = field(default_factory=_by_default)
    originals: Originals = Originals.HIDE
    contextual: bool = False

    def key(self, recogniser: str) -> str:
        """Part of what a document's revision stands for. What is only counted leaves the text as it is.

        Whether passages get a context is no matter of privacy, but is part of it just so.
        """
        changing = {kind: action for kind, action in sorted(self.actions.items()) if action is not Action.DETECT}
        parts = [recogniser, changing, *(["contextual"] if self.contextual else [])]
        text = json.dumps(parts, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def released(self) -> "PrivacyRules":
        """For a document that an administrator let out of quarantine: what held it there is redacted.

        Of a file that could not be read there is nothing to redact: the administrator has looked.
        """
        actions = {
            kind: Action.REDACT if action is Action.QUARANTINE else action for kind, action in self.actions.items()
        } | {Kind.UNSCREENED: Action.DETECT}
        return replace(self, actions=MappingProxyType(actions))


def rules_from_json(stored: object) -> PrivacyRules:
    """Kinds that are not named keep their default; files that cannot be read get the strictest of what is named.

    Raises Invalid with the place.
    """
    if not isinstance(stored, dict):
        raise Invalid("privacy: expected an object")
    if unknown := sorted(set(stored) - {"actions", "originals"}):
        raise Invalid(f"privacy: unknown field {unknown[0]!r}")
    actions = dict(_by_default())
    for name, action in dict(stored.get("actions") or {}).items():
        actions[_member(Kind, name, place="actions")] = _member(Action, action, place=f"actions.{name}")
    if Kind.UNSCREENED not in (stored.get("actions") or {}):
        actions[Kind.UNSCREENED] = _of_unread(actions.values())
    originals = _member(Originals, stored.get("originals", Originals.HIDE), place="originals")
    return PrivacyRules(MappingProxyType(actions), originals)


def _of_unread(actions: Collection[Action]) -> Action:
    """Who would hide a document, or leave out of it what holds something, does not give it out unseen."""
    return next((strict for strict in (Action.QUARANTINE, Action.DROP) if strict in actions), Action.DETECT)


def rules_json(rules: PrivacyRules) -> dict[str, object]:
    actions = {kind.value: action.value for kind, action in sorted(rules.actions.items())}
    return {"actions": actions, "originals": rules.originals.value}


@dataclass(frozen=True, slots=True)
class PrivacyReport:
    """How much of each kind was found, and never what. `altered`: the stored text lacks something of the original."""

    counts: Mapping[Kind, int] = field(default_factory=lambda: MappingProxyType({}))
    altered: bool = False
    quarantined: bool = False


NOTHING_FOUND = PrivacyReport()


@dataclass(frozen=True, slots=True)
class Screened:
    """What may be stored of a parsed document."""

    parsed: ParsedDocument
    title: str
    report: PrivacyReport


def screened(
    parsed: ParsedDocument, *, title: str, detect: Detect, rules: PrivacyRules, unread: bool = False
) -> Screened:
    """Blocks keep their order and are numbered anew. Nothing of a document in quarantine is kept but its title.

    `unread`: the file has more than what was parsed of it.
    """
    counts: Counter[Kind] = Counter([Kind.UNSCREENED] if unread else [])
    blocks: list[Block] = []
    for group in _groups(parsed.blocks):
        findings = apart(detect("\n".join(block.text for block in group)))
        counts.update(finding.kind for finding in findings)
        blocks += _treated(group, findings, rules)
    found = apart(detect(title))
    counts.update(finding.kind for finding in found)
    quarantined = any(rules.actions[kind] is Action.QUARANTINE for kind in counts)
    report = PrivacyReport(
        MappingProxyType(dict(sorted(counts.items()))),
        altered=any(rules.actions[kind] is not Action.DETECT for kind in counts),
        quarantined=quarantined,
    )
    kept = () if quarantined else tuple(replace(block, block_id=number) for number, block in enumerate(blocks))
    return Screened(replace(parsed, blocks=kept), _replaced(title, _changing(found, rules)), report)


def apart(findings: Sequence[Finding]) -> list[Finding]:
    """In order of place. Of those that overlap one stays: a secret first of all, then the surer, then the longer."""
    kept: list[Finding] = []
    for finding in sorted(findings, key=lambda one: (one.kind not in SECRETS, -one.score, one.start - one.end)):
        place = bisect_left(kept, finding.start, key=_start)
        clear_before = place == 0 or kept[place - 1].end <= finding.start
        if clear_before and (place == len(kept) or finding.end <= kept[place].start):
            kept.insert(place, finding)
    return kept


def _start(finding: Finding) -> int:
    return finding.start


def _groups(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Neighbours together, since a key's lines may be blocks of their own; bounded, since patterns hold the thread."""
    group: list[Block] = []
    size = 0
    for block in blocks:
        if group and size + len(block.text) > GROUP_CHARACTERS:
            yield group
            group, size = [], 0
        group.append(block)
        size += len(block.text) + 1
    if group:
        yield group


def _treated(group: Sequence[Block], findings: Sequence[Finding], rules: PrivacyRules) -> Iterator[Block]:
    changing = _changing(findings, rules)
    start = 0
    for block in group:
        end = start + len(block.text)
        within = [
            replace(one, start=max(one.start - start, 0), end=min(one.end, end) - start)
            for one in changing
            if one.start < end and start < one.end
        ]
        if all(rules.actions[one.kind] is not Action.DROP for one in within):
            yield replace(block, text=_replaced(block.text, within)) if within else block
        start = end + 1


def _changing(findings: Sequence[Finding], rules: PrivacyRules) -> list[Finding]:
    return [finding for finding in findings if rules.actions[finding.kind] is not Action.DETECT]


def _replaced(text: str, findings: Sequence[Finding]) -> str:
    parts, at = [], 0
    for finding in findings:
        parts += [text[at : finding.start], f"[redacted: {finding.kind.value.replace('_', ' ')}]"]
        at = finding.end
    return "".join([*parts, text[at:]])


def _member(kind: type[_Member], value: object, *, place: str) -> _Member:
    for member in kind:
        if member.value == value:
            return member
    raise Invalid(f"{place}: {value!r} is none of {', '.join(kind)}")
