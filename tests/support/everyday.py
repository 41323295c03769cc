"""The files in the shape that newcomers bring, and what a correct reader finds in them."""

from __future__ import annotations

import json
from typing import Any

from support.shared_data import DataFolder


def expected(shared: DataFolder, name: str) -> dict[str, Any]:
    """Return the entry of ``expected.json`` that describes a file of the folder ``everyday``."""
    entries = json.loads((shared / "data/everyday/expected.json").read_text(encoding="utf-8"))["files"]
    (entry,) = (entry for entry in entries if name in entry["files"])
    return dict(entry)
