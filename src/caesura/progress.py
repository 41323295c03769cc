"""Progress of long work, for whoever wants to show it.

>>> calls = []
>>> with on_progress(lambda done, total: calls.append((done, total))):
...     report_progress(1, 2)
>>> calls
[(1, 2)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["on_progress", "report_progress"]

Callback = Callable[[int, int], None]

_callback: ContextVar[Callback | None] = ContextVar("caesura_progress", default=None)


@contextmanager
def on_progress(callback: Callback | None) -> Iterator[None]:
    """Call ``callback(done, total)`` whenever work inside the ``with`` block advances.

    Parameters
    ----------
    callback : callable or None
        Called in the thread of the ``with`` block with the number of finished steps and the largest number there can be.
        None silences progress.

    Yields
    ------
    None
    """
    token = _callback.set(callback)
    try:
        yield
    finally:
        _callback.reset(token)


def report_progress(done: int, total: int) -> None:
    """Tell the callback of :func:`on_progress`, if there is one, how far the work is.

    Parameters
    ----------
    done : int
        Number of finished steps.
    total : int
        Largest number of steps there can be.
    """
    callback = _callback.get()
    if callback is not None:
        callback(done, total)
