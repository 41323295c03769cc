"""The excluded items of a result, in the form that tests compare."""

from __future__ import annotations

from typing import Any


def reasons(result: Any) -> dict[str | None, str]:
    """Return item -> reason for the items that a result excluded."""
    return {entry.item: entry.reason for entry in result.excluded if entry.coder is None}
