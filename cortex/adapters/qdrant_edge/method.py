"""How a call is described: what it takes and the blocking function that answers it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from google.protobuf.message import Message

from cortex.adapters.qdrant_edge.store import Store

Request = TypeVar("Request", bound=Message)
Answerer: TypeAlias = Callable[[Store, Request], Message]


@dataclass(frozen=True, slots=True)
class Method:
    """`answer` runs on the engine's thread. Its request is of type `request`, which only the table knows."""

    parse: Callable[[bytes], Message]
    answer: Callable[[Store, Message], Message]
    changes: bool = False


def method(request: type[Request], answer: Answerer[Request], *, changes: bool = False) -> Method:
    def checked(store: Store, message: Message) -> Message:
        assert isinstance(message, request)
        return answer(store, message)

    return Method(parse=request.FromString, answer=checked, changes=changes)


Methods: TypeAlias = Mapping[str, Method]
