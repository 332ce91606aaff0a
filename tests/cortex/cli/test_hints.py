"""What commands say beside what they were asked for."""

from pathlib import Path

import pytest

from cortex.cli.gateway import Gateway
from cortex.cli.search import whereabouts
from cortex.domain.errors import NotFound, Transient
from cortex.runtime.local.folder import DATA_FOLDER, DataFolder, option_for
from cortex.runtime.local.report import report


def test_a_hint_names_the_data_folder_where_one_was_given(tmp_path: Path) -> None:
    assert option_for(DATA_FOLDER) == option_for(DATA_FOLDER.absolute()) == ""
    assert option_for(tmp_path / "my data") == f" --data '{tmp_path}/my data'"
    with pytest.raises(NotFound, match=f"`cortex up --data {tmp_path}` starts one"):
        report(DataFolder(tmp_path))
    with pytest.raises(NotFound, match=f"--data {tmp_path}"):
        Gateway.at(tmp_path)
    away = Gateway("http://127.0.0.1:1", "token", data=tmp_path)
    with away, pytest.raises(Transient, match=f"`cortex status --data {tmp_path}` tells why"):
        away.get("/v1/me")


def test_a_file_without_an_address_is_named_by_its_path() -> None:
    source: dict[str, object] = {"name": "wiki", "type": "files"}
    placed: dict[str, object] = {"url": "", "place": "hr/leave.md", "source": source}
    assert whereabouts(placed) == "wiki: hr/leave.md"
    assert whereabouts(placed | {"url": "https://wiki.example/leave"}) == "https://wiki.example/leave"
    assert whereabouts({"url": "", "place": "", "source": source}) == ""
