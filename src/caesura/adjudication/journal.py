"""The journal of an adjudication: one line of JSON per decision, on disk before the next decision is possible.

The first line describes the journal; every other line is a record. Each line ends in a checksum of its content, so that a
line that was cut off or changed is recognised. The end of a file that was cut off in the middle of a line is moved to a second
file, and everything before it counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import blake2b
from itertools import chain, count
from os import PathLike, fspath
from typing import Any

from caesura.errors import ConflictError, FormatError
from caesura.files import AppendedFile, write_file
from caesura.model.plain import canonical_json

# Version of the format.
VERSION = 1
_KIND = "adjudication"
_CHECK = "check"
_BEGINNING = f'{{"caesura": "{_KIND}"'.encode()


class Journal:
    """An open journal. Only one process may have it open."""

    def __init__(self, path: str | PathLike[str], head: Mapping[str, Any]) -> None:
        self.path = fspath(path)
        self.head: dict[str, Any] = {}
        self.records: list[dict[str, Any]] = []
        self.messages: list[str] = []
        try:
            self._file = AppendedFile(path)
        except BlockingIOError:
            problem = "another process adjudicates this corpus; close it first, or choose another journal"
            raise ConflictError(f"{self.path}: {problem}") from None
        except OSError as error:
            raise FormatError(self.path, None, f"cannot be opened: {error.strerror}") from None
        try:
            self._load(head)
        except BaseException:
            self._file.close()
            raise

    def _load(self, head: Mapping[str, Any]) -> None:
        content = self._file.read()
        complete, tail = _split(content)
        # The record of a line that is not valid is None.
        lines = [(number, _parse(line)) for number, line in enumerate(complete.split(b"\n"), 1) if line.strip()]
        if lines:
            self.head = _check_head(self.path, lines[0][1])
        elif not _BEGINNING.startswith(tail[: len(_BEGINNING)]):
            raise _not_a_journal(self.path)
        if tail:
            self._keep_aside(tail, len(complete))
        elif len(complete) > len(content):  # the last line lacks its end
            self._append(b"\n")
        if not lines:
            self.head = {"caesura": _KIND, "version": VERSION, **head}
            self._append(_line(self.head))
        for number, record in lines[1:]:
            if record is None:
                self.messages.append(
                    f"{self.path}:{number}: the checksum does not match, so this line was changed or damaged; it does not count"
                )
            else:
                self.records.append(record)

    def _keep_aside(self, tail: bytes, size: int) -> None:
        """Move the end of a line that was cut off to another file."""
        names = chain([f"{self.path}.cut"], (f"{self.path}.cut-{number}" for number in count(2)))
        path = next(name for name in names if not os.path.exists(name))
        try:
            write_file(path, tail)
            self._file.truncate(size)
        except OSError as error:
            raise FormatError(self.path, None, f"cannot be repaired: {error.strerror}") from None
        self.messages.append(
            f"{self.path}: the last line was cut off after {len(tail)} bytes; it is kept in {path} and does not count; "
            "everything before it does"
        )

    def append(self, record: Mapping[str, Any]) -> None:
        """Add a record. It is on disk when the method returns."""
        self._append(_line(record))
        self.records.append(dict(record))

    def _append(self, data: bytes) -> None:
        try:
            self._file.append(data)
        except OSError as error:
            raise FormatError(self.path, None, f"the decision was not recorded: {error.strerror}") from None

    def close(self) -> None:
        self._file.close()


def _split(content: bytes) -> tuple[bytes, bytes]:
    """Return the complete lines, and the rest after the last line end. A last line that only lacks its end is complete."""
    end = content.rfind(b"\n") + 1
    if end < len(content) and _parse(content[end:]) is not None:
        return content + b"\n", b""
    return content[:end], content[end:]


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.pop(_CHECK, None) != _checksum(record):
        return None
    return record


def _line(record: Mapping[str, Any]) -> bytes:
    return canonical_json({**record, _CHECK: _checksum(record)}) + b"\n"


def _checksum(record: Mapping[str, Any]) -> str:
    return blake2b(canonical_json(record), digest_size=6).hexdigest()


def _check_head(path: str, head: Mapping[str, Any] | None) -> dict[str, Any]:
    if head is None or head.get("caesura") != _KIND:
        raise _not_a_journal(path)
    if not isinstance(head.get("version"), int) or head["version"] > VERSION:
        got = str(head.get("version"))[:20]
        raise FormatError(path, 1, f"expected version {VERSION} of the journal; got {got}; use a newer caesura")
    return dict(head)


def _not_a_journal(path: str) -> FormatError:
    return FormatError(path, 1, "this is not the journal of an adjudication; rename it, or choose another journal")
