"""ZIP archives from strangers: bounded before anything is inflated."""

import io
import re
import zipfile
import zlib

from cortex.domain.errors import Exhausted, Invalid
from services.parse.settings import ParseLimits

RATIO_MATTERS_BYTES = 1024 * 1024


class Archive:
    """Reads entries of an archive whose declared sizes are within the limits; reading never passes a declared size."""

    def __init__(self, data: bytes, limits: ParseLimits) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
            raise Invalid("is a broken ZIP or DOCX file; send it again") from error
        self._entries = {entry.filename: entry for entry in self._zip.infolist()}
        _check(self._zip.infolist(), limits)

    def find(self, pattern: re.Pattern[str]) -> str | None:
        return next((name for name in self._entries if pattern.fullmatch(name)), None)

    def read(self, name: str) -> bytes | None:
        entry = self._entries.get(name)
        if entry is None:
            return None
        try:
            return self._zip.read(entry)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
            raise Invalid(f"part {name} is broken; send the file again") from error
        except RuntimeError as error:
            raise Invalid("is protected with a password; remove the password and send it again") from error


def _check(entries: list[zipfile.ZipInfo], limits: ParseLimits) -> None:
    if len(entries) > limits.zip_entries_max:
        raise Exhausted(f"has more than {limits.zip_entries_max:,} parts (zip_entries_max)")
    if any(entry.flag_bits & 1 for entry in entries):
        raise Invalid("is protected with a password; remove the password and send it again")
    if sum(entry.file_size for entry in entries) > limits.zip_bytes_max:
        raise Exhausted(f"inflates to more than {limits.zip_bytes_max:,} bytes (zip_bytes_max)")
    for entry in entries:
        ratio = entry.file_size / max(entry.compress_size, 1)
        if entry.file_size > RATIO_MATTERS_BYTES and ratio > limits.zip_ratio_max:
            raise Exhausted(f"part {entry.filename} inflates {ratio:,.0f} times (zip_ratio_max)")
