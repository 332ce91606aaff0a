"""Drift of permissions: `mirror` is compared with the rows, `engine` with the mirror; `index` says what is due."""
