"""Callbacks that report the progress of long computations.

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
        Called in the thread of the ``with`` block with the number of finished steps, which has a fraction if a step
        reports its own progress, and the maximum number of steps, which is None if it is not known. If the callback
        itself is None, progress is not reported.
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


def report_progress(done: float, total: int | None, detail: Any = None) -> None:
    """Report the number of finished steps to the callback of ``on_progress``, if there is one."""
    _call(_callback.get(), done, total, detail)


def _call(registered: tuple[Callback, bool] | None, done: float, total: int | None, detail: Any = None) -> None:
    if registered is not None:
        callback, with_detail = registered
        callback(*((done, total, detail) if with_detail else (done, total)))


@contextmanager
def progress_step(number: int, total: int) -> Iterator[None]:
    """Report the end of step ``number`` of ``total``, from 1; what the ``with`` block reports counts as a fraction of it."""
    outer, furthest = _callback.get(), 0.0

    def report(done: float, steps: int | None, _detail: Any) -> None:
        nonlocal furthest
        if (
            steps and furthest < done / steps < 1
        ):  # a step of several parts, each with its own progress, never goes back
            furthest = done / steps
            _call(outer, number - 1 + furthest, total)

    with on_progress(None if outer is None else report, with_detail=True):
        yield
    _call(outer, number, total)
