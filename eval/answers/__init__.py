"""Golden questions put to a platform as their askers, and what came back scored by code.

`asking` puts the set to a running gateway, `marking` scores one answer, `curve` weighs answering
against silence, `summary` adds up with intervals, `page` and `plot` show it.
"""
