"""Words that no file of the repository may hold."""

import re

from tests.house.source_tree import ROOT, files, text_of

# Put together here, so that this file does not hold them.
_REGISTRIES = (
    "pypi",
    "npmjs",
    "registry.npmjs",
    "files.pythonhosted",
    "pythonhosted",
    "registry.yarnpkg",
    "deb.debian",
)
_REGISTRY_HOST = re.compile(rf"\b({'|'.join(map(re.escape, _REGISTRIES))})\.(org|com)\b")
_OF_ONE_MACHINE = re.compile(r"(?<![\w./-])/(work|root|home/[a-z]+|Users/[A-Za-z]+)/[a-z]")
_LEFT_TO_DO = re.compile(rf"\b({'|'.join(('TO' + 'DO', 'FIX' + 'ME', 'X' * 3))})\b")


def _lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files()
        for number, line in enumerate((text_of(path) or "").splitlines(), start=1)
        if pattern.search(line)
    ]


def test_no_registry_is_named() -> None:
    """Locks hold names, versions and hashes; where packages come from is for the machine that installs them."""
    assert _lines_with(_REGISTRY_HOST) == []


def test_no_path_of_one_machine() -> None:
    assert _lines_with(_OF_ONE_MACHINE) == []


def test_nothing_is_left_for_later() -> None:
    assert _lines_with(_LEFT_TO_DO) == []
