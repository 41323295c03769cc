"""Progress on standard error: a bar on a terminal, and occasional lines if there is no terminal."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, Self

import click

from caesura.cli.program import PROGRESS
from caesura.progress import on_progress

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

LINE_INTERVAL = 5.0
"""Seconds between two lines if there is no terminal."""


class ProgressDisplay:
    """A progress bar or progress lines. The first step starts the display, so work without steps shows nothing."""

    def __init__(self) -> None:
        self.bar: RichProgress | None = None
        self.on_terminal = sys.stderr.isatty()
        self.started = self.last_line = monotonic()

    def __enter__(self) -> Self:
        return self

    def show(self, status: str, details: str, finished: int, total: int | None) -> None:
        """Show the progress of the work.

        Parameters
        ----------
        status : str
            Finished part of the work, such as ``"20 of 100 draws"``.
        details : str
            Speed and remaining time.
        finished : int
            Number of finished steps.
        total : int or None
            Total number of steps, if it is known.
        """
        click.get_current_context().meta[PROGRESS] = status
        if self.on_terminal:
            if self.bar is None:
                self.bar = self._new_bar()
            self.bar.update(self.bar.task_ids[0], completed=finished, total=total, description=f"{status}, {details}")
        elif monotonic() - self.last_line >= LINE_INTERVAL:
            self.last_line = monotonic()
            click.echo(f"caesura: {status}, {details}", err=True)

    def _new_bar(self) -> RichProgress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (BarColumn(), TextColumn("{task.description}"))
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task("", total=None)
        bar.start()
        return bar

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()


class Progress(ProgressDisplay):
    """Display for work in equal steps, such as draws. It shows the calls of ``report_progress`` inside its block.

    Parameters
    ----------
    steps : str
        Name of the steps, in the plural.
    """

    def __init__(self, steps: str) -> None:
        super().__init__()
        self.steps = steps
        self.finished = 0
        self.last_step = self.started
        self._listening = ExitStack()

    def __enter__(self) -> Self:
        self._listening.enter_context(on_progress(self.update))
        return self

    def __exit__(self, *error: object) -> None:
        self._listening.close()
        super().__exit__(*error)

    def update(self, finished: int, total: int) -> None:
        """Show the number of finished steps. If the number decreases, a new run has begun.

        Parameters
        ----------
        finished : int
            Number of finished steps.
        total : int
            Total number of steps.
        """
        now = monotonic()
        if finished < self.finished:
            self.started = self.last_step
        self.finished, self.last_step = finished, now
        seconds = now - self.started
        remaining = seconds / finished * (total - finished) if finished else None
        self.show(f"{finished:,} of {total:,} {self.steps}", pace(finished, seconds, remaining), finished, total)


def pace(finished: int, seconds: float, remaining: float | None) -> str:
    """Return speed and remaining time as text.

    Parameters
    ----------
    finished : int
        Number of finished steps.
    seconds : float
        Time that these steps took.
    remaining : float or None
        Estimated seconds for the remaining steps, if known.

    Returns
    -------
    str
        ``"1,200 per second, 0:01:10 left"``.
    """
    rate = finished / seconds if seconds > 0 else 0.0
    speed = f"{rate:,.0f} per second" if rate >= 10 else f"{rate:.1f} per second"
    return speed if remaining is None else f"{speed}, {timedelta(seconds=round(remaining))} left"
