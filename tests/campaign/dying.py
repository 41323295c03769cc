"""Run a command of caesura that dies at its n-th operation on files: ``python -m tests.campaign.dying N ARGUMENT...``."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

OPERATIONS = ("open", "fdopen", "fsync", "replace", "link", "unlink", "mkdir", "chmod")


def die_at(number: int) -> None:
    """Make the process kill itself before the operation with this number, from 1."""
    count = 0

    def dying(operation: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return operation(*arguments, **options)

        return call

    for name in OPERATIONS:
        setattr(os, name, dying(getattr(os, name)))


if __name__ == "__main__":
    from caesura.cli.program import main

    die_at(int(sys.argv[1]))
    main(sys.argv[2:], prog_name="caesura")
