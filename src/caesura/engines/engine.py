"""Interface of all engines, functions that open an engine, and the engine of threads."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Generic, Self, TypeVar

from caesura.errors import EngineError, OptionError
from caesura.notices import collect_warnings, issue
from caesura.options import choice, optional, whole

T = TypeVar("T")
R = TypeVar("R")

ENGINES = ("threads", "processes", "dask")
# Hint for error messages: a new process runs the user's script again from its first line.
MAIN_GUARD_HINT = 'in a script, call it under if __name__ == "__main__":'

_TASKS_PER_WORKER = 2  # one that runs and one that waits, so that no worker is idle


@dataclass(frozen=True, slots=True)
class TaskResult(Generic[R]):
    index: int  # number of the task, from 0
    value: R | None  # return value of the function; None if the task failed
    failure: str | None = None  # why the engine gave up the task: its worker died every time

    def unwrap(self) -> R:
        if self.failure is not None:
            raise EngineError(self.failure)
        return self.value  # type: ignore[return-value]


class Engine(AbstractContextManager["Engine"], ABC):
    """Base class of engines, which run functions on workers. Use it in a ``with`` block; the workers stop at its end."""

    workers: int  # number of tasks that run at the same time
    remote: bool  # whether tasks run in other processes, so that tasks and results are pickled

    @abstractmethod
    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[TaskResult[R]]:
        """Call ``function(task)`` for every task, and yield results in the order in which they finish."""

    def map(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Call ``function(task)`` for every task, and yield values in the order of the tasks."""
        waiting: dict[int, TaskResult[R]] = {}
        following = 0
        for result in self.run(function, tasks):
            waiting[result.index] = result
            while following in waiting:
                yield waiting.pop(following).unwrap()
                following += 1

    def __enter__(self) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class RemoteValue(Generic[R]):
    """Return value of a function in another thread or process, with the warnings that it issued there."""

    value: R
    warnings: tuple[str, ...]  # messages, without duplicates

    def unwrap(self) -> R:
        """Issue the warnings in this thread and return the value."""
        issue(self.warnings)
        return self.value


def call_remotely(function: Callable[[T], R], task: T) -> RemoteValue[R]:
    """Call a function on a worker and collect its warnings, which would otherwise be lost."""
    with collect_warnings() as messages:
        value = function(task)
    return RemoteValue(value, tuple(messages))


class Threads(Engine):
    """Engine that runs tasks on threads of this process. This suffices if the work is in kernels, which release the GIL."""

    # Python in a browser (Pyodide) has no threads. There, tasks run one after the other on the calling thread.

    remote = False

    def __init__(self, workers: int) -> None:
        self.workers = workers if threads_start() else 1
        self._pool = ThreadPoolExecutor(self.workers) if self.workers > 1 else None

    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[TaskResult[R]]:
        pool = self._pool
        if pool is None:
            for index, task in enumerate(tasks):
                yield TaskResult(index, function(task))
            return
        call = partial(call_remotely, function)
        with closing(finished_tasks(partial(pool.submit, call), tasks, self.workers)) as finished:
            for index, _, future in finished:
                yield TaskResult(index, future.result().unwrap())

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def threads_start() -> bool:
    """Return whether this Python can start a thread. Python in a browser cannot."""
    thread = threading.Thread(target=int)
    try:
        thread.start()
    except RuntimeError:
        return False
    thread.join()
    return True


def finished_tasks(
    submit: Callable[[T], Future[R]], tasks: Iterable[T], workers: int
) -> Generator[tuple[int, T, Future[R]], None, None]:
    """Submit tasks while workers are free, and yield each task when it is finished."""
    numbered = enumerate(tasks)
    running: dict[Future[R], tuple[int, T]] = {}
    try:
        while True:
            for index, task in islice(numbered, max(0, _TASKS_PER_WORKER * workers - len(running))):
                running[submit(task)] = index, task
            if not running:
                return
            done = wait(running, return_when=FIRST_COMPLETED).done
            for future in sorted(done, key=lambda future: running[future][0]):
                yield *running.pop(future), future
    finally:
        for future in running:
            future.cancel()


def open_engine(name: str = "threads", workers: int | None = None, scheduler: Any = None) -> Engine:
    """Open an engine; use it in a ``with`` block.

    Parameters
    ----------
    name : {"threads", "processes", "dask"}
        Threads of this process, processes of this machine, or a Dask cluster.
    workers : int, optional
        Number of threads or processes (default: one per processor). With a ``scheduler``: number of workers to wait for.
    scheduler : str or distributed.Client, optional
        Address or client of a Dask scheduler. Without it ``"dask"`` starts workers on this machine.

    Returns
    -------
    Engine
        The engine; pass it as ``engine=`` to any function with this parameter.

    Raises
    ------
    OptionError
        If an argument is invalid.
    EngineError
        If the scheduler or its workers cannot be reached, or workers have a different version of caesura.

    Examples
    --------
    >>> with open_engine("threads", workers=2) as engine:
    ...     list(engine.map(abs, [-1, -2, -3]))
    [1, 2, 3]
    """
    check_engine(name, workers, scheduler)
    if name == "dask":
        from caesura.engines.cluster import Cluster

        return Cluster(workers, scheduler)
    if name == "processes":
        from caesura.engines.processes import Processes  # Python in a browser cannot import its modules

        return Processes(workers or processors())
    return Threads(workers or processors())


def check_engine(engine: str | Engine, workers: int | None = None, scheduler: Any = None) -> None:
    if isinstance(engine, Engine):
        if workers is not None or scheduler is not None:
            raise OptionError("an open engine already has its workers; leave out workers and scheduler")
        return
    choice(*ENGINES)("engine", engine)
    optional(whole(1, 10_000))("workers", workers)
    if scheduler is not None and engine != "dask":
        raise OptionError(f"scheduler is for engine='dask'; with engine={engine!r} leave it out")


def use_engine(
    engine: str | Engine, workers: int | None = None, scheduler: Any = None
) -> AbstractContextManager[Engine]:
    """Return a context manager that gives an engine. It closes the engine at the end only if it opened it by name."""
    check_engine(engine, workers, scheduler)
    return nullcontext(engine) if isinstance(engine, Engine) else open_engine(engine, workers, scheduler)


def processors() -> int:
    """Return the number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0)) or 1
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
