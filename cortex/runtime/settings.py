"""The environment, read once by a process's main into frozen settings."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from cortex.domain.errors import Invalid
from cortex.runtime.embedder_settings import EmbedderSettings
from cortex.runtime.reranker_settings import RerankerSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformSettings:
    """Where everything is. Addresses hold passwords, hence hidden from `repr`.

    `health_port` None: no probes. `metrics_port`: where the gateway gives its metrics without a credential, at
    `metrics_bind`; None: only with one, on its own port.
    `recogniser`: what finds personal data in documents. `egress_allowed`: hosts and networks that may be fetched from
    though they are not public. `llm_gateway_url`, `connectors_url`: where those services are processes of their own;
    None where they share this one. `engines_file`: the operator's language models, for tenants without their own.
    `files_roots`: below what folders `files` sources may read; None: anywhere but in the platform's own data.
    """

    data: Path
    database_url: str = field(repr=False)
    nats_url: str = field(repr=False)
    redis_url: str = field(repr=False)
    spicedb_url: str
    spicedb_key: str = field(repr=False)
    temporal_url: str
    qdrant_url: str
    qdrant_key: str = field(repr=False)
    objects_url: str
    models_dir: Path
    models_url: str
    internal_key: str = field(repr=False)
    otlp_url: str | None = None
    health_port: int | None = None
    metrics_port: int | None = None
    metrics_bind: str = "127.0.0.1"
    recogniser: Literal["rules", "presidio"] = "rules"
    egress_allowed: tuple[str, ...] = ()
    embedder: EmbedderSettings = field(default_factory=EmbedderSettings)
    reranker: RerankerSettings = field(default_factory=RerankerSettings)
    llm_gateway_url: str | None = None
    connectors_url: str | None = None
    engines_file: Path | None = None
    files_roots: tuple[Path, ...] | None = None

    @property
    def keys(self) -> Path:
        """What this platform seals and signs with."""
        return self.data / "keys"

    @property
    def master_keys(self) -> Path:
        return self.keys / "master.json"

    def address_of_llm_gateway(self) -> str:
        """Raises Invalid where none is set."""
        return _address(self.llm_gateway_url, "CORTEX_LLM_GATEWAY_URL")

    def address_of_connectors(self) -> str:
        """Raises Invalid where none is set."""
        return _address(self.connectors_url, "CORTEX_CONNECTORS_URL")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "PlatformSettings":
        """Raises Invalid that names every variable that is missing."""
        names = {
            "database_url": "CORTEX_DATABASE_URL",
            "nats_url": "CORTEX_NATS_URL",
            "redis_url": "CORTEX_REDIS_URL",
            "spicedb_url": "CORTEX_SPICEDB_URL",
            "spicedb_key": "CORTEX_SPICEDB_KEY",
            "temporal_url": "CORTEX_TEMPORAL_URL",
            "qdrant_url": "CORTEX_QDRANT_URL",
            "models_url": "CORTEX_MODELS_URL",
            "internal_key": "CORTEX_INTERNAL_KEY",
        }
        if missing := sorted(name for name in names.values() if not environment.get(name)):
            raise Invalid(f"set {', '.join(missing)}; `cortex up` does so for what it starts")
        data = Path(environment.get("CORTEX_DATA", ".cortex")).absolute()
        port, engines_file = environment.get("CORTEX_HEALTH_PORT"), environment.get("CORTEX_ENGINES_FILE")
        metrics_port = environment.get("CORTEX_METRICS_PORT")
        recogniser = environment.get("CORTEX_RECOGNISER", "rules")
        if recogniser not in ("rules", "presidio"):
            raise Invalid(f"CORTEX_RECOGNISER={recogniser}: use rules or presidio")
        return cls(
            data=data,
            qdrant_key=environment.get("CORTEX_QDRANT_KEY", ""),
            objects_url=environment.get("CORTEX_OBJECTS_URL", (data / "objects").as_uri()),
            models_dir=Path(environment.get("CORTEX_MODELS_DIR", data / "models")),
            otlp_url=environment.get("CORTEX_OTLP_URL") or None,
            health_port=int(port) if port else None,
            metrics_port=int(metrics_port) if metrics_port else None,
            metrics_bind=environment.get("CORTEX_METRICS_BIND") or "127.0.0.1",
            recogniser="presidio" if recogniser == "presidio" else "rules",
            llm_gateway_url=environment.get("CORTEX_LLM_GATEWAY_URL") or None,
            connectors_url=environment.get("CORTEX_CONNECTORS_URL") or None,
            engines_file=Path(engines_file) if engines_file else None,
            egress_allowed=tuple(environment.get("CORTEX_EGRESS_ALLOWED", "").replace(",", " ").split()),
            files_roots=_files_roots(environment),
            embedder=EmbedderSettings.from_environment(environment),
            reranker=RerankerSettings.from_environment(environment),
            **{name: environment[variable] for name, variable in names.items()},
        )


def _files_roots(environment: Mapping[str, str]) -> tuple[Path, ...] | None:
    """On one's own machine anywhere; else nowhere until the operator says where."""
    roots = environment.get("CORTEX_FILES_ROOTS", "")
    if not roots and environment.get("CORTEX_AUTH_LOCAL", "").lower() != "false":
        return None
    return tuple(Path(root) for root in roots.split(os.pathsep) if root)


def _address(url: str | None, variable: str) -> str:
    if url is None:
        raise Invalid(f"set {variable} to the HOST:PORT of that process")
    return url.removeprefix("grpc://")
