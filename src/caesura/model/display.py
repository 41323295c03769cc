"""Objects that notebooks display as HTML.

``views/`` creates the HTML, but the model must not import it. ``caesura/__init__.py`` therefore registers the renderer
with the model.
"""

from __future__ import annotations

from collections.abc import Callable

_renderer: Callable[[object], str] | None = None


def register_renderer(renderer: Callable[[object], str]) -> None:
    """Register the function that turns an object into HTML.

    Parameters
    ----------
    renderer : callable
        Function that takes an object and returns HTML.
    """
    global _renderer
    _renderer = renderer


class Displayed:
    """Mixin with ``_repr_html_``, the method that notebooks call."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """Return the object as HTML, or None if no renderer is registered."""
        return None if _renderer is None else _renderer(self)


def count_of(number: int, noun: str) -> str:
    """Return a number followed by its noun in the singular or plural.

    Parameters
    ----------
    number : int
        The count.
    noun : str
        The noun in the singular.

    Returns
    -------
    str

    Examples
    --------
    >>> count_of(1, "span"), count_of(2, "span")
    ('1 span', '2 spans')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
