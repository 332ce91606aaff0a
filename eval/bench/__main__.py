"""`python -m eval.bench [NAME] ...`: the whole platform, or one part of it; NAME is a module beside this one."""

import pkgutil
import runpy
import sys

from eval import bench

WHOLE = "whole"
PARTS_OF_IT = ("asking", "chunks", "embedder", "stage_metrics")


def names() -> list[str]:
    modules = (module.name for module in pkgutil.iter_modules(bench.__path__))
    return [name for name in modules if not name.startswith("_") and name not in PARTS_OF_IT]


def main() -> None:
    arguments = sys.argv[1:]
    if arguments and not arguments[0].startswith("-"):
        name, *arguments = arguments
    else:
        name = WHOLE
    if name not in names():
        sys.exit(f"usage: python -m eval.bench [NAME] ...; NAME is one of {', '.join(names())} (default: {WHOLE})")
    sys.argv = [f"eval.bench.{name}", *arguments]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
