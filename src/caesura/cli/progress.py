"""How far long work has come: a bar on a terminal, a line now and then elsewhere, on standard error."""

from __future__ import annotations

import sys
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING, Self

import click

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

__all__ = ["SO_FAR", "Progress", "Watched", "paced"]

SO_FAR = "caesura.so_far"
"""Where a command keeps how far it has come, for whoever stops it."""


class Watched:
    """Displayed from the first step on, so that what takes none has no bar."""

    every = 5.0  # seconds between two lines

    def __init__(self) -> None:
        self.bar: RichProgress | None = None
        self.on_terminal = sys.stderr.isatty()
        self.began = self._said = monotonic()

    def __enter__(self) -> Self:
        return self

    def show(self, so_far: str, rest: str, made: int, total: int | None) -> None:
        """How far it is, and what else is to be told."""
        click.get_current_context().meta[SO_FAR] = so_far
        if self.on_terminal:
            if self.bar is None:
                self.bar = self._started()
            self.bar.update(self.bar.task_ids[0], completed=made, total=total, description=f"{so_far}, {rest}")
        elif monotonic() - self._said >= self.every:
            self._said = monotonic()
            click.echo(f"caesura: {so_far}, {rest}", err=True)

    def _started(self) -> RichProgress:
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


class Progress(Watched):
    """Of work in equal steps, such as draws."""

    def __init__(self, steps: str) -> None:
        super().__init__()
        self.steps = steps
        self.made = 0
        self.last = self.began

    def told(self, made: int, total: int) -> None:
        """So many are done; fewer than before where another run has begun."""
        now = monotonic()
        if made < self.made:
            self.began = self.last
        self.made, self.last = made, now
        seconds = now - self.began
        left = seconds / made * (total - made) if made else None
        self.show(f"{made:,} of {total:,} {self.steps}", paced(made, seconds, left), made, total)


def paced(made: int, seconds: float, left: float | None) -> str:
    """How many a second, and how long the rest will take."""
    rate = made / seconds if seconds > 0 else 0.0
    said = f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.1f} a second"
    return said if left is None else f"{said}, {timedelta(seconds=round(left))} left"
