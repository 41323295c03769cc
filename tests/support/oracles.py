"""Figures that other programs print, which ship with the tests in ``tests/data/oracles``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

ORACLES = Path(__file__).parents[1] / "data" / "oracles"


def read_oracle(name: str) -> Any:
    """Return the content of an oracle file: one entry per line of ``.jsonl``, the whole object of ``.json``."""
    text = oracle_bytes(name).decode("utf-8")
    return [json.loads(line) for line in text.splitlines()] if name.endswith(".jsonl") else json.loads(text)


def oracle_bytes(name: str) -> bytes:
    """Return the bytes of an oracle file, decompressed."""
    return gzip.decompress((ORACLES / f"{name}.gz").read_bytes())
