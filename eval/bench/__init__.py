"""Benchmarks: each module measures one part and says in its docstring what it needs."""
