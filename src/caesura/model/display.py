"""Objects that notebooks display as HTML.

The HTML is made by ``views/``, which the model must not import. ``caesura/__init__.py`` therefore registers the renderer
with the model.
"""

from __future__ import annotations

from collections.abc import Callable

_renderer: Callable[[object], str] | None = None


def register_renderer(renderer: Callable[[object], str]) -> None:
    """Register the function that turns an object into HTML."""
    global _renderer
    _renderer = renderer


class Displayed:
    """Mixin with ``_repr_html_``, the method that notebooks call."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """Return the object as HTML, or None if no renderer is registered."""
        return None if _renderer is None else _renderer(self)
