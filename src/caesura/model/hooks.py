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
    global _frames
    _frames = frames


def register_renderer(renderer: Callable[[object], str]) -> None:
    global _renderer
    _renderer = renderer


def converter() -> Any:
    assert _frames is not None
    return _frames()


def render(value: object) -> str | None:
    return None if _renderer is None else _renderer(value)
