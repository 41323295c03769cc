"""Data of the papers: ``displays.toml``, and the corpora that do not ship with the package."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from caesura.errors import FormatError, OptionError

_MAX_FILES = 100_000


@cache
def published() -> dict[str, Any]:
    """Return the content of ``displays.toml``, which explains itself."""
    return tomllib.loads(files("caesura.papers").joinpath("displays.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class DataSet:
    """A corpus that an entry needs."""

    file: str  # name of the file or folder that contains it
    description: str  # what it is and where it can be had
    module: str = ""  # Python package that contains it too


@cache
def corpora() -> dict[str, DataSet]:
    return {name: DataSet(**record) for name, record in published()["corpora"].items()}


class Data:
    """A folder with corpora, which are asked for by their names in ``displays.toml``."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        if folder is not None and not Path(folder).is_dir():
            raise OptionError(f"--data: {os.fspath(folder)!r} is not a folder")
        self.folder = None if folder is None else Path(folder)

    @cached_property
    def _paths(self) -> dict[str, Path]:
        """File and folder names -> the first path with this name."""
        paths: dict[str, Path] = {}
        count = 0
        for folder, folders, names in os.walk(self.folder) if self.folder is not None else ():
            folders.sort()
            for name in sorted([*folders, *names]):
                paths.setdefault(name, Path(folder, name))
                count += 1
                if count > _MAX_FILES:
                    raise OptionError(
                        f"--data: {self.folder} has more than {_MAX_FILES:,} files; name a smaller folder"
                    )
        return paths

    def has(self, name: str) -> bool:
        """Return whether a corpus is in the folder or in an installed package."""
        module = corpora()[name].module
        return self.in_folder(name) or (
            bool(module) and (module in sys.modules or importlib.util.find_spec(module) is not None)
        )

    def in_folder(self, name: str) -> bool:
        return corpora()[name].file in self._paths

    def path(self, name: str) -> Path:
        data_set = corpora()[name]
        if data_set.file not in self._paths:
            raise OptionError(f"{data_set.file} was not found; it contains {data_set.description}")
        return self._paths[data_set.file]

    def json(self, name: str) -> Any:
        """Return the JSON in a corpus file; a list for a file with one value per line."""
        path = self.path(name)
        try:
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".jsonl":
                return [json.loads(line) for line in text.splitlines() if line.strip()]
            return json.loads(text)
        except (OSError, ValueError, RecursionError) as error:
            raise FormatError(path, None, f"expected {corpora()[name].description}; {error}") from None
