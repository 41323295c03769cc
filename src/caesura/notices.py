"""Warnings that belong to a computation, also if several threads compute at the same time.

Python's ``warnings.catch_warnings`` changes the whole process, so that threads lose or mix up their warnings. All warnings
of this package are issued with :func:`warn`. Inside ``with collect_warnings():`` they go to the list of that block, which
other threads do not share. Engines bring the warnings of their workers back to the thread that called them. Warnings about a
file are also in ``corpus.reading.warnings``, and those about a computation in ``result.warnings``.

>>> with collect_warnings() as messages:
...     warn("few items")
>>> messages
['few items']
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from caesura.errors import CaesuraWarning

_INSIDE = ("caesura", "contextlib", "functools")  # modules between the caller and the place of a warning
_receiver: ContextVar[Callable[[str], None] | None] = ContextVar("caesura_warnings", default=None)


def warn(message: str) -> None:
    """Issue a warning of the category ``CaesuraWarning``."""
    (_receiver.get() or _warn_caller)(message)


def _warn_caller(message: str) -> None:
    """Issue a Python warning that points to the line outside this package from which it was called."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, CaesuraWarning, stacklevel=level)


def issue(messages: Iterable[str]) -> None:
    """Issue warnings that were collected elsewhere."""
    for message in messages:
        warn(message)


def silence(*, module: str = "", message: str = "") -> None:
    """Ignore warnings of another library from now on. The filter is for the process; adding it again changes nothing."""
    pattern = rf"{module}(\.|$)" if module else ""
    warnings.filterwarnings("ignore", message=message, module=pattern)


@contextmanager
def on_warning(receiver: Callable[[str], None]) -> Iterator[None]:
    """Call a function with the text of every warning that is issued in the ``with`` block, in this thread."""
    token = _receiver.set(receiver)
    try:
        yield
    finally:
        _receiver.reset(token)


@contextmanager
def record_warnings() -> Iterator[list[str]]:
    """Collect the warnings that are issued in the ``with`` block, which go where they would go without it, too."""
    messages: list[str] = []
    outer = _receiver.get() or _warn_caller

    def add(message: str) -> None:
        if message not in messages:
            messages.append(message)
        outer(message)

    with on_warning(add):
        yield messages


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """Collect the warnings that are issued in the ``with`` block, in this thread and by the engines that it uses.

    Yields
    ------
    list of str
        The texts of the warnings so far, each once, in order.
    """
    messages: list[str] = []

    def add(message: str) -> None:
        if message not in messages:
            messages.append(message)

    with on_warning(add):
        yield messages
