"""Every public name has a docstring with parameters and return value."""

from __future__ import annotations

from support.docstrings import public_names


def test_every_public_name_has_numpydoc_sections() -> None:
    gaps = [f"{name}: {gap}" for name, gap in public_names("caesura") if gap is not None]
    assert gaps == []


def test_public_names_are_listed_once() -> None:
    names = [name for name, _ in public_names("caesura")]
    assert len(names) > 500
    assert len(names) == len(set(names))
