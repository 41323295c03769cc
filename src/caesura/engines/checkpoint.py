"""What is done already, kept in a folder, so that a run that was ended goes on where it was.

``run.json`` says what the run is about: arguments and data. ``done/`` has a file for each task that is finished, written under
another name first and then renamed, so that it is there as a whole or not at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import CheckpointError

__all__ = ["Checkpoint"]

_ABOUT = "run.json"
_DONE = "done"


class Checkpoint:
    """The folder of a run. ``CheckpointError`` if it belongs to another."""

    def __init__(self, folder: str | PathLike[str], about: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        wanted = json.loads(json.dumps(about))
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            there = self._about()
            self.there = there is not None
            """Whether an earlier run began it."""
            if there is None:
                (self.folder / _DONE).mkdir(exist_ok=True)
                self._write(self.folder / _ABOUT, wanted)
            elif there != wanted:
                raise CheckpointError(self._different(there, wanted))
        except OSError as problem:
            raise CheckpointError(f"checkpoint {fspath(folder)}: cannot be used: {problem.strerror}") from None

    def _about(self) -> dict[str, Any] | None:
        """What the run in this folder is about; None where there is no run yet."""
        path = self.folder / _ABOUT
        if not path.exists():
            others = [one.name for one in self.folder.iterdir() if one.name != _DONE and not _unfinished(one.name)]
            if others:
                raise CheckpointError(
                    f"checkpoint {self.folder}: an empty folder is needed, or one of an earlier run; got one that holds "
                    f"{sorted(others)[0]}"
                )
            return None
        found = _read(path)
        if not isinstance(found, dict):
            raise CheckpointError(
                f"checkpoint {self.folder}: {_ABOUT} does not say what the run is about; delete the folder"
            )
        return found

    def _different(self, there: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
        name = next(one for one in [*wanted, *there] if there.get(one) != wanted.get(one))
        return (
            f"checkpoint {self.folder}: it is of another run: {name} was {_short(there.get(name))}, and is now "
            f"{_short(wanted.get(name))}. Take another folder, or delete this one"
        )

    def get(self, key: str) -> Any:
        """What was recorded for a task; None where nothing was, or it cannot be read, and it must be done again."""
        return _read(self.folder / _DONE / f"{key}.json")

    def put(self, key: str, value: Any) -> None:
        """Record a task as done."""
        try:
            self._write(self.folder / _DONE / f"{key}.json", value)
        except OSError as problem:
            raise CheckpointError(f"checkpoint {self.folder}: cannot be written: {problem.strerror}") from None

    @staticmethod
    def _write(path: Path, value: Any) -> None:
        write_whole(path, json.dumps(value).encode())


def write_whole(path: Path, data: bytes) -> None:
    """A file that is there as a whole or not at all, also if the power goes."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with open(beside, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _unfinished(name: str) -> bool:
    return name.startswith(f".{_ABOUT}.")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."
