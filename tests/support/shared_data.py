"""Corpora for tests: those that ship with the tests, and others in a folder ``../shared`` beside the checkout."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from support.oracles import ORACLES, oracle_bytes

TESTS = Path(__file__).parents[1]
ARCHIVE = TESTS / "data" / "corpora.tar.xz"
BESIDE = TESTS.parents[1] / "shared"


class DataFolder:
    """The folder of all test data. ``folder / name`` skips the test if that file or folder is not available."""

    def __init__(self, unpacked: Path) -> None:
        self.unpacked = unpacked
        if not (unpacked / "oracles").is_dir():
            with tarfile.open(ARCHIVE) as archive:
                archive.extractall(unpacked, filter="data")
            (unpacked / "oracles").mkdir()

    def find(self, name: str) -> Path | None:
        """Return the path of a file or folder; None if it is not available."""
        oracle = name.removeprefix("oracles/")
        if (ORACLES / f"{oracle}.gz").is_file() and not (self.unpacked / name).is_file():
            (self.unpacked / name).write_bytes(oracle_bytes(oracle))
        return next((root / name for root in (self.unpacked, BESIDE) if (root / name).exists()), None)

    def __truediv__(self, name: str) -> Path:
        path = self.find(name)
        if path is None:
            pytest.skip(f"{name} may not ship with the tests, and there is no folder ../shared beside the checkout")
        return path
