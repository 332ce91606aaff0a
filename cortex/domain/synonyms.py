"""Words that a company calls the same. Pure."""

from collections.abc import Sequence

from cortex.domain.errors import Invalid
from cortex.domain.query_text import folded, stands

GROUPS_MAX = 2_000
MEMBERS_MAX = 20
MEMBER_CHARACTERS_MAX = 80

Groups = tuple[tuple[str, ...], ...]


def checked(groups: Sequence[Sequence[str]]) -> Groups:
    """Trimmed, each member once; raises Invalid for a group that joins nothing."""
    if len(groups) > GROUPS_MAX:
        raise Invalid(f"synonyms: at most {GROUPS_MAX} groups")
    made = []
    for number, group in enumerate(groups):
        members = tuple(dict.fromkeys(member for member in map(folded, group) if member))
        if not 2 <= len(members) <= MEMBERS_MAX:
            raise Invalid(f"synonyms[{number}]: a group has 2 to {MEMBERS_MAX} different words or phrases")
        if any(len(member) > MEMBER_CHARACTERS_MAX for member in members):
            raise Invalid(f"synonyms[{number}]: at most {MEMBER_CHARACTERS_MAX} characters each")
        made.append(members)
    return tuple(made)


def expansions(text: str, groups: Groups) -> list[str]:
    """What stands for something in the text, and is not there itself."""
    held = folded(text)
    found = [group for group in groups if any(stands(member, held) for member in group)]
    return list(dict.fromkeys(member for group in found for member in group if not stands(member, held)))
