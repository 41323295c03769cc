"""Objects that show themselves in a notebook.

How an object looks as HTML is known in ``reporting/``, which stands below the model and which the model must not import. So the
model is told: where the package is put together (``caesura/__init__.py``) it is given a viewer, and what a notebook asks
for is passed on to it.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Shown", "shown_by"]

_viewer: Callable[[object], str] | None = None


def shown_by(viewer: Callable[[object], str]) -> None:
    """From an object to HTML."""
    global _viewer
    _viewer = viewer


class Shown:
    """Has ``_repr_html_``, which notebooks call."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """None where nobody knows how: a notebook then shows the repr."""
        return None if _viewer is None else _viewer(self)
