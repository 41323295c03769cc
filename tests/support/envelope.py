"""The JSON of every command: one envelope."""

from __future__ import annotations

import json
from typing import Any

from click.testing import Result

from caesura.model.result import Excluded

KEYS = {"command", "version", "data", "reading", "results", "excluded", "signature"}


def envelope_of(result: Result) -> dict[str, Any]:
    """Return what a command printed with ``--json``."""
    data: dict[str, Any] = json.loads(result.stdout)
    assert set(data) == KEYS
    return data


def results_of(result: Result) -> Any:
    """Return the results of a command."""
    return envelope_of(result)["results"]


def excluded_of(result: Result) -> list[str]:
    """Return the lines that a command prints for excluded items."""
    return [str(Excluded(**entry)) for entry in envelope_of(result)["excluded"]]
