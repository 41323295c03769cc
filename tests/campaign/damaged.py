"""Damaged files: reading any of them ends in a corpus or in an error of this package."""

from __future__ import annotations

from pathlib import Path

import caesura as cz
from caesura.errors import CaesuraError
from support import fuzzing
from support.shared_data import DataFolder

from .registry import Case, attack
from .structures import CHANGES

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


@attack("damaged files", share=6, quick=3000)
def read_damaged(case: Case) -> str:
    """Read a file of each format in turn after one or two random changes of its bytes, lines, numbers or encoding."""
    name = FORMATS[case.number % len(FORMATS)]
    targets = targets_of(case.folder, name)
    return fuzzing.read_damaged(case.rng.choice(targets), case.rng.randrange(10**9), name)


@attack("changed structure", share=6, quick=3000)
def read_changed(case: Case) -> str:
    """Read a file of each format in turn after changes that keep its structure, and use what was read."""
    name = FORMATS[case.number % len(FORMATS)]
    sample = fuzzing.SAMPLES[name]
    target = targets_of(case.folder, name)[0]
    target.path.write_bytes(case.rng.choice(CHANGES[name])(case.rng, target.data))
    format_name = name if case.rng.random() < 0.6 or not sample.detectable else None
    try:
        corpus = cz.read(target.path, format_name, **sample.options)
    except CaesuraError as error:
        check_message(error)
        return "error"
    finally:
        target.path.write_bytes(target.data)
    repr(corpus), corpus.fingerprint, str(corpus.reading)
    return "corpus"


def check_message(error: CaesuraError) -> None:
    """Check that an error has a message of one line, without the content of a whole file."""
    message = str(error)
    assert message.strip(), "an error without a word"
    assert len(message) < 5000, f"a message of {len(message)} characters: {message[:200]}"
