"""Engines on this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context, parent_process
from typing import TypeVar

from caesura.engines.engine import UNDER_MAIN, Done, Engine, Heard, heard
from caesura.errors import EngineError

__all__ = ["Processes", "Threads"]

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 2  # tasks a worker, so that none waits for its next one


class Threads(Engine):
    """Threads of this process: enough where the work is in kernels, which leave the GIL alone."""

    apart = False

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = ThreadPoolExecutor(workers)

    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[Done[R]]:
        """See :class:`Engine`."""
        coming = enumerate(tasks)
        flying: dict[Future[R], int] = {}
        try:
            while True:
                while len(flying) < _AHEAD * self.workers and (one := next(coming, None)) is not None:
                    flying[self._pool.submit(function, one[1])] = one[0]
                if not flying:
                    return
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    yield Done(flying.pop(future), future.result())
        finally:
            for future in flying:
                future.cancel()

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class Processes(Engine):
    """Processes of this machine, for work that holds the GIL. One that dies is replaced, and its tasks are done again."""

    apart = True

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = self._started(workers)

    @staticmethod
    def _started(workers: int) -> ProcessPoolExecutor:
        # Not forked: libraries that read files have threads of their own, which do not survive a fork.
        return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin)

    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[Done[R]]:
        """See :class:`Engine`."""
        coming = enumerate(tasks)
        call = partial(heard, function)
        flying: dict[Future[Heard[R]], tuple[int, T]] = {}
        suspects: deque[tuple[int, T]] = deque()
        try:
            while True:
                while len(flying) < _AHEAD * self.workers and (one := next(coming, None)) is not None:
                    try:
                        flying[self._pool.submit(call, one[1])] = one
                    except BrokenProcessPool:
                        suspects.append(one)
                        break
                if not flying and not suspects:
                    return
                for future in wait(flying, return_when=FIRST_COMPLETED).done if flying else ():
                    one = flying.pop(future)
                    try:
                        yield Done(one[0], future.result().told())
                    except BrokenProcessPool:
                        suspects.append(one)
                if suspects:  # one of those that were under way has killed its worker: do each again, alone
                    suspects += flying.values()
                    flying.clear()
                    yield from self._alone(call, suspects)
        finally:
            for future in flying:
                future.cancel()

    def _alone(self, call: Callable[[T], Heard[R]], suspects: deque[tuple[int, T]]) -> Iterator[Done[R]]:
        self._probe()
        while suspects:
            place, task = suspects.popleft()
            for attempt in (1, 2):
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = self._started(1)
                try:
                    yield Done(place, self._pool.submit(call, task).result().told())
                    break
                except BrokenProcessPool:
                    if attempt == 2:
                        yield Done(place, None, "the process that worked on it died, twice more when it worked alone")
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._started(self.workers)

    def _probe(self) -> None:
        """Whether processes can be started at all: one runs the script that asked for it from its first line."""
        try:
            with self._started(1) as pool:
                pool.submit(os.getpid).result()
        except BrokenProcessPool:
            raise EngineError(f"engine='processes' cannot start a process; {UNDER_MAIN}") from None

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """Ctrl-C is for the process that a person started; and if that one is killed, nobody waits for this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
