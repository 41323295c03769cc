"""The engine for many machines: Dask.

Workers import caesura and its kernels; nothing compiled is ever sent. So they must have the same version: that is asked of all
of them before the first task, and of whoever joins later by every task.

A worker that dies takes no result with it: Dask gives its tasks to others. A task that has killed as many workers as Dask
allows (``distributed.scheduler.allowed-failures``), and as many again when it was alone, is given up, and named.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count, islice
from os import PathLike
from typing import Any, TypeVar

from caesura.engines.engine import UNDER_MAIN, Done, Engine, Heard, heard, processors
from caesura.errors import EngineError, OptionError
from caesura.version import __version__

__all__ = ["Cluster"]

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 3  # tasks a thread of a worker: one that runs, and two on their way while results come back
_ANSWER = 10  # seconds for a scheduler to answer
_PATIENCE = 30  # and for workers to come
_KEPT = 2**25  # bytes: more than an array of a batch has; Dask would give back and ask again for everything above 2^16
_runs = count()


class Cluster(Engine):
    """A Dask cluster: the one of a scheduler, or one of this machine's processes that lives as long as the engine."""

    apart = True

    def __init__(self, workers: int | None, scheduler: Any) -> None:
        try:
            import distributed
        except ImportError:
            raise EngineError("engine='dask' needs Dask; install caesura[cluster]") from None
        self._mine: list[Any] = []  # what is to be closed in the end
        if isinstance(scheduler, distributed.Client):
            self._client = scheduler
        elif scheduler is None or isinstance(scheduler, (str, PathLike)):
            self._client = self._connected(distributed, workers, scheduler)
        else:
            raise OptionError(f"scheduler must be an address such as tcp://host:8786, or a Client; got {scheduler!r}")
        try:
            self._wait_for(workers or 1)
            self._check_versions()
        except BaseException:
            self.__exit__()
            raise

    def _connected(self, distributed: Any, workers: int | None, scheduler: Any) -> Any:
        if scheduler is None:
            scheduler = _started(distributed, workers or processors())
            self._mine.append(scheduler)
        try:
            client = distributed.Client(scheduler, timeout=_ANSWER, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as problem:
            said = " ".join(str(problem).split())[:200]
            raise EngineError(f"no Dask scheduler answers at {scheduler}: {said}") from None
        self._mine.append(client)
        return client

    def _wait_for(self, workers: int) -> None:
        try:
            self._client.wait_for_workers(workers, timeout=_PATIENCE)
        except TimeoutError:
            there = len(self._client.nthreads())
            raise EngineError(
                f"the scheduler must have {workers} worker{'s' * (workers > 1)}; after {_PATIENCE} s it has {there}"
            ) from None

    def _check_versions(self) -> None:
        for address, found in self._client.run(version, on_error="return").items():
            if isinstance(found, BaseException):
                raise EngineError(f"worker {address} cannot import caesura {__version__}: {found}")
            _check(address, found)

    @property
    def workers(self) -> int:  # type: ignore[override]
        """Threads of all workers there are now."""
        return sum(self._client.nthreads().values()) or 1

    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[Done[R]]:
        """See :class:`Engine`."""
        import distributed

        run = f"caesura-{__version__}-{id(self):x}-{next(_runs)}"
        coming = enumerate(tasks)
        flying: dict[Any, tuple[int, T]] = {}
        suspects: list[tuple[int, T]] = []
        ready = distributed.as_completed(loop=self._client.loop)
        call = partial(on_worker, __version__, function)

        def send(one: tuple[int, T], attempt: str = "") -> Any:
            future = self._client.submit(call, one[1], key=f"{run}-{one[0]}{attempt}", pure=False)
            flying[future] = one
            return future

        try:
            room = _AHEAD * self.workers
            for one in islice(coming, room):
                ready.add(send(one))
            for future in ready:
                place, task = flying.pop(future)
                try:
                    done: Done[R] | None = Done(place, future.result().told())
                except distributed.scheduler.KilledWorker:
                    done = None
                    suspects.append((place, task))
                future.release()
                if place % 50 == 0:  # workers come and go
                    room = _AHEAD * self.workers
                for one in islice(coming, max(0, room - len(flying))):
                    ready.add(send(one))
                if done is not None:
                    yield done
            # Whatever was waiting on a worker that died is suspect too: do each again, alone.
            for one in suspects:
                future = send(one, "-alone")
                try:
                    yield Done(one[0], future.result().told())
                except distributed.scheduler.KilledWorker:
                    yield Done(one[0], None, "the workers that worked on it died, one after the other")
                del flying[future]
        finally:
            self._client.cancel(list(flying))

    def __exit__(self, *_: object) -> None:
        for one in reversed(self._mine):
            one.close()


def _started(distributed: Any, workers: int) -> Any:
    """Workers of this machine, who keep the memory that they will need again for the next batch."""
    import dask

    names = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")
    with dask.config.set({f"distributed.nanny.pre-spawn-environ.{name}": _KEPT for name in names}):
        try:
            return distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        except (RuntimeError, OSError, TimeoutError) as problem:
            said = " ".join(str(problem).split())[:200]
            raise EngineError(f"Dask cannot start workers on this machine: {said}; {UNDER_MAIN}") from None


def version() -> str:
    """The version of whoever runs this."""
    return __version__


def on_worker(wanted: str, function: Callable[[T], R], task: T) -> Heard[R]:
    """Run on a worker, if it has the version that the driver has."""
    if wanted != __version__:
        from distributed import get_worker

        _check(get_worker().address, __version__, wanted)
    return heard(function, task)


def _check(address: str, found: str, wanted: str = __version__) -> None:
    if found != wanted:
        raise EngineError(
            f"worker {address} has caesura {found}, and {wanted} is needed: install the same version on every worker"
        )
