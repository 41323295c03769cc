"""Functions of higher layers that the model calls: the converter of data frames and the renderer of notebooks.

``formats/`` and ``views/`` contain them, but the model must not import these folders. ``caesura/__init__.py`` therefore
registers them here. This module imports nothing else, so that the package can be imported without numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_frames: Callable[[], Any] | None = None
_renderer: Callable[[object], str] | None = None


def register_frames(frames: Callable[[], Any]) -> None:
    """Register the converter of data frames.

    Parameters
    ----------
    frames : callable
        Function that returns a module with the functions ``read(frame, **options)`` and ``write(corpus)``.
    """
    global _frames
    _frames = frames


def register_renderer(renderer: Callable[[object], str]) -> None:
    """Register the function that turns an object into HTML.

    Parameters
    ----------
    renderer : callable
        Function that takes an object and returns HTML.
    """
    global _renderer
    _renderer = renderer


def converter() -> Any:
    """Return the converter of data frames.

    Returns
    -------
    module
        The module that was registered.
    """
    assert _frames is not None
    return _frames()


def render(value: object) -> str | None:
    """Return an object as HTML.

    Parameters
    ----------
    value : object
        The object.

    Returns
    -------
    str or None
        The HTML; None if no renderer is registered.
    """
    return None if _renderer is None else _renderer(value)
