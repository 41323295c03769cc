"""A pytest plugin that records every ``caesura.read`` of the tests that run.

    cd tests; CAPTURE=reads.json python -m pytest -p characterisation.capture -n0 -o addopts= formats

Only what can be replayed is kept: small files, and options that are plain values. ``record.py`` replays each entry once more.
"""

from __future__ import annotations

import functools
import json
import os
from pathlib import Path
from typing import Any

import caesura
import caesura.formats
import caesura.formats.reading

from .cases import encode

_MAX_BYTES = 60_000
_MAX_FILES = 40
_real = caesura.formats.reading.read
_entries: dict[str, dict[str, Any]] = {}


@functools.wraps(_real)
def _read(path: Any, format: str | None = None, **options: Any) -> Any:
    entry = _entry(path, format, options)
    if entry is not None:
        _entries.setdefault(json.dumps(entry, sort_keys=True), entry)
    return _real(path, format, **options)


def _entry(path: Any, format: str | None, options: dict[str, Any]) -> dict[str, Any] | None:
    if not isinstance(path, (str, Path)):
        return None
    place = Path(path)
    folder = place if place.is_dir() else place.parent
    if not folder.is_absolute() or not folder.is_dir() or not (place.exists() or "*" in str(path)):
        return None
    below = [file for file in folder.rglob("*") if file.is_file()]
    if place.is_file() and len(below) > _MAX_FILES:  # a folder of samples: only the file and its companions
        below = [file for file in below if file.name.startswith(place.name.split(".")[0])]
    if len(below) > _MAX_FILES or sum(file.stat().st_size for file in below) > _MAX_BYTES:
        below = [place] if place.is_file() and place.stat().st_size <= _MAX_BYTES else []
    if not below:
        return None
    plain = {name: value for name, value in options.items() if name != "excluded" and value is not None}
    plain |= {"format": format} if format is not None else {}
    try:
        text = json.dumps([str(path), plain], default=_path_or_list).replace(json.dumps(str(folder))[1:-1], "<folder>")
        path_text, plain = json.loads(text)
        files = {str(file.relative_to(folder)): encode(file.read_bytes()) for file in sorted(below)}
        json.dumps(files).encode()
    except (TypeError, ValueError, OSError):  # an option or a name that cannot be stored, or a file that cannot be read
        return None
    return {"path": path_text, "options": plain, "collects": options.get("excluded") is not None, "files": files}


def _path_or_list(value: Any) -> Any:
    if isinstance(value, (Path, tuple, set)):
        return str(value) if isinstance(value, Path) else list(value)
    raise TypeError


caesura.read = caesura.formats.read = caesura.formats.reading.read = _read


def pytest_sessionfinish() -> None:
    """Write what was recorded."""
    Path(os.environ["CAPTURE"]).write_text(json.dumps(list(_entries.values())), encoding="utf8")
