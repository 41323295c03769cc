"""The command line: one file per command or pair of commands."""

from caesura.cli.program import main

__all__ = ["main"]
