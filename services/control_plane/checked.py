"""Checks of bodies beyond types: every mistake of an `acl`, of principals and of a document's content has a place.

They run with the other checks of a body, so that one answer names all that is wrong.
"""

import base64
import binascii
from collections.abc import Iterator
from itertools import islice

from pydantic import JsonValue, ValidationError, ValidationInfo

from cortex.domain.acl import PRINCIPALS_MAX, parse_acl, parse_principal
from cortex.domain.errors import Invalid

MISTAKES_MAX = 50
Mistake = tuple[tuple[str | int, ...], str]


def checked_acl(value: JsonValue) -> JsonValue:
    """Raises ValidationError with the place of each mistake, at most MISTAKES_MAX."""
    found = [] if value is None else list(islice(_mistakes(value), MISTAKES_MAX))
    if found:
        raise ValidationError.from_exception_data(
            "acl",
            [
                {"type": "value_error", "loc": place, "input": None, "ctx": {"error": ValueError(mend)}}
                for place, mend in found
            ],
        )
    return value


def checked_document_acl(value: JsonValue, info: ValidationInfo) -> JsonValue:
    """As `checked_acl`; without a container there must be one."""
    if value is None and info.data.get("container", "wrong by itself") is None:
        raise ValueError("is required for a document without a container; nobody could see it")
    return checked_acl(value)


def checked_principal(value: str) -> str:
    try:
        parse_principal(value, place="")
    except Invalid as error:
        raise ValueError(error.mend) from None
    return value


def checked_file(value: str | None, info: ValidationInfo) -> str | None:
    """Base64, and there where there is no `content`."""
    content = info.data.get("content", "wrong by itself")
    if value is None:
        if content is None:
            raise ValueError("send content (text) or file (base64), one of them")
        return None
    if content is not None:
        raise ValueError("send content (text) or file (base64), one of them")
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"not base64 ({error})") from None
    return value


def _mistakes(acl: JsonValue) -> Iterator[Mistake]:
    if not isinstance(acl, dict):
        try:
            parse_acl(acl)
        except Invalid as error:
            yield (), error.mend
        return
    for key, value in acl.items():
        try:
            parse_acl({key: value})
        except Invalid as error:
            name = key.encode("utf-8", "backslashreplace").decode()
            items = value if isinstance(value, list) and len(value) <= PRINCIPALS_MAX else []
            single: list[Mistake] = [((name, n), mend) for n, item in enumerate(items) if (mend := _mend(key, item))]
            yield from single or [((name,), error.mend)]


def _mend(key: str, item: JsonValue) -> str:
    """Of one item of a list; empty where it is right by itself."""
    try:
        parse_acl({key: [item]})
    except Invalid as error:
        return error.mend
    return ""
