"""A source's privacy rules as they are read in the transaction of whoever follows them."""

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from cortex.domain.identity import SourceId
from cortex.domain.privacy import Kind, PrivacyRules, rules_from_json

# Shared: a change of the rules waits for puts that follow the old ones, so that it finds what they wrote.
_HELD = text("SELECT privacy, contextual FROM sources WHERE id = :source FOR SHARE")


async def held_rules(connection: AsyncConnection, source: SourceId) -> PrivacyRules:
    """The rules, which stay as they are until the transaction ends."""
    row = (await connection.execute(_HELD, {"source": source})).one_or_none()
    if row is None:
        return rules_from_json({})
    return replace(rules_from_json(row.privacy or {}), contextual=row.contextual)


def counts_json(counts: Mapping[Kind, int]) -> dict[str, int]:
    return {kind.value: number for kind, number in counts.items()}


def counts_of(stored: Mapping[str, int]) -> dict[Kind, int]:
    return {Kind(name): int(number) for name, number in stored.items()}
