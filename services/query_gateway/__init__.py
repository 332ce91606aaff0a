"""The hot path: who asks, what they may see, what answers.

`retrieve` runs the path of architecture section 7 over ports and leaves every decision to a pure module beside it:
`pool` (which candidates, in which order), `admission` (live revision and re-check), `facets`, `snippet`, `assemble`.
`search`, `chat`, `answers` and `documents` are its routes; `http` puts them into one application, and `problems` is the
one place where errors become answers. Authorization that fails or is late shows nothing; anything else that is missing
is named in `degraded`.
"""
