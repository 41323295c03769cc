"""The program ``caesura``, also as ``python -m caesura``; Ctrl-C ends it within two seconds, whatever it computes."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from contextlib import suppress

INTERRUPTED = 130  # exit code after Ctrl-C
_PATIENCE = 1.0  # seconds for the program to end by itself


def run() -> None:
    """Run the program. Nothing waits for threads that still compute when the user has pressed Ctrl-C."""
    interrupted = False
    atexit.register(lambda: _end() if interrupted else None)  # after what libraries register
    try:
        if threading.current_thread() is threading.main_thread():
            _watch_for_interruption()
        from caesura.cli import main

        main(prog_name="caesura")
    except KeyboardInterrupt:  # before the program can handle it
        _end(b"caesura: stopped\n")
    except SystemExit as error:
        interrupted = error.code == INTERRUPTED
        raise


def _watch_for_interruption() -> None:
    """End the process if the main thread does not react to Ctrl-C, because it is inside a long computation."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)

    def watch() -> None:
        while os.read(reader, 1) != bytes([signal.SIGINT]):
            pass
        time.sleep(_PATIENCE)
        _end(b"caesura: stopped\n")

    with suppress(RuntimeError):  # a system without threads
        threading.Thread(target=watch, daemon=True).start()
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)


def _end(message: bytes = b"") -> None:
    """End the process at once, with nothing half-written."""
    with suppress(OSError):
        os.write(2, message)  # a thread that computes may hold the lock of ``sys.stderr``
    if "caesura.files" in sys.modules:
        from caesura.files import delete_open_drafts

        delete_open_drafts()
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    run()
