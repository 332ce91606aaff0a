"""Bodies of push: one answer names every place that is wrong, those of the acl among them."""

import pytest
from pydantic import ValidationError

from services.control_plane.bodies import ContainerBody, DocumentBody, GroupChangeBody

MANY = 60


def places(kind: type[DocumentBody | ContainerBody | GroupChangeBody], body: dict[str, object]) -> list[str]:
    with pytest.raises(ValidationError) as wrong:
        kind.model_validate(body)
    return [".".join(map(str, error["loc"])) for error in wrong.value.errors()]


def test_mistakes_of_the_acl_come_with_all_others() -> None:
    acl = {"allow": ["user:ann@acme.example", "ann", 7], "public": "everyone", "allows": []}
    body = {"file": "not base64!", "version": -1, "colour": "red", "acl": acl}
    assert sorted(places(DocumentBody, body)) == [
        "acl.allow.1",
        "acl.allow.2",
        "acl.allows",
        "acl.public",
        "colour",
        "file",
        "version",
    ]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"content": "text"}, "acl"),
        ({"acl": {}}, "file"),
        ({"content": "text", "file": "dGV4dA==", "acl": {}}, "file"),
        ({"file": "é", "acl": {}}, "file"),
        ({"content": "text", "acl": []}, "acl"),
        ({"content": "text", "acl": {"all_of": [["group:a"], ["a"]]}}, "acl.all_of.1"),
        ({"content": "text", "acl": {"\ud800": 1}}, "acl.\\ud800"),
        ({"content": "text", "container": 7}, "container"),
        ({"content": 7, "acl": {}}, "content"),
    ],
)
def test_each_mistake_has_its_place(body: dict[str, object], place: str) -> None:
    assert places(DocumentBody, body) == [place]


def test_a_container_takes_the_place_of_an_acl() -> None:
    state = DocumentBody.model_validate({"content": "text", "container": "handbook"}).state("a")
    assert (state.acl, state.container, state.data) == (None, "handbook", b"text")


def test_members_of_groups_are_checked_one_by_one() -> None:
    body: dict[str, object] = {"add": ["user:ann@acme.example", "ann"], "remove": ["bob"]}
    assert places(GroupChangeBody, body) == ["add.1", "remove.0"]


def test_the_number_of_mistakes_is_bounded() -> None:
    assert len(places(ContainerBody, {"acl": {"deny": ["x"] * MANY}})) == 50
