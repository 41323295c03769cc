"""The engine that runs tasks in processes on this machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from functools import partial
from multiprocessing import get_context, parent_process

from caesura.engines.engine import MAIN_GUARD_HINT, Engine, R, RemoteValue, T, TaskResult, call_remotely, finished_tasks
from caesura.errors import EngineError


class Processes(Engine):
    """Engine that runs tasks in processes on this machine, for work that holds the GIL."""

    # A process that dies is replaced, and its tasks run again. The engine gives up a task that kills its process every time.

    remote = True

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = _start_pool(workers)

    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[TaskResult[R]]:
        call = partial(call_remotely, function)
        with closing(finished_tasks(partial(self._submit, call), tasks, self.workers)) as finished:
            for index, task, future in finished:
                try:
                    yield TaskResult(index, future.result().unwrap())
                except BrokenProcessPool:
                    # A task that kills its process ends all of them. Run each of the tasks again, alone.
                    yield _run_alone(call, index, task)

    def _submit(self, call: Callable[[T], RemoteValue[R]], task: T) -> Future[RemoteValue[R]]:
        try:
            return self._pool.submit(call, task)
        except BrokenProcessPool:
            self._pool = _start_pool(self.workers)
            return self._pool.submit(call, task)

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def _run_alone(call: Callable[[T], RemoteValue[R]], index: int, task: T) -> TaskResult[R]:
    """Run a task in a process of its own, at most twice."""
    try:
        with _start_pool(1) as pool:
            pool.submit(os.getpid).result()
    except BrokenProcessPool:  # no process can start: each runs the user's script again from its first line
        raise EngineError(f"engine='processes' cannot start a process; {MAIN_GUARD_HINT}") from None
    for _ in range(2):
        with suppress(BrokenProcessPool), _start_pool(1) as pool:
            return TaskResult(index, pool.submit(call, task).result().unwrap())
    return TaskResult(index, None, "its process died, and twice more when the task ran alone")


def _start_pool(workers: int) -> ProcessPoolExecutor:
    # Not forked: libraries that read files have threads of their own, which do not survive a fork.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin_process)


def _begin_process() -> None:
    """Ignore Ctrl-C, which the parent process handles, and exit if the parent process is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
