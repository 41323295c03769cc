"""Record finished tasks in a folder, so that an interrupted run can continue.

``run.json`` describes the run: its arguments and data. ``done/`` has one file per finished task. Each file is written under
a temporary name and then renamed, so that it is complete or absent, never partial.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from caesura.errors import CheckpointError
from caesura.model.result import to_json, to_plain

_RUN_FILE = "run.json"
_RECORDS = "done"


class Checkpoint:
    """The folder that records the finished tasks of one run.

    Parameters
    ----------
    folder : path
        A new or empty folder, or the folder of an earlier run that had the same description.
    run : mapping
        Description of the run, as JSON values: everything that its results depend on.

    Attributes
    ----------
    folder : Path
        The folder.
    resumed : bool
        Whether the checkpoint continues an earlier run.

    Raises
    ------
    CheckpointError
        If the folder belongs to a different run, contains unrelated files or cannot be used.
    """

    def __init__(self, folder: str | PathLike[str], run: Mapping[str, Any]) -> None:
        self.folder = Path(folder)
        run = to_plain(run)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            earlier = self._earlier_run()
            self.resumed = earlier is not None
            if earlier is None:
                (self.folder / _RECORDS).mkdir(exist_ok=True)
                self._write(self.folder / _RUN_FILE, run)
            elif earlier != run:
                raise CheckpointError(self._difference(earlier, run))
        except OSError as error:
            raise CheckpointError(f"checkpoint {fspath(folder)}: cannot be used: {error.strerror}") from None

    def _earlier_run(self) -> dict[str, Any] | None:
        """Return the description of the run in this folder; None if there is no run yet."""
        path = self.folder / _RUN_FILE
        if not path.exists():
            names = {path.name for path in self.folder.iterdir() if not path.name.startswith(f".{_RUN_FILE}.")}
            if names - {_RECORDS}:
                raise CheckpointError(
                    f"checkpoint {self.folder}: the folder must be empty or belong to an earlier run; it contains "
                    f"{min(names - {_RECORDS})}"
                )
            return None
        run = _read(path)
        if not isinstance(run, dict):
            raise CheckpointError(f"checkpoint {self.folder}: {_RUN_FILE} is damaged; delete the folder")
        return run

    def _difference(self, earlier: Mapping[str, Any], run: Mapping[str, Any]) -> str:
        name = next(key for key in [*run, *earlier] if earlier.get(key) != run.get(key))
        return (
            f"checkpoint {self.folder}: it belongs to a different run: {name} was {_short(earlier.get(name))}, and is now "
            f"{_short(run.get(name))}. Choose a different folder, or delete this one"
        )

    def get(self, key: str) -> Any:
        """Return the record of a task.

        Parameters
        ----------
        key : str
            Name of the task.

        Returns
        -------
        object
            The value passed to :meth:`put`; None if the record is missing or damaged, so that the task must run again.
        """
        return _read(self.folder / _RECORDS / f"{key}.json")

    def put(self, key: str, value: Any) -> None:
        """Record a finished task.

        Parameters
        ----------
        key : str
            Name of the task; used as a file name.
        value : object
            JSON values.

        Raises
        ------
        CheckpointError
            If the record cannot be written.
        """
        try:
            self._write(self.folder / _RECORDS / f"{key}.json", value)
        except OSError as error:
            raise CheckpointError(f"checkpoint {self.folder}: cannot be written: {error.strerror}") from None

    @staticmethod
    def _write(path: Path, value: Any) -> None:
        """Write a file atomically, so that it is complete or absent even after a power failure."""
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        with open(temporary, "wb") as file:
            file.write(to_json(value, indent=None).encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def _short(value: Any) -> str:
    text = to_json(value, indent=None)
    return text if len(text) <= 80 else f"{text[:77]}..."
