"""The command line: one file per command."""

from caesura.cli.program import main

__all__ = ["main"]
