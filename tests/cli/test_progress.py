"""The bar of progress on a terminal."""

from __future__ import annotations

import threading

import click
import pytest

from caesura.cli import main
from caesura.cli.progress import Progress


def test_bar_needs_no_threads(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Python in a browser raises this error for every thread."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with click.Context(main), Progress("draws") as progress:
        for finished in (1, 7, 10):
            progress.update(finished, 10)
    assert "7 of 10 draws" in capsys.readouterr().err
