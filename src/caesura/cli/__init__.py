"""The command line: one file per group of commands."""

from caesura.cli.program import main

__all__ = ["main"]
