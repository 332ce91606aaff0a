import pytest

from cortex.domain.errors import Invalid
from cortex.domain.synonyms import GROUPS_MAX, MEMBERS_MAX, checked, expansions

GROUPS = checked([["Laptop", "notebook"], ["PTO", "paid time off", "leave"]])


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Which laptop do I get?", ["notebook"]),
        ("paid  time off in May", ["pto", "leave"]),
        ("a laptop or a notebook", []),
        ("laptops", []),
        ("nothing", []),
    ],
)
def test_what_is_not_there_yet_is_added(text: str, more: list[str]) -> None:
    assert expansions(text, GROUPS) == more


@pytest.mark.parametrize(
    "groups",
    [
        [["alone"]],
        [["same", "SAME "]],
        [["a", "b"], ["", " "]],
        [[f"w{n}" for n in range(MEMBERS_MAX + 1)]],
        [["a", "b" * 81]],
        [["a", "b"]] * (GROUPS_MAX + 1),
    ],
)
def test_groups_that_join_nothing_are_refused(groups: list[list[str]]) -> None:
    with pytest.raises(Invalid, match="synonyms"):
        checked(groups)
