"""Files that tests write and read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import caesura as cz
from caesura.errors import FormatError


def file_writer(default: str) -> Callable[..., Path]:
    """Return ``write(folder, content, name=default)``: it writes text, or data as JSON, and returns the path."""

    def write(folder: Path, content: object, name: str = default) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1)
        path.write_bytes(text.encode())
        return path

    return write


def text_reader(default: str) -> Callable[..., cz.Corpus]:
    """Return ``read(folder, content, name=default, **options)``: it writes a file and reads it."""
    write = file_writer(default)

    def read(folder: Path, content: object, name: str = default, **options: Any) -> cz.Corpus:
        return cz.read(write(folder, content, name), **options)

    return read


def refusal(call: Callable[..., object], *arguments: Any, **options: Any) -> FormatError:
    """Return the error with which a function of the package refuses a file or a corpus."""
    with pytest.raises(FormatError) as caught:
        call(*arguments, **options)
    return caught.value
