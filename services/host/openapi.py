"""`python -m services.host.openapi`: prints what the gateway serves as OpenAPI, without any server."""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from cortex.runtime.backbone import backbone
from cortex.runtime.listening import Listening
from cortex.runtime.settings import PlatformSettings
from services.control_plane import compose as control_plane
from services.host.gateway import application

NOWHERE = "127.0.0.1:1"


async def described(folder: Path) -> dict[str, object]:
    """As on loopback; nothing answers behind it. `folder` takes the keys that it makes."""
    settings = PlatformSettings(
        data=folder,
        database_url=f"postgresql://nobody@{NOWHERE}/nothing",
        nats_url=f"nats://{NOWHERE}",
        redis_url=f"redis://{NOWHERE}",
        spicedb_url=f"grpc://{NOWHERE}",
        spicedb_key="none",
        temporal_url=NOWHERE,
        qdrant_url=f"http://{NOWHERE}",
        qdrant_key="none",
        objects_url=(folder / "objects").as_uri(),
        models_dir=folder / "models",
        models_url=f"grpc://{NOWHERE}",
        internal_key="none",
    )
    work = await control_plane.work(settings, lazy=True)
    async with backbone(settings, connected=False) as shared, application(shared, Listening(8080), work) as found:
        return found.app.openapi()


def document() -> str:
    with tempfile.TemporaryDirectory(prefix="cortex-openapi-") as folder:
        found = asyncio.run(described(Path(folder)))
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
