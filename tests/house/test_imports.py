"""Who may import whom, where import-linter's contracts (pyproject.toml) cannot say it."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions

from tests.house.source_tree import ROOT, Module, imports, modules, product, services

# What is not the standard library, and where it may be imported. Nothing else may be imported at all.
HOMES: dict[str, tuple[str, ...]] = {
    "Stemmer": ("cortex/adapters/bm25",),
    "alembic": ("cortex/adapters/postgres",),
    "authzed": ("cortex/adapters/spicedb", "cortex/adapters/spicedb_local"),
    "charset_normalizer": ("services/parse/text.py",),
    "cryptography": ("cortex/adapters",),
    "eval": ("cortex/cli/eval",),
    "fastapi": ("cortex/runtime/edge", "services/query_gateway", "services/control_plane"),
    "google.protobuf": ("cortex/adapters",),
    "httpx": (
        "cortex/adapters/embedding",
        "cortex/adapters/oidc",
        "cortex/adapters/egress.py",
        "cortex/adapters/reranking/engines.py",
        "cortex/adapters/openai_http.py",
        "cortex/cli",
    ),
    "grpc": (
        "cortex/adapters",
        *(f"services/{name}/{file}" for name in ("embed", "rerank") for file in ("rpc.py", "compose.py")),
    ),
    "grpc_health": ("cortex/adapters",),
    "jieba": ("cortex/adapters/bm25",),
    "jwt": ("cortex/adapters/local_tokens.py", "cortex/adapters/oidc"),
    "lxml": ("services/parse",),
    "markdown_it": ("services/parse",),
    "nats": ("cortex/adapters/nats.py",),
    "numpy": (
        "cortex/adapters/embedding",
        "cortex/adapters/onnx",
        "cortex/adapters/qdrant_edge",
        "services/rerank/maxsim.py",
        "services/rerank/neighbours.py",
    ),
    "obstore": ("cortex/adapters/objects.py",),
    "onnx": ("cortex/adapters/onnx",),
    "onnxruntime": ("cortex/adapters/onnx",),
    "opentelemetry": ("cortex/adapters",),
    "presidio_analyzer": ("cortex/adapters/presidio.py",),
    "prometheus_client": ("cortex/runtime", "services/query_gateway", "services/control_plane/compose.py"),
    "psutil": ("cortex/adapters/processes.py",),
    "psycopg": ("cortex/adapters/postgres", "cortex/adapters/spicedb_local/replay.py"),
    "py3langid": ("cortex/adapters/language.py",),
    "pydantic": ("cortex/runtime/edge", "services/query_gateway", "services/control_plane"),
    "pypdfium2": ("services/parse",),
    "qdrant_client": ("cortex/adapters/qdrant", "cortex/adapters/qdrant_edge"),
    "qdrant_edge": ("cortex/adapters/qdrant_edge",),
    "redis": ("cortex/adapters/redis.py",),
    "rich": ("cortex/cli",),
    "safetensors": ("cortex/adapters/onnx",),
    "scim2_models": ("services/control_plane/scim",),
    "sentence_transformers": ("cortex/adapters/reranking/local.py",),
    "sqlalchemy": ("cortex/adapters/postgres",),
    "starlette": ("cortex/runtime", "services/query_gateway", "services/control_plane"),
    "temporalio": (
        "cortex/adapters/temporal.py",
        *(f"services/connectors/{name}.py" for name in ("workflows", "activities", "compose")),
        *(
            f"services/connectors/{part}/{name}.py"
            for part in ("erasure", "reconcile")
            for name in ("workflows", "activities")
        ),
    ),
    "tokenizers": ("cortex/adapters/onnx",),
    "typer": ("cortex/cli",),
    "uvicorn": ("cortex/runtime/http.py",),
    "yaml": ("services/parse", "services/connectors/sources/files/plain_yaml.py", "cortex/cli"),
}
NOT_IN_THE_GATEWAY = ("torch", "docling", "spacy", "onnx", "onnxruntime", "tokenizers", "lxml", "pypdfium2")
KERNEL = ("cortex", "services")


def _foreign(module: Module) -> Iterator[tuple[str, str]]:
    """Names that are neither ours nor the standard library's, each with its place."""
    for name, node in imports(module):
        if name and name.split(".")[0] not in sys.stdlib_module_names.union(KERNEL):
            yield name, module.at(node)


def _home(name: str) -> tuple[str, ...]:
    return next((HOMES[known] for known in HOMES if name == known or name.startswith(f"{known}.")), ())


def test_domain_and_ports_need_nothing_but_the_standard_library() -> None:
    inner = [module for module in product() if module.is_under("cortex/domain", "cortex/ports")]
    allowed = ("cortex.domain", "cortex.ports")
    assert [
        f"{module.at(node)} {name}"
        for module in inner
        for name, node in imports(module)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith(allowed)
    ] == []


def test_an_sdk_stays_in_its_adapter() -> None:
    assert [
        f"{place} {name}"
        for module in product()
        if not module.is_under("cortex/testing")
        for name, place in _foreign(module)
        if not module.is_under(*_home(name))
    ] == []


def test_what_is_imported_is_declared() -> None:
    """By name in pyproject.toml: what comes along with something else today may not tomorrow."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [
        *project["dependencies"],
        *extras["local"],
        *extras["models"],
        *extras["presidio"],
        *extras["torch"],
        *extras["eval"],
    ]
    declared = {re.split(r"[^A-Za-z0-9_.-]", line)[0].lower().replace("_", "-") for line in lines}
    providers = {**packages_distributions(), "google": ["protobuf"]}
    needed = {
        name.split(".")[0]
        for module in product()
        if not module.is_under("cortex/testing")
        for name, _ in _foreign(module)
    }
    assert {
        name
        for name in needed - {"eval"}  # ours, beside the product
        if declared.isdisjoint(provider.lower().replace("_", "-") for provider in providers.get(name, [name]))
    } == set()


def test_a_workflow_imports_types_and_activities_alone() -> None:
    """The sandbox imports the module anew for every workflow, and replays must not depend on the world outside."""
    for module in product():
        if module.path.name != "workflows.py":
            continue
        service = ".".join(module.path.parts[:2])
        allowed = (
            "cortex.domain",
            "cortex.ports.sync_control",
            "cortex.ports.erasure",
            "cortex.ports.reconciliation",
            "temporalio",
            ".".join([*module.path.parts[:-1], "activities"]),
            f"{service}.activities",
            f"{service}.limits",
            service,
        )
        ours = [name for name, _ in imports(module) if name.split(".")[0] not in sys.stdlib_module_names]
        assert [
            name for name in ours if name not in allowed and not name.startswith(("cortex.domain.", "temporalio."))
        ] == []


def test_a_service_is_built_where_it_is_composed() -> None:
    """What opens connections is `compose.py`'s and `__main__.py`'s; the modules that decide take ports.

    `cortex.runtime.edge` opens none: it is what every service that speaks HTTP does with a request.
    """
    assert [
        f"{module.at(node)} {name}"
        for module in product()
        if module.is_under("services") and module.path.name not in ("compose.py", "__main__.py")
        if not module.is_under("services/host")
        for name, node in imports(module)
        if name.startswith("cortex.runtime") and not name.startswith("cortex.runtime.edge")
    ] == []


def test_every_service_is_bound_by_the_contracts() -> None:
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    contracts = {contract["type"]: contract for contract in tool["importlinter"]["contracts"]}
    assert contracts["independence"]["modules"] == [f"services.{name}" for name in services() if name != "host"]


def test_the_gateway_loads_no_model_and_no_parser() -> None:
    script = (
        "import sys, services.host.gateway, services.query_gateway.http\n"
        f"print(sorted(set({NOT_IN_THE_GATEWAY!r}) & sys.modules.keys()))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=120, check=False
    )
    assert (answer.stdout, answer.stderr) == ("[]\n", "")


def test_the_contracts_hold() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_tests_mirror_the_tree() -> None:
    """A test folder named after a service or a layer has the same name as what it tests."""
    tested = {
        module.path.parts[2] for module in modules() if module.is_under("tests/services") and len(module.path.parts) > 3
    }
    assert tested - set(services()) == set()
