"""Settings of a process: read once, complete or refused, and silent about what is secret."""

from pathlib import Path

import pytest

from cortex.domain.errors import Invalid
from cortex.runtime.settings import PlatformSettings

COMPLETE = {
    "CORTEX_DATABASE_URL": "postgresql://service:hunter2@127.0.0.1/cortex",
    "CORTEX_NATS_URL": "nats://cortex:hunter2@127.0.0.1:4222",
    "CORTEX_REDIS_URL": "redis://:hunter2@127.0.0.1:6379/0",
    "CORTEX_SPICEDB_URL": "127.0.0.1:50051",
    "CORTEX_SPICEDB_KEY": "hunter2",
    "CORTEX_TEMPORAL_URL": "127.0.0.1:7233",
    "CORTEX_QDRANT_URL": "http://127.0.0.1:6334",
    "CORTEX_QDRANT_KEY": "hunter2",
    "CORTEX_MODELS_URL": "127.0.0.1:9000",
    "CORTEX_INTERNAL_KEY": "hunter2",
}


def test_what_is_left_out_follows_from_the_data_folder(tmp_path: Path) -> None:
    settings = PlatformSettings.from_environment({**COMPLETE, "CORTEX_DATA": str(tmp_path)})
    assert settings.objects_url == (tmp_path / "objects").as_uri()
    assert settings.models_dir == tmp_path / "models"
    assert (settings.otlp_url, settings.health_port) == (None, None)


def test_what_is_missing_is_named_all_at_once() -> None:
    some = {name: value for name, value in COMPLETE.items() if name not in {"CORTEX_NATS_URL", "CORTEX_REDIS_URL"}}
    with pytest.raises(Invalid, match="set CORTEX_NATS_URL, CORTEX_REDIS_URL;"):
        PlatformSettings.from_environment({**some, "CORTEX_NATS_URL": ""})


def test_nothing_is_exported_unless_somebody_says_where_to() -> None:
    assert PlatformSettings.from_environment({**COMPLETE, "CORTEX_OTLP_URL": ""}).otlp_url is None
    there = PlatformSettings.from_environment({**COMPLETE, "CORTEX_OTLP_URL": "http://127.0.0.1:4317"})
    assert there.otlp_url == "http://127.0.0.1:4317"


def test_no_password_is_ever_printed() -> None:
    assert "hunter2" not in repr(PlatformSettings.from_environment(COMPLETE))
