"""What all engines have in common, and the way to one of them."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

from caesura.errors import CaesuraWarning, EngineError, OptionError

__all__ = ["ENGINES", "Done", "Engine", "check_engine", "open_engine", "using"]

T = TypeVar("T")
R = TypeVar("R")

ENGINES = ("threads", "processes", "dask")
UNDER_MAIN = 'in a script, call it under if __name__ == "__main__":'
"""A new process runs the script that asked for it, from its first line."""


@dataclass(frozen=True, slots=True)
class Done(Generic[R]):
    """What became of a task: a value, or why there is none because its worker died every time."""

    place: int
    """Of the task, from 0 on."""
    value: R | None
    lost: str | None = None

    def result(self) -> R:
        """The value; ``EngineError`` if the task was lost."""
        if self.lost is not None:
            raise EngineError(self.lost)
        return self.value  # type: ignore[return-value]


class Engine(AbstractContextManager["Engine"], ABC):
    """A place where functions run. Used in a ``with``, at whose end its workers are gone."""

    workers: int
    """How many tasks run at the same time."""
    apart: bool
    """Whether tasks and results are pickled, because they go to other processes."""

    @abstractmethod
    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[Done[R]]:
        """``function(task)`` for every task, in the order in which they are done. What the function raises is raised."""

    def map(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """``function(task)`` for every task, in the order of the tasks; ``EngineError`` where one was lost."""
        waiting: dict[int, Done[R]] = {}
        following = 0
        for done in self.run(function, tasks):
            waiting[done.place] = done
            while following in waiting:
                yield waiting.pop(following).result()
                following += 1

    def __enter__(self) -> Self:
        return self


@dataclass(frozen=True, slots=True)
class Heard(Generic[R]):
    """What a function gave in another process, and what it warned of there."""

    value: R
    warnings: tuple[str, ...]

    def told(self) -> R:
        """The value; the warnings are given here."""
        for said in self.warnings:
            warnings.warn(said, CaesuraWarning, stacklevel=4)
        return self.value


def heard(function: Callable[[T], R], task: T) -> Heard[R]:
    """Run in another process. Nobody reads what is printed there, so warnings come back with the value."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CaesuraWarning)
        value = function(task)
    said = (str(one.message) for one in caught if issubclass(one.category, CaesuraWarning))
    return Heard(value, tuple(dict.fromkeys(said)))


def open_engine(name: str = "threads", workers: int | None = None, scheduler: Any = None) -> Engine:
    """The engine of this name.

    ``workers``: how many threads or processes, by default as many as there are processors; with a ``scheduler``, which is
    the address of a Dask scheduler or a ``distributed.Client``, how many workers to wait for.
    """
    check_engine(name, workers, scheduler)
    if name == "dask":
        from caesura.engines.cluster import Cluster

        return Cluster(workers, scheduler)
    from caesura.engines.local import Processes, Threads

    return (Threads if name == "threads" else Processes)(workers or processors())


def check_engine(engine: str | Engine, workers: int | None, scheduler: Any) -> None:
    """What cannot be asked for is an ``OptionError``, also where there is too little to do to open an engine."""
    if isinstance(engine, Engine):
        if workers is not None or scheduler is not None:
            raise OptionError("an engine that is open has its workers; leave workers and scheduler out")
        return
    if engine not in ENGINES:
        raise OptionError(f"engine must be one of {', '.join(ENGINES)}; got {engine!r}")
    if workers is not None and (
        isinstance(workers, bool) or not isinstance(workers, int) or not 1 <= workers <= 10_000
    ):
        raise OptionError(f"workers must be a whole number from 1 to 10000; got {workers!r}")
    if scheduler is not None and engine != "dask":
        raise OptionError(f"scheduler is for engine='dask'; with engine={engine!r} leave it out")


def using(engine: str | Engine, workers: int | None = None, scheduler: Any = None) -> AbstractContextManager[Engine]:
    """The engine of this name, closed at the end of the ``with``; one that is open already is used, and stays open."""
    check_engine(engine, workers, scheduler)
    return nullcontext(engine) if isinstance(engine, Engine) else open_engine(engine, workers, scheduler)


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0)) or 1
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
