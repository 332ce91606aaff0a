"""YAML as plain texts, lists and mappings with their lines: no types, no tags, no aliases, bounded depth.

Files beside documents are written by hand and by anyone, so what could surprise (`no` as a boolean, a key given twice,
an alias that grows) is refused with its line instead of being interpreted.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from cortex.domain.errors import Invalid

BYTES_MAX = 64 * 1024
DEPTH_MAX = 8
Plain = str | list["Plain"] | dict[str, "Plain"]


class At(Invalid):
    """What is wrong, and the line (from 1) where."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Item:
    """A value of a mapping. `key_line` is where its key stands, `lines` where each item of a list does."""

    value: Plain
    key_line: int
    lines: tuple[int, ...]
    items: Mapping[str, "Item"]


def _line(found: yaml.Node | yaml.Event) -> int:
    return int(found.start_mark.line) + 1 if found.start_mark else 1


def _refuse_surprises(data: bytes) -> None:
    depth = 0
    for event in yaml.parse(data, Loader=yaml.BaseLoader):
        line = _line(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise At(line, "anchors and aliases (& and *) are not allowed; write the value out")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEPTH_MAX:
            raise At(line, f"nested deeper than {DEPTH_MAX}")


def _plain(node: yaml.Node) -> Plain:
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return {name: item.value for name, item in _items(node).items()}
    return str(node.value)


def _items(node: yaml.MappingNode) -> dict[str, Item]:
    found: dict[str, Item] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise At(_line(key), "a key must be a text")
        if key.value in found:
            raise At(_line(key), f"key {key.value!r} is given twice")
        lines = tuple(map(_line, value.value)) if isinstance(value, yaml.SequenceNode) else ()
        below = _items(value) if isinstance(value, yaml.MappingNode) else {}
        found[key.value] = Item(_plain(value), _line(key), lines, below)
    return found


def load_mapping(data: bytes) -> dict[str, Item]:
    """The one mapping that `data` holds; raises At for everything else."""
    if len(data) > BYTES_MAX:
        raise At(1, f"{len(data)} bytes; at most {BYTES_MAX}")
    try:
        _refuse_surprises(data)
        node = yaml.compose(data, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise At(line, f"not valid YAML: {error.problem or error.context}") from error
    except (yaml.YAMLError, UnicodeError, ValueError) as error:
        raise At(1, "not valid YAML: not a text in UTF-8 without control characters") from error
    if not isinstance(node, yaml.MappingNode):
        raise At(1, "empty: delete the file or write {}" if node is None else "expected keys and values")
    return _items(node)
