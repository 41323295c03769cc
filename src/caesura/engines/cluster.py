"""Engine that runs tasks on many machines with Dask.

Workers import caesura and its kernels; compiled code is never sent. So all workers must have the same version of caesura.
The engine checks their versions before the first task, and every task checks again, because workers may join later.

If a worker dies, Dask gives its tasks to other workers. Dask limits the number of workers that a task may kill
(``distributed.scheduler.allowed-failures``). A task that reaches this limit runs again, alone. If it reaches the limit
once more, the engine gives it up.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count, islice
from os import PathLike
from typing import Any

from caesura.engines.engine import MAIN_GUARD_HINT, Engine, R, RemoteValue, T, TaskResult, call_remotely, processors
from caesura.errors import EngineError, OptionError
from caesura.version import __version__

_TASKS_PER_THREAD = 3  # one that runs, and two that are being sent
_RECOUNT = 50  # number of results after which the workers are counted again
_ANSWER_SECONDS = 10  # time limit for the scheduler to answer
_WORKER_SECONDS = 30  # time limit for workers to connect
_KEPT_MEMORY = 2**25  # bytes: more than an array of a batch; malloc would return and ask again for all above 2^16
_run_numbers = count()


class Cluster(Engine):
    """A Dask cluster: the workers of a scheduler, or processes on this machine that stop when the engine is closed."""

    remote = True

    def __init__(self, workers: int | None, scheduler: Any) -> None:
        try:
            import distributed
        except ImportError:
            raise EngineError("engine='dask' needs Dask; run pip install 'caesura[cluster]'") from None
        self._owned: list[Any] = []  # closed when the engine is closed
        if isinstance(scheduler, distributed.Client):
            self._client = scheduler
        elif scheduler is None or isinstance(scheduler, (str, PathLike)):
            if scheduler is None:
                scheduler = _start_cluster(distributed, workers or processors())
                self._owned.append(scheduler)
            try:
                self._client = distributed.Client(scheduler, timeout=_ANSWER_SECONDS, set_as_default=False)
            except (OSError, ValueError, TimeoutError) as error:
                raise EngineError(f"no Dask scheduler answers at {scheduler}: {_short(error)}") from None
            self._owned.append(self._client)
        else:
            raise OptionError(f"scheduler must be an address such as tcp://host:8786, or a Client; got {scheduler!r}")
        try:
            self._check_workers(workers or 1)
        except BaseException:
            self.__exit__()
            raise

    def _check_workers(self, workers: int) -> None:
        """Wait until the workers are connected, and check that they have this version of caesura."""
        try:
            self._client.wait_for_workers(workers, timeout=_WORKER_SECONDS)
        except TimeoutError:
            present = len(self._client.nthreads())
            raise EngineError(
                f"the scheduler must have {workers} worker{'s' * (workers > 1)}; after {_WORKER_SECONDS} s it has {present}"
            ) from None
        for address, answer in self._client.run(installed_version, on_error="return").items():
            if isinstance(answer, BaseException):
                raise EngineError(f"worker {address} cannot import caesura {__version__}: {answer}")
            _check_version(address, answer, __version__)

    @property
    def workers(self) -> int:  # type: ignore[override]
        """Number of threads of all workers that are connected now."""
        return sum(self._client.nthreads().values()) or 1

    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[TaskResult[R]]:
        import distributed

        run_name = f"caesura-{__version__}-{id(self):x}-{next(_run_numbers)}"
        numbered = enumerate(tasks)
        running: dict[Any, tuple[int, T]] = {}
        suspects: list[tuple[int, T]] = []
        completed = distributed.as_completed(loop=self._client.loop)
        call = partial(run_on_worker, __version__, function)

        def submit(task: tuple[int, T], attempt: str = "") -> Any:
            future = self._client.submit(call, task[1], key=f"{run_name}-{task[0]}{attempt}", pure=False)
            running[future] = task
            return future

        try:
            capacity = _TASKS_PER_THREAD * self.workers
            for task in islice(numbered, capacity):
                completed.add(submit(task))
            for future in completed:
                task = running.pop(future)
                result: TaskResult[R] | None = None
                try:
                    result = TaskResult(task[0], future.result().unwrap())
                except distributed.scheduler.KilledWorker:
                    suspects.append(task)
                future.release()
                if task[0] % _RECOUNT == 0:  # workers come and go
                    capacity = _TASKS_PER_THREAD * self.workers
                for waiting in islice(numbered, max(0, capacity - len(running))):
                    completed.add(submit(waiting))
                if result is not None:
                    yield result
            # A task that was waiting on a dead worker may be the cause too: run each of these tasks again, alone.
            for task in suspects:
                future = submit(task, "-alone")
                try:
                    yield TaskResult(task[0], future.result().unwrap())
                except distributed.scheduler.KilledWorker:
                    yield TaskResult(task[0], None, "its workers died, one after the other")
                del running[future]
        finally:
            self._client.cancel(list(running))

    def __exit__(self, *_: object) -> None:
        for resource in reversed(self._owned):
            resource.close()


def _start_cluster(distributed: Any, workers: int) -> Any:
    """Start workers on this machine that keep their memory for the next batch instead of freeing it."""
    import dask

    names = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_")
    settings: dict[str, Any] = {f"distributed.nanny.pre-spawn-environ.{name}": _KEPT_MEMORY for name in names}
    # Dask always listens for browsers, and answers whatever host they ask for: there are no pages to be had.
    settings |= {f"distributed.{server}.http.routes": [] for server in ("scheduler", "worker")}
    with dask.config.set(settings):
        try:
            return distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
                # Whoever reaches the ports of a cluster can run code in it; its certificate exists only in this process.
                security=distributed.Security.temporary(),
                protocol="tls",
            )
        except (RuntimeError, OSError, TimeoutError) as error:
            raise EngineError(
                f"Dask cannot start workers on this machine: {_short(error)}; {MAIN_GUARD_HINT}"
            ) from None


def installed_version() -> str:
    """Return the version of caesura in the process that calls this."""
    return __version__


def run_on_worker(version: str, function: Callable[[T], R], task: T) -> RemoteValue[R]:
    """Run a task on a worker that has the same version of caesura as the driver."""
    if version != __version__:
        from distributed import get_worker

        _check_version(get_worker().address, __version__, version)
    return call_remotely(function, task)


def _check_version(address: str, installed: str, required: str) -> None:
    if installed != required:
        raise EngineError(
            f"worker {address} has caesura {installed}, but {required} is needed; install the same version on every worker"
        )


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
