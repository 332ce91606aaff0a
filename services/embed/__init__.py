"""The embed gateway: everything that becomes a vector, for questions and for passages.

One loaded model serves both. `scheduler` lets questions go first and pushes back when too much waits; `query` and
`passages` put dense, token and term vectors together; `rpc` serves them to other processes. What arrives as events is
encoded through `passages`, in the same process as the model.
"""
