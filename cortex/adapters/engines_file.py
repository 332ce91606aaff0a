"""The operator's engines, from a JSON file: {"engines": [{"name", "url", "model", "key_file"?, ...}]}.

They are asked in this order. Keys stand in files of their own, as orchestrators mount them.
"""

import json
from dataclasses import fields
from pathlib import Path

from cortex.domain.engine import ENGINES_MAX, Engine, EngineSpec, checked
from cortex.domain.errors import Invalid

_KNOWN = {entry.name for entry in fields(EngineSpec)}


def read_engines(path: Path | None) -> tuple[Engine, ...]:
    """Raises Invalid that names the file and the mend."""
    if path is None:
        return ()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["engines"]
        engines = tuple(_engine(one) for one in found)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Invalid(f'{path}: expected {{"engines": [{{"name": ..., "url": ..., "model": ...}}]}}') from error
    except Invalid as error:
        raise Invalid(f"{path}: {error}") from error
    names = [engine.spec.name for engine in engines]
    if len(set(names)) < len(names) or len(names) > ENGINES_MAX:
        raise Invalid(f"{path}: expected at most {ENGINES_MAX} engines, each with a name of its own")
    return engines


def _engine(one: object) -> Engine:
    if not isinstance(one, dict):
        raise TypeError("an engine is an object")
    key_file = one.get("key_file")
    if unknown := sorted(one.keys() - _KNOWN - {"key_file"}):
        raise Invalid(f"unknown key {unknown[0]!r}")
    key = Path(str(key_file)).read_text(encoding="utf-8").strip() if key_file else None
    values = {name: value for name, value in one.items() if name in _KNOWN}
    return Engine(checked(EngineSpec(**values)), key or None, operated=True)
