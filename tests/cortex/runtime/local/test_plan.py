from pathlib import Path

import pytest

from cortex.domain.errors import Invalid
from cortex.runtime.local import temporal
from cortex.runtime.local.cortex_processes import spec as cortex_process
from cortex.runtime.local.credentials import Credentials
from cortex.runtime.local.folder import DataFolder
from cortex.runtime.local.options import PlatformOptions, Role, ServerName
from cortex.runtime.local.plan import Plan, addresses, local_servers, port_names

OUTSIDE = {
    "CORTEX_DATABASE_URL": "postgresql://cortex_service:p%40ss@db:5432/cortex",
    "CORTEX_DATABASE_ADMIN_URL": "postgresql://root:secret@db:5432/cortex",
}


def plan(data: Path, environment: dict[str, str]) -> Plan:
    options = PlatformOptions(data=data, environment=environment)
    folder = DataFolder(data)
    credentials = Credentials()
    ports = {name: 20_000 + at for at, name in enumerate(port_names(options))}
    return Plan(
        folder=folder,
        credentials=credentials,
        ports=ports,
        local=local_servers(options),
        roles=options.roles,
        migrates=True,
        urls=addresses(options, folder=folder, credentials=credentials, ports=ports),
        environment=environment,
    )


def test_a_server_whose_address_is_given_is_used_and_not_started(tmp_path: Path) -> None:
    made = plan(tmp_path, {"CORTEX_NATS_URL": "nats://elsewhere:4222"})
    assert made.local == frozenset(ServerName) - {ServerName.NATS}
    assert made.urls["CORTEX_NATS_URL"] == "nats://elsewhere:4222"
    assert "nats" not in made.ports


def test_a_stale_key_in_the_environment_does_not_reach_a_server_that_is_started(tmp_path: Path) -> None:
    made = plan(tmp_path, {"CORTEX_QDRANT_KEY": "stale", "CORTEX_DATA": "relative", "CORTEX_OBJECTS_URL": "s3://b"})
    assert made.urls["CORTEX_QDRANT_KEY"] == made.credentials.qdrant
    assert made.urls["CORTEX_DATA"] == str(tmp_path)
    assert made.urls["CORTEX_OBJECTS_URL"] == "s3://b"


def test_a_database_elsewhere_is_migrated_with_the_password_of_its_address(tmp_path: Path) -> None:
    made = plan(tmp_path, OUTSIDE)
    assert made.migration is not None
    assert made.migration.service_password == "p@ss"
    assert made.replay_url == "postgresql://cortex_replay@db:5432/cortex"
    assert made.credentials.postgres_replay not in made.replay_url


def test_a_database_elsewhere_without_the_right_to_migrate_cannot_feed_a_local_spicedb(tmp_path: Path) -> None:
    made = plan(tmp_path, {"CORTEX_DATABASE_URL": OUTSIDE["CORTEX_DATABASE_URL"]})
    assert made.migration is None
    with pytest.raises(Invalid, match="CORTEX_DATABASE_ADMIN_URL"):
        _ = made.replay_url


@pytest.mark.parametrize("role", list(Role))
def test_no_process_of_ours_gets_the_role_that_bypasses_row_level_security(tmp_path: Path, role: Role) -> None:
    process = cortex_process(plan(tmp_path, {}), role)
    assert "CORTEX_DATABASE_ADMIN_URL" not in process.environment
    assert process.environment["CORTEX_DATABASE_URL"].startswith("postgresql://cortex_service:")


def test_each_process_of_ours_is_asked_on_a_port_of_its_own(tmp_path: Path) -> None:
    made = plan(tmp_path, {})
    processes = {role: cortex_process(made, role) for role in Role}
    assert processes[Role.GATEWAY].argv[-2:] == ("--port", str(made.ports["gateway"]))
    assert "CORTEX_HEALTH_PORT" not in processes[Role.GATEWAY].environment
    assert processes[Role.WORKERS].environment["CORTEX_HEALTH_PORT"] == str(made.ports["workers"])
    assert processes[Role.MODELS].environment["CORTEX_HEALTH_PORT"] == str(made.ports["models_health"])
    assert made.urls["CORTEX_MODELS_URL"] == f"127.0.0.1:{made.ports['models']}"


def test_temporals_http_interface_answers_to_no_host(tmp_path: Path) -> None:
    """It takes what any page in a browser sends, and would start workflows."""
    argv = temporal.spec(plan(tmp_path, {})).argv
    assert argv[argv.index("--dynamic-config-value") + 1] == 'frontend.httpAllowedHosts=["nobody.invalid"]'


def test_no_secret_is_an_argument(tmp_path: Path) -> None:
    made = plan(tmp_path, {})
    secrets = [getattr(made.credentials, name) for name in Credentials.__slots__]
    arguments = " ".join(part for role in Role for part in cortex_process(made, role).argv)
    assert not any(secret in arguments for secret in secrets)
