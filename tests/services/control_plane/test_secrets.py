"""Splitting a configuration: what is secret goes apart, and no message says what it was."""

import pytest

from cortex.domain.errors import Invalid
from cortex.ports.connector import Capabilities, ConnectorSpec, Deletes
from services.control_plane.secrets import SECRET_CHARACTERS_MAX, split

SCHEMA = {
    "type": "object",
    "properties": {
        "url": {"type": "string"},
        "token": {"type": "string", "writeOnly": True},
        "password": {"type": "string", "writeOnly": True},
    },
}
CAPABILITIES = Capabilities(incremental=True, deletes=Deletes.FEED, acl=True)


def test_a_specification_names_its_secrets() -> None:
    assert ConnectorSpec("wiki", "1", CAPABILITIES, SCHEMA).secrets == {"token", "password"}
    assert ConnectorSpec("files", "1", CAPABILITIES, {}).secrets == frozenset()


def test_secrets_leave_the_configuration() -> None:
    apart = split({"url": "https://a.example", "token": "t"}, frozenset({"token", "password"}))
    assert (apart.config, apart.secrets) == ({"url": "https://a.example"}, {"token": "t"})
    assert "'t'" not in repr(apart)


@pytest.mark.parametrize("value", ["", 7, None, ["hidden"], {"a": "hidden"}, "hidden" * SECRET_CHARACTERS_MAX])
def test_a_secret_is_a_text_of_some_length(value: object) -> None:
    with pytest.raises(Invalid, match=r"config\.token") as refused:
        split({"token": value}, frozenset({"token"}))
    assert "hidden" not in str(refused.value)
