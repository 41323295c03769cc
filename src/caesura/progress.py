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
from typing import Any

Callback = Callable[..., None]

_callback: ContextVar[tuple[Callback, bool] | None] = ContextVar("caesura_progress", default=None)


@contextmanager
def on_progress(callback: Callback | None, *, with_detail: bool = False) -> Iterator[None]:
    """Call ``callback(done, total)`` whenever work inside the ``with`` block advances.

    Parameters
    ----------
    callback : callable or None
        Called in the thread of the ``with`` block with the number of finished steps and the largest number there can be,
        which is None if it is not known. None silences progress.
    with_detail : bool, default False
        Call ``callback(done, total, detail)`` instead. The detail is an
        :class:`~caesura.evaluation.result.EvaluationProgress` in :func:`~caesura.evaluate`, and None elsewhere.

    Yields
    ------
    None
    """
    token = _callback.set(None if callback is None else (callback, with_detail))
    try:
        yield
    finally:
        _callback.reset(token)


def report_progress(done: int, total: int | None, detail: Any = None) -> None:
    """Tell the callback of :func:`on_progress`, if there is one, how far the work is.

    Parameters
    ----------
    done : int
        Number of finished steps.
    total : int or None
        Largest number of steps there can be; None if it is not known.
    detail : object, optional
        More about the work, for callbacks that ask for it.
    """
    registered = _callback.get()
    if registered is not None:
        callback, with_detail = registered
        callback(*((done, total, detail) if with_detail else (done, total)))
