"""Progress of long work on standard error."""

from __future__ import annotations

import sys
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

import click

from caesura.cli.program import PROGRESS
from caesura.progress import on_progress

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from caesura.evaluation.result import EvaluationProgress

# Seconds between two lines of progress if there is no terminal.
LINE_INTERVAL = 5.0


class Progress:
    """Progress on standard error, as reported by ``report_progress`` inside the ``with`` block of this object."""

    # A terminal shows a bar; elsewhere, there is a line every few seconds. Work without steps shows nothing.

    def __init__(self, steps: str = "steps") -> None:
        self.steps = steps
        self.finished = 0.0
        self.started = self.last_step = self.last_line = monotonic()
        self._on_terminal = sys.stderr.isatty()
        self._bar: RichProgress | None = None
        self._subscription = on_progress(self.update, with_detail=True)

    def __enter__(self) -> Self:
        self._subscription.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._subscription.__exit__(*error)
        self.clear()

    def clear(self) -> None:
        """Remove the bar from the terminal until the next step."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def update(self, finished: float, total: int | None, detail: EvaluationProgress | None = None) -> None:
        """Show the number of finished steps. If the number decreases, a new run has begun."""
        if finished < self.finished:
            self.started = self.last_step
        self.finished, self.last_step = finished, monotonic()
        if detail is not None:
            speed = _pace(detail.documents - detail.resumed_documents, detail.seconds, detail.seconds_left)
            speed = f"{detail.documents:,} documents, {speed}"
        else:
            seconds = self.last_step - self.started
            remaining = seconds / finished * (total - finished) if finished and total is not None else None
            speed = _pace(finished, seconds, remaining)
        status = f"{int(finished):,}{'' if total is None else f' of {total:,}'} {self.steps}"
        click.get_current_context().meta[PROGRESS] = status
        if self._on_terminal:
            self._bar = self._bar or self._new_bar()
            task = self._bar.task_ids[0]
            self._bar.update(task, completed=finished, total=total, description=f"{status}, {speed}")
            if not self._bar.live.auto_refresh:
                self._bar.refresh()
        elif monotonic() - self.last_line >= LINE_INTERVAL:
            self.last_line = monotonic()
            click.echo(f"caesura: {status}, {speed}", err=True)

    def _new_bar(self) -> RichProgress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        from caesura.engines.engine import threads_start

        description = TextColumn("{task.description}")
        # The bar moves between two steps on a thread of its own, if there are threads.
        bar = Progress(
            BarColumn(), description, console=Console(stderr=True), transient=True, auto_refresh=threads_start()
        )
        bar.add_task("", total=None)
        bar.start()
        return bar


def _pace(finished: float, seconds: float, remaining: float | None) -> str:
    """Return speed and remaining time as text: ``"1,200 per second, 0:01:10 left"``."""
    rate = finished / seconds if seconds > 0 else 0.0
    speed = f"{rate:,.0f} per second" if rate >= 10 else f"{rate:.1f} per second"
    return speed if remaining is None else f"{speed}, {timedelta(seconds=round(remaining))} left"
