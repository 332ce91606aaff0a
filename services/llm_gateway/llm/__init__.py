"""Answers of a language model, held to the passages.

`prompt` says what the model is given, `reading` cuts what it writes into plain sentences with their markers, `holding`
finds the passages' own words for each, `generator` joins these with engines, budgets and the cache.
"""
