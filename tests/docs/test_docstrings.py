"""Every public name is documented, with its parameters and what it returns."""

from __future__ import annotations

from support.docstrings import public_names


def test_every_public_name_has_numpydoc_sections() -> None:
    gaps = [f"{name}: {gap}" for name, gap in public_names("caesura") if gap is not None]
    assert gaps == []


def test_gaps_are_found() -> None:
    names = [name for name, _ in public_names("caesura")]
    assert len(names) > 500
    assert len(names) == len(set(names))
