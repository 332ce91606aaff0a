"""What the gateway serves, printed without any server."""

import json
from collections.abc import Collection

from services.host.openapi import document

_METHODS = ("get", "put", "post", "patch", "delete")


def test_every_operation_has_a_readable_name_of_its_own_and_typed_answers() -> None:
    found = json.loads(document())
    operations = {
        f"{method.upper()} {path}": operation
        for path, methods in found["paths"].items()
        for method, operation in methods.items()
        if method in _METHODS
    }
    names = [operation["operationId"] for operation in operations.values()]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() and len(name) <= 50 for name in names), names
    untyped = {
        name
        for name, operation in operations.items()
        if name.split(" ")[1].startswith("/v1/")
        and not any("schema" in kind for kind in _content(operation))
        and "204" not in operation["responses"]
    }
    assert untyped == {"GET /v1/documents/{document}/original", "GET /v1/answers/{answer}/stream"}


def _content(operation: dict[str, dict[str, dict[str, dict[str, object]]]]) -> list[Collection[object]]:
    succeeded = [body for status, body in operation["responses"].items() if status.startswith("2")]
    kinds = [kind for body in succeeded for kind in body.get("content", {}).values()]
    return [kind for kind in kinds if isinstance(kind, Collection) and kind != {"schema": {}}]
