"""What an identity provider says about somebody, and what is believed of it."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from cortex.domain.credential import Role
from cortex.domain.errors import Invalid
from cortex.domain.identity import normalise_email

# A claim may map to several roles; this one wins over those after it.
_PRECEDENCE = (Role.ADMIN, Role.OWNER, Role.AUDITOR, Role.MEMBER)
_NAME_CHARACTERS_MAX = 1_000


class EmailTrust(enum.StrEnum):
    """REQUIRE: an address counts when the provider says `email_verified`. ISSUER: unless it says that it is not."""

    REQUIRE = "require"
    ISSUER = "trust-issuer"


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody, as their provider knows them: `issuer` and `subject` never change, the rest may.

    `email_verified` None: the provider does not say. `roles`: values of the claim that roles are mapped from.
    """

    issuer: str
    subject: str
    email: str | None = None
    email_verified: bool | None = None
    name: str | None = None
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SignInPolicy:
    """`provision`: whoever the provider lets in is made known; else only people who were provisioned may sign in.

    `roles` maps values of a claim to roles; where it is empty, the stored role holds. `administrators` are addresses
    whose owners administer from their first sign-in on: the way to the first administrator.
    """

    email_trust: EmailTrust = EmailTrust.REQUIRE
    provision: bool = True
    roles: Mapping[str, Role] = field(default_factory=dict)
    administrators: frozenset[str] = frozenset()


def trusted_email(subject: Subject, policy: SignInPolicy) -> str | None:
    """The normalised address, where it may stand for the person."""
    verified = subject.email_verified
    if subject.email is None or verified is False or (verified is None and policy.email_trust is EmailTrust.REQUIRE):
        return None
    try:
        return normalise_email(subject.email)
    except Invalid:
        return None


def granted_role(subject: Subject, policy: SignInPolicy) -> Role | None:
    """The role that this sign-in brings; None leaves the stored one."""
    if trusted_email(subject, policy) in policy.administrators:
        return Role.ADMIN
    if not policy.roles:
        return None
    granted = {policy.roles[value] for value in subject.roles if value in policy.roles}
    return next((role for role in _PRECEDENCE if role in granted), Role.MEMBER)


def display_name(subject: Subject) -> str:
    fallback = (subject.email or subject.subject).partition("@")[0]
    return (subject.name or fallback).strip()[:_NAME_CHARACTERS_MAX] or subject.subject


def local_path(address: str | None) -> str:
    """Where to go after signing in: a path of ours, else `/`. Browsers read `//host` and `/\\host` as other places."""
    if not address or not address.startswith("/") or address.startswith("//") or "\\" in address:
        return "/"
    if any(ord(character) < 33 or ord(character) == 127 for character in address) or urlsplit(address).netloc:
        return "/"
    return address
