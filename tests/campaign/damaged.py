"""Damaged files: reading any of them ends in a corpus or in an error of this package."""

from __future__ import annotations

from pathlib import Path

from support import fuzzing
from support.shared_data import DataFolder

from .registry import Case, attack

FORMATS = tuple(fuzzing.SAMPLES)
_targets: dict[tuple[Path, str], list[fuzzing.Target]] = {}


def targets_of(folder: Path, name: str) -> list[fuzzing.Target]:
    """Return the files of a format that can be damaged; they are written once per worker."""
    if (folder, name) not in _targets:
        data = folder / "data"
        data.mkdir(exist_ok=True)
        shared = DataFolder(data)
        _targets[folder, name] = fuzzing.write_samples(name, folder, shared)
    return _targets[folder, name]


@attack("damaged files", share=6)
def read_damaged(case: Case) -> str:
    """Read a file of each format in turn after one or two random changes of its bytes, lines, numbers or encoding."""
    name = FORMATS[case.number % len(FORMATS)]
    targets = targets_of(case.folder, name)
    return fuzzing.read_damaged(case.rng.choice(targets), case.rng.randrange(10**9), name)
