"""Record finished tasks in a folder, so that an interrupted run can continue.

``run.json`` describes the run: its arguments and data. ``done/`` has one file per finished task, which is complete or
absent. Every record has the identity of its run and task, and a checksum. A record that was damaged, edited or copied from
another run is noticed, and its task runs again.

Several runs with the same description may use a folder at the same time. They write the same records.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import CheckpointError
from caesura.files import RECORDS, RUN_FILE, create_file, delete_drafts, is_draft, new_file
from caesura.model.plain import canonical_json, to_json, to_plain
from caesura.notices import warn


class Checkpoint:
    """The folder that records the finished tasks of one run."""

    def __init__(self, folder: str | PathLike[str], run: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        description: dict[str, Any] = to_plain(run)
        self.identity = _digest(description)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            delete_drafts(self.folder)
            delete_drafts(self.folder / RECORDS)
            self.resumed = not self._begin(description)
        except OSError as error:
            raise CheckpointError(f"checkpoint {fspath(folder)}: cannot be used: {error.strerror}") from None

    def _begin(self, run: dict[str, Any]) -> bool:
        """Write the description of the run and return True; False if the folder already has the same description."""
        path = self.folder / RUN_FILE
        if not path.exists():
            self._check_unused()
            (self.folder / RECORDS).mkdir(exist_ok=True)
            if create_file(path, to_json(run).encode()):
                return True
        earlier = _read(path)
        if not isinstance(earlier, dict):
            raise CheckpointError(f"checkpoint {self.folder}: {RUN_FILE} is damaged; delete the folder")
        if earlier != run:
            # An entry without a value differs from no entry, as in a damaged description.
            name = next(key for key in [*run, *earlier] if earlier.get(key, ...) != run.get(key, ...))
            raise CheckpointError(
                f"checkpoint {self.folder}: it belongs to a different run: {name} was {_short(earlier.get(name))}, and is now "
                f"{_short(run.get(name))}. Choose a different folder, or delete this one"
            )
        (self.folder / RECORDS).mkdir(exist_ok=True)
        return False

    def _check_unused(self) -> None:
        """Raise an error if a folder without a description contains anything."""
        names = {path.name for path in self.folder.iterdir() if not is_draft(path.name)} - {RECORDS}
        if names - {RUN_FILE}:
            raise CheckpointError(
                f"checkpoint {self.folder}: the folder must be empty or belong to an earlier run; it contains {min(names)}"
            )
        records = self.folder / RECORDS
        # If another run has just begun here, its description was written before its first record.
        has_records = records.exists() and any(not is_draft(path.name) for path in records.iterdir())
        if has_records and not (self.folder / RUN_FILE).exists():
            raise CheckpointError(
                f"checkpoint {self.folder}: it has results, but {RUN_FILE}, which says what they belong to, is missing. "
                "Choose a different folder, or delete this one"
            )

    def get(self, key: str) -> Any:
        """Return the record of a task, or None if there is none that can be used."""
        path = self.folder / RECORDS / f"{key}.json"
        existed = path.exists()  # another run may write the record after it was not found
        record = _read(path)
        if isinstance(record, dict) and record.keys() == {"run", "task", "checksum", "value"}:
            belongs = (record["run"], record["task"]) == (self.identity, key)
            if belongs and record["checksum"] == self._checksum(key, record["value"]):
                return record["value"]
        if existed:
            warn(f"checkpoint: {path} is damaged or belongs to a different run; this part is computed again")
        return None

    def put(self, key: str, value: Any) -> None:
        value = to_plain(value)
        record = {"run": self.identity, "task": key, "checksum": self._checksum(key, value), "value": value}
        try:
            with new_file(self.folder / RECORDS / f"{key}.json") as draft:
                draft.write_bytes(to_json(record).encode())
        except OSError as error:
            raise CheckpointError(f"checkpoint {self.folder}: cannot be written: {error.strerror}") from None

    def _checksum(self, key: str, value: Any) -> str:
        return _digest([self.identity, key, value])


def has_begun(folder: str | PathLike[str]) -> bool:
    """Return whether a folder has the checkpoint of a run."""
    return (Path(folder) / RUN_FILE).exists()


def _digest(value: Any) -> str:
    """Return a hash of plain data, in which the order of names does not count."""
    return blake2b(canonical_json(value), digest_size=16).hexdigest()


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _short(value: Any) -> str:
    text = to_json(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
