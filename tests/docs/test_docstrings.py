"""Every public name has a docstring with parameters and return value."""

from __future__ import annotations

import caesura
from support.docstrings import function_gap, public_names


def test_every_public_name_has_numpydoc_sections() -> None:
    gaps = [f"{name}: {gap}" for name, gap in public_names(caesura) if gap is not None]
    assert gaps == []


def test_public_names_are_listed_once() -> None:
    names = [name for name, _ in public_names(caesura)]
    assert len(names) > 300
    assert len(names) == len(set(names))


def without_sections(level: float) -> float:
    """Return a number."""
    return level


def without_returns(level: float) -> float:
    """Return a number.

    Parameters
    ----------
    level : float
        The number.
    """
    return level


def test_missing_sections_are_found() -> None:
    assert function_gap(without_sections) == "no Parameters section"
    assert function_gap(without_returns) == "no Returns section"
