"""Composes several services into one process; the only place that imports more than one.

`gateway` is query_gateway, control_plane and llm_gateway; `workers` is connectors, parse, chunk and the loops that keep
permissions and index up to date; `models` is embed and rerank around one loaded model. Where services run alone,
`upkeep` is those loops and nothing else.
"""
