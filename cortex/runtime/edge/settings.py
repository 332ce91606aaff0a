"""Bounds of what is accepted over HTTP."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EdgeSettings:
    """`allowed_hosts` turns on the check of Host and Origin (local mode); empty leaves it to the ingress.

    `large_body_prefixes` may send up to `large_body_bytes_max`; all others `body_bytes_max`.
    """

    allowed_hosts: frozenset[str] = frozenset()
    body_bytes_max: int = 256 * 1024
    large_body_bytes_max: int = 64 * 1024 * 1024
    large_body_prefixes: tuple[str, ...] = ("/v1/sources/", "/scim/v2/")
