"""Engines that run tasks on this machine, on threads or in processes."""

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

from caesura.engines.engine import MAIN_GUARD_HINT, Engine, R, RemoteValue, T, TaskResult, call_remotely
from caesura.errors import EngineError

Numbered = tuple[int, T]

_TASKS_PER_WORKER = 2  # one that runs and one that waits, so that no worker is idle


class Threads(Engine):
    """Engine that runs tasks on threads of this process. This suffices if the work is in kernels, which release the GIL.

    Parameters
    ----------
    workers : int
        Number of threads.
    """

    remote = False

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = ThreadPoolExecutor(workers)

    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[TaskResult[R]]:
        numbered = enumerate(tasks)
        running: dict[Future[R], int] = {}
        try:
            while True:
                while len(running) < _TASKS_PER_WORKER * self.workers and (entry := next(numbered, None)) is not None:
                    running[self._pool.submit(function, entry[1])] = entry[0]
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield TaskResult(running.pop(future), future.result())
        finally:
            for future in running:
                future.cancel()

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class Processes(Engine):
    """Engine that runs tasks in processes on this machine, for work that holds the GIL.

    A process that dies is replaced, and its tasks run again. The engine gives up a task that kills its process every
    time.

    Parameters
    ----------
    workers : int
        Number of processes.
    """

    remote = True

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = _start_pool(workers)

    def run(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[TaskResult[R]]:
        numbered = enumerate(tasks)
        call = partial(call_remotely, function)
        running: dict[Future[RemoteValue[R]], Numbered[T]] = {}
        suspects: deque[Numbered[T]] = deque()
        try:
            while True:
                self._submit(call, numbered, running, suspects)
                if not running and not suspects:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done if running else ():
                    task = running.pop(future)
                    try:
                        yield TaskResult(task[0], future.result().unwrap())
                    except BrokenProcessPool:
                        suspects.append(task)
                if suspects:  # one of the running tasks killed its worker: run each of them again, alone
                    suspects += running.values()
                    running.clear()
                    yield from self._run_alone(call, suspects)
        finally:
            for future in running:
                future.cancel()

    def _submit(
        self,
        call: Callable[[T], RemoteValue[R]],
        numbered: Iterator[Numbered[T]],
        running: dict[Future[RemoteValue[R]], Numbered[T]],
        suspects: deque[Numbered[T]],
    ) -> None:
        """Send tasks until every worker has enough of them."""
        while len(running) < _TASKS_PER_WORKER * self.workers and (task := next(numbered, None)) is not None:
            try:
                running[self._pool.submit(call, task[1])] = task
            except BrokenProcessPool:
                suspects.append(task)
                return

    def _run_alone(self, call: Callable[[T], RemoteValue[R]], suspects: deque[Numbered[T]]) -> Iterator[TaskResult[R]]:
        _check_start()
        while suspects:
            index, task = suspects.popleft()
            for attempt in (1, 2):
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = _start_pool(1)
                try:
                    yield TaskResult(index, self._pool.submit(call, task).result().unwrap())
                    break
                except BrokenProcessPool:
                    if attempt == 2:
                        yield TaskResult(index, None, "its process died, and twice more when the task ran alone")
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = _start_pool(self.workers)

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def _start_pool(workers: int) -> ProcessPoolExecutor:
    # Not forked: libraries that read files have threads of their own, which do not survive a fork.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin_process)


def _check_start() -> None:
    """Raise ``EngineError`` if no process can start. (Each process runs the user's script again from its first line.)"""
    try:
        with _start_pool(1) as pool:
            pool.submit(os.getpid).result()
    except BrokenProcessPool:
        raise EngineError(f"engine='processes' cannot start a process; {MAIN_GUARD_HINT}") from None


def _begin_process() -> None:
    """Ignore Ctrl-C, which the parent process handles, and exit if the parent process is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
