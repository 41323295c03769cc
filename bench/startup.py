"""Start commands in new processes, and compare with Python that does nothing."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import caesura as cz
from bench.timing import shortest_time
from caesura.measures.many import score_many
from caesura.model.fingerprint import fingerprint_of_pairs
from caesura.views.table import Table

PEOPLE = '{"items": {"a": {"ann": [3, 4, 2], "bo": [3, 6]}, "b": {"ann": [5, 5, 2], "bo": [5, 4, 3]}}}'
DOCUMENTS = 20_000


def start(*arguments: str, folder: str | None = None) -> Callable[[], object]:
    command = [sys.executable, *arguments]
    return lambda: subprocess.run(command, capture_output=True, cwd=folder, check=True)


def tables() -> Iterator[Table]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "people.json").write_text(PEOPLE)
        commands = {
            "python -c pass": ("-c", "pass"),
            "import click": ("-c", "import click"),
            "import caesura": ("-c", "import caesura"),
            "import numpy": ("-c", "import numpy"),
            "caesura --help": ("-m", "caesura", "--help"),
            "caesura --version": ("-m", "caesura", "--version"),
            "caesura score people.json": ("-m", "caesura", "score", "people.json"),
            "caesura agree people.json": ("-m", "caesura", "agree", "people.json"),
        }
        seconds = {name: shortest_time(start(*words, folder=folder)) for name, words in commands.items()}
    rows = [{"start": name, "seconds": time} for name, time in seconds.items()]
    yield Table.from_records(rows, title="New processes", digits=3)
    yield Table.from_records([fingerprints()], title=f"Fingerprint of {DOCUMENTS:,} pairs of documents", digits=3)


def fingerprints() -> dict[str, float]:
    """Return the seconds to compute the fingerprint of pairs, and to score them."""
    masses = cz.Segmentation.from_masses
    pairs = {f"d{i}": (masses([i % 9 + 1, 20, 30]), masses([20, i % 9 + 1, 30])) for i in range(DOCUMENTS)}
    return {
        "fingerprint": shortest_time(lambda: fingerprint_of_pairs(pairs)),
        "B": shortest_time(lambda: score_many(pairs.values(), "B")),
    }
