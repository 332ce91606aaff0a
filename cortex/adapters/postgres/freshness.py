"""How old permissions may be. What is pushed holds until it is replaced; what is read must be read again in time."""

AGE_S_MAX = 259_200
"""The default, also of the table: a weekend without anybody looking hides nothing."""

_OLDEST = f"now() - make_interval(secs => coalesce((SELECT acl_age_s_max FROM tenant_settings), {AGE_S_MAX}))"

FRESH = (
    f"(s.type = 'push' OR (s.acl_as_of >= {_OLDEST} AND NOT EXISTS (SELECT FROM source_failures f"
    " WHERE f.source_id = d.source_id AND f.external_id = d.external_id AND f.stage = 'fetch'"
    f" AND f.since < {_OLDEST})))"
)
"""Of a document `d` of source `s`: the source's last pass without an error, and no failure of its own for as long."""

STALE_SOURCE = f"(s.type <> 'push' AND s.acl_as_of < {_OLDEST})"
