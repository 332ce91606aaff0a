"""The order in which a folder's new ACL and what lies below it take effect.

An acl.yaml changes at once for the folder and its files, but documents are written one by one. If a folder were opened
before the new ACL of a file in it is written, people would see the file whom neither the old state nor the new lets see
it. So a folder that only closes does so before what is below it; one that only opens does so after; one that does both
is hidden in between.
"""

import enum

from cortex.domain.acl import Acl, Inherit, Public
from services.connectors.sources.files.acl_yaml import HIDDEN


class Turn(enum.StrEnum):
    """When to put a folder's ACL."""

    NEVER = "never"
    BEFORE = "before"
    AFTER = "after"
    HIDE_THEN_AFTER = "hide, then after"


def turn(stored: Acl, new: Acl, *, top: bool) -> Turn:
    """`top`: the folder has no parent, so there is nothing it could inherit from."""
    if stored == new:
        return Turn.NEVER
    if narrows(stored, new, top=top):
        return Turn.BEFORE
    if stored == HIDDEN or narrows(new, stored, top=top):
        return Turn.AFTER
    return Turn.HIDE_THEN_AFTER


def narrows(old: Acl, new: Acl, *, top: bool) -> bool:
    """Whether nobody sees or opens more under `new` than under `old`, whatever lies around it. Never wrongly True."""
    if not new.complete:
        return True
    if not old.complete or old.inherit is not new.inherit:
        return False
    if not (old.deny <= new.deny and old.all_of <= new.all_of):
        return False
    if new.public is Public.LINK and old.public is not Public.LINK:
        return False
    if old.inherit is Inherit.RESTRICT and not top:
        if not old.allow and old.public is not Public.TENANT:
            return True
        if not new.allow and new.public is not Public.TENANT:
            return False
    return new.allow <= old.allow and (new.public is not Public.TENANT or old.public is Public.TENANT)
