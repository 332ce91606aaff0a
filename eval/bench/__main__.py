"""`python -m eval.bench NAME ...`: run one benchmark, or list them."""

import pkgutil
import runpy
import sys

from eval import bench


def names() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(bench.__path__) if not module.name.startswith("_")]


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in names():
        sys.exit(f"usage: python -m eval.bench NAME ...; NAME is one of {', '.join(names())}")
    sys.argv = [f"eval.bench.{sys.argv[1]}", *sys.argv[2:]]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
