"""Which cross-encoder reads the best passages once more, if any: from the environment, read once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from cortex.domain.errors import Invalid


class RerankerKind(StrEnum):
    NONE = "none"
    FOLDER = "folder"
    TEI = "tei"
    COHERE = "cohere"
    VLLM = "vllm"


@dataclass(frozen=True, slots=True)
class RerankerSettings:
    """`none`: late interaction alone. `model` is a folder (kind `folder`), or the name that the engine knows."""

    kind: RerankerKind = RerankerKind.NONE
    url: str = field(default="", repr=False)
    model: str = ""
    key: str = field(default="", repr=False)

    @property
    def chosen(self) -> bool:
        return self.kind is not RerankerKind.NONE

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "RerankerSettings":
        """Raises Invalid with the variable and the mend."""
        name = environment.get("CORTEX_RERANKER", RerankerKind.NONE)
        if name not in list(RerankerKind):
            raise Invalid(f"CORTEX_RERANKER={name}: use one of {', '.join(RerankerKind)}")
        kind = RerankerKind(name)
        url, model = environment.get("CORTEX_RERANKER_URL", ""), environment.get("CORTEX_RERANKER_MODEL", "")
        if kind is RerankerKind.FOLDER and not (model and Path(model).is_dir()):
            raise Invalid("CORTEX_RERANKER=folder: set CORTEX_RERANKER_MODEL to the folder of a cross-encoder")
        over_http = kind not in (RerankerKind.NONE, RerankerKind.FOLDER)
        if over_http and urlsplit(url).scheme not in ("http", "https"):
            raise Invalid(f"CORTEX_RERANKER={kind}: set CORTEX_RERANKER_URL to the engine's address, http or https")
        return cls(kind, url, model, environment.get("CORTEX_RERANKER_KEY", ""))
