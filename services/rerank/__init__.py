"""A finer order for candidates: late interaction between a question's token vectors and the stored ones of passages.

Not a cross-encoder: question and passage are encoded apart, and each token of the question looks for its closest token
of the passage. Passages keep one bit a dimension; the question stays in float. Its tokens weigh what they are worth in
the tenant, by the share of passages that hold them.

`maxsim` is the arithmetic, `frequency` what tokens are worth, `resident` the stored tokens kept in memory, `reranker`
puts them together, `rpc` serves it.
"""
