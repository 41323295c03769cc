"""The engine that runs tasks on threads of this process, or on the calling thread where threads cannot start."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from functools import partial
from itertools import islice

from caesura.engines.engine import Engine, R, T, TaskResult, call_remotely

_TASKS_PER_WORKER = 2  # one that runs and one that waits, so that no worker is idle


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
