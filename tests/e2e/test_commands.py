"""The `cortex` command against a running platform, as a person or a script uses it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from cortex.cli.exits import ExitCode
from tests.e2e.company import Company
from tests.e2e.running import Platform

TIMEOUT_S = 90.0
ESCAPE = "\x1b"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def cortex(platform: Platform) -> Run:
    """Runs it with its outputs piped, on the platform's data."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CORTEX_", "FORCE_COLOR"))}
    environment = {**kept, "CORTEX_DATA": str(platform.data), "TERM": "xterm-256color", "COLUMNS": "200"}

    def run(*arguments: str, expect: ExitCode = ExitCode.DONE) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cortex.cli", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env=environment)
        assert done.returncode == expect, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        assert ESCAPE not in done.stdout + done.stderr, "colour where there is no terminal"
        return done

    return run


def one_object(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """What `--json` prints: exactly one object on stdout."""
    assert done.stdout.count("\n") == 1
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_a_source_from_its_addition_to_its_removal(company: Company, cortex: Run, tmp_path: Path) -> None:
    docs, config = tmp_path / "docs", tmp_path / "config.yaml"
    docs.mkdir()
    (docs / "acl.yaml").write_text("allow: ['user:ann@acme.example']\n", encoding="utf-8")
    (docs / "bees.md").write_text("# Bees\n\nThe beehive is inspected in April.\n", encoding="utf-8")
    (docs / "empty.md").write_bytes(b"")
    config.write_text(yaml.safe_dump({"path": str(docs)}), encoding="utf-8")
    tenant = ("--tenant", company.name)
    ann = ("--as", "ann@acme.example", *tenant)

    added = cortex("source", "add", "files", "--name", "docs", "--config", str(config), *tenant)
    assert (added.stdout, "added docs" in added.stderr) == ("", True)
    synced = cortex("source", "sync", "docs", "--wait", *tenant).stderr
    counts = "docs: 2 seen, 2 changed, 0 deleted, 1 readable, 1 unreadable, 0 not read; permissions set on 1 folder\n"
    assert counts in synced
    assert re.search(r"^  empty\.md: parse: ", synced, re.MULTILINE)
    (listed,) = one_object(cortex("source", "list", "--json", *tenant))["items"]
    assert (listed["name"], listed["documents"]["indexed"]) == ("docs", 2)
    assert "docs" in cortex("source", "list", *tenant).stdout

    (result,) = one_object(cortex("search", "beehive inspected", "--json", *ann))["results"]
    assert (result["title"], result["source"]["name"]) == ("Bees", "docs")
    assert "Bees" in cortex("search", "beehive", "--mode", "lexical", *ann).stdout
    assert "leave the quotes out" in cortex("search", '"beehive telepathy"', *ann).stdout
    nothing = cortex("search", "beehive", "--as", "bob@acme.example", *tenant).stdout
    assert nothing.strip() == "nothing found that this person may open"
    answer = one_object(cortex("ask", "When is the beehive inspected?", "--json", *ann))
    assert answer["answer"].startswith("The beehive is inspected in April.")
    said = cortex("ask", "When is the beehive inspected?", *ann).stdout
    assert said.startswith("The beehive is inspected in April. [1]")
    assert "[1] Bees" in said
    assert "No answer" in cortex("ask", "Who sold the beehive?", "--as", "bob@acme.example", *tenant).stdout
    assert "(asked as admin@localhost; --as EMAIL)" in cortex("ask", "Who sold the beehive?", *tenant).stderr

    cortex("source", "rm", "docs", *tenant)
    company.removed("docs")
    assert one_object(cortex("source", "list", "--json", *tenant))["items"] == []


def test_what_is_not_there_and_what_is_wrong_have_codes_of_their_own(
    company: Company, cortex: Run, tmp_path: Path
) -> None:
    tenant = ("--tenant", company.name)
    missing = cortex("source", "sync", "nothing", *tenant, expect=ExitCode.NOT_FOUND)
    assert missing.stderr.startswith("cortex: no source 'nothing'; `cortex source list")
    assert "cortex: no source" in cortex("source", "rm", "nothing", *tenant, expect=ExitCode.NOT_FOUND).stderr
    nobody = cortex("erase", "--person", "nobody@acme.example", *tenant, expect=ExitCode.NOT_FOUND)
    assert "nobody@acme.example" in nobody.stderr
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("- a\n- list\n", encoding="utf-8")
    add = ("source", "add", "files", "--name", "docs", "--config")
    assert str(wrong) in cortex(*add, str(wrong), *tenant, expect=ExitCode.INVALID_INPUT).stderr
    absent = cortex(*add, str(tmp_path / "absent.yaml"), *tenant, expect=ExitCode.INVALID_INPUT)
    assert "absent.yaml" in absent.stderr
    wrong.write_text("path: relative\n", encoding="utf-8")
    assert "config.path" in cortex(*add, str(wrong), *tenant, expect=ExitCode.INVALID_INPUT).stderr
    cortex("search", "x", "--mode", "telepathy", *tenant, expect=ExitCode.USAGE)
    wrong.write_text(f"path: {tmp_path / 'absent'}\n", encoding="utf-8")
    assert "there is no folder" in cortex(*add, str(wrong), *tenant, expect=ExitCode.INVALID_INPUT).stderr
    cortex("search", "x", "--as-of", "2020-01-01", *tenant)
    cortex("search", "x", "--limit", "51", *tenant, expect=ExitCode.USAGE)
    cortex("search", "x", "--data", str(tmp_path / "elsewhere"), expect=ExitCode.NOT_FOUND)


def test_a_printed_token_signs_in(company: Company, cortex: Run) -> None:
    tenant = ("--tenant", company.name)
    printed = cortex("token", "ann@acme.example", *tenant, "--role", "auditor", "--ttl", "5m").stdout.strip()
    headers = {"Authorization": f"Bearer {printed}"}
    sources = httpx.get(f"{company.platform.url}/admin/v1/sources", headers=headers, trust_env=False)
    assert (sources.status_code, sources.json()["items"]) == (200, [])
    cortex("token", "not-an-address", expect=ExitCode.INVALID_INPUT)


def test_status_tells_of_every_process(platform: Platform, cortex: Run) -> None:
    found = one_object(cortex("status", "--json"))
    names = {process["name"] for process in found["processes"]}
    servers = {"postgres", "nats", "valkey", "spicedb", "temporal", "qdrant"}
    assert names >= {"supervisor", "gateway", "workers", "models"} | servers
    assert (found["well"], found["url"], found["data"]) == (True, platform.url, str(platform.data))
    assert found["pss_mb"] > 0
    assert platform.url in cortex("status").stdout


def test_a_second_platform_on_the_same_data_says_which_one_runs(platform: Platform, cortex: Run) -> None:
    second = cortex("up", expect=ExitCode.INVALID_INPUT)
    assert platform.url in second.stderr
    assert "cortex down" in second.stderr
    assert second.stdout == ""
