"""Interface of all engines, and functions that open an engine."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from caesura.errors import EngineError, OptionError
from caesura.notices import collect_warnings, issue
from caesura.options import choice, optional, whole

T = TypeVar("T")
R = TypeVar("R")

ENGINES = ("threads", "processes", "dask")
# Hint for error messages: a new process runs the user's script again from its first line.
MAIN_GUARD_HINT = 'in a script, call it under if __name__ == "__main__":'

_check_name = choice(*ENGINES)
_check_workers = optional(whole(1, 10_000))


@dataclass(frozen=True, slots=True)
class TaskResult(Generic[R]):
    """Outcome of one task."""

    index: int  # number of the task, from 0
    value: R | None  # return value of the function; None if the task failed
    # Reason why the engine gave up the task (its worker died every time); None if it succeeded.
    failure: str | None = None

    def unwrap(self) -> R:
        """Return the value."""
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

    value: R  # return value of the function
    warnings: tuple[str, ...]  # messages of its ``CaesuraWarning`` warnings, without duplicates

    def unwrap(self) -> R:
        """Issue the warnings in this thread and return the value."""
        issue(self.warnings)
        return self.value


def call_remotely(function: Callable[[T], R], task: T) -> RemoteValue[R]:
    """Call a function on a worker and collect its warnings, which would otherwise be lost."""
    with collect_warnings() as messages:
        value = function(task)
    return RemoteValue(value, tuple(messages))


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
    from caesura.engines.threads import Threads

    return Threads(workers or processors())


def check_engine(engine: str | Engine, workers: int | None = None, scheduler: Any = None) -> None:
    """Raise an error if the arguments of an engine are invalid."""
    if isinstance(engine, Engine):
        if workers is not None or scheduler is not None:
            raise OptionError("an open engine already has its workers; leave out workers and scheduler")
        return
    _check_name("engine", engine)
    _check_workers("workers", workers)
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
