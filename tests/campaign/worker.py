"""A process that tries the inputs of one attack, one after the other, and prints one JSON line per input."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import tempfile
import time
import traceback
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from .registry import Attack, Case, attacks

GRACE = 12
"""An input is stopped after this many times its limit of seconds, by the clock; the limit itself is processor time."""
REFERENCE_SECONDS = 0.04
"""Processor time of the loop in :func:`slowness` on the machine that the limits are for."""
SLACK = float(os.environ.get("CAESURA_SLACK", "1"))
"""Factor of the limits of time, for machines on which other work runs at the same time."""


@dataclass(frozen=True)
class Outcome:
    """How one input ended."""

    case: int
    ended: str  # word of the attack, or "" after a failure
    seconds: float  # processor time
    megabytes: float  # memory beyond what the process had before
    problem: str = ""  # description of the failure, if there was any


class _TooLong(BaseException):
    """Raised by the timer; no ``except Exception`` catches it."""


def _stop(*_: object) -> None:
    raise _TooLong


def _processor_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _status(field: str) -> float:
    """Return a size from the status of this process in megabytes; 0 where the system does not tell."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) / 1024
    return 0.0


def _forget_peak() -> float:
    """Forget the largest memory so far, and return the present one."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


@cache
def slowness() -> float:
    """Return how many times slower this machine is than the one that the limits are for; 1 if it is faster."""
    durations = []
    for _ in range(3):
        started = time.process_time()
        table = {str(i): [i, -i] for i in range(60_000)}
        sorted(table, key=lambda key: table[key][1])
        durations.append(time.process_time() - started)
    return max(1.0, min(durations) / REFERENCE_SECONDS)


def try_input(attack: Attack, case: Case) -> Outcome:
    """Return how an input ended, and whether it kept to the limits of time and memory.

    The limit of time is for a machine of the speed that ``REFERENCE_SECONDS`` states; a slower one may take longer.
    """
    limit = attack.seconds * slowness() * SLACK
    if attack.prepare is not None:
        attack.prepare(case)
    before, started = _forget_peak(), _processor_time()
    ended = problem = ""
    handler = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, GRACE * attack.seconds)
    try:
        ended = attack.run(case)
    except _TooLong:
        problem = f"stopped after {GRACE * attack.seconds:.0f} s"
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        problem = f"{type(error).__name__} in {place}: {' '.join(str(error).split())[:300]}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    seconds, megabytes = _processor_time() - started, max(0.0, _status("VmHWM") - before)
    if not problem and seconds > limit:
        problem = f"took {seconds:.1f} s"
    if not problem and megabytes > attack.megabytes:
        problem = f"took {megabytes:.0f} MB"
    return Outcome(case.number, "" if problem else ended, round(seconds, 3), round(megabytes, 1), problem)


def run(name: str, seed: int, numbers: Iterable[int], until: float) -> None:
    """Try inputs of an attack, and print how they ended, until a time (:func:`time.time`)."""
    attack = attacks()[name]
    with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
        for number in numbers:
            if time.time() > until:
                return
            case = Case(number, random.Random(f"{seed}/{name}/{number}"), Path(folder))
            print(json.dumps(asdict(try_input(attack, case))), flush=True)
