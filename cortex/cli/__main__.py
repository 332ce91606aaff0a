"""`python -m cortex.cli`: the same as `cortex`."""

from cortex.cli import main

main()
