"""The campaign: start workers, watch them, and count how the inputs ended."""

from __future__ import annotations

import json
import math
import os
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from .registry import Attack, attacks
from .worker import GRACE

ROOT = Path(__file__).parents[2]
START_SECONDS = 120
"""Time that a worker may take to start, to end, and beyond its own limit."""


@dataclass
class Tally:
    """How the inputs of one attack ended."""

    name: str
    ended: Counter[str] = field(default_factory=Counter)  # word -> number of inputs
    failures: list[str] = field(default_factory=list)  # one line per failure, with the command that repeats it
    seconds: float = 0.0  # largest values of one input
    megabytes: float = 0.0

    @property
    def inputs(self) -> int:
        """Number of inputs tried."""
        return self.ended.total() + len(self.failures)


@dataclass
class Campaign:
    """What to run."""

    seed: int
    inputs: int | None  # of all attacks together
    minutes: float | None  # of all attacks together
    workers: int = 2
    only: Sequence[str] | None = None  # names of the attacks
    case: int | None = None  # the only input to try
    quick: bool = False  # whether to try the inputs of the version of two minutes, all of them however long they take

    def run(self) -> list[Tally]:
        """Run all attacks, and return how their inputs ended."""
        chosen = [entry for name, entry in attacks().items() if not self.only or name in self.only]
        shares = sum(entry.share for entry in chosen)
        tallies = []
        for entry in chosen:
            tallies.append(self._run_attack(entry, entry.share / shares))
            print(table(tallies[-1:]), file=sys.stderr, flush=True)  # an interrupted run has shown what it did
        return tallies

    def _run_attack(self, entry: Attack, share: float) -> Tally:
        tally, lock = Tally(entry.name), threading.Lock()
        stop = entry.total if entry.total is not None else 10**9
        if self.quick:
            stop = min(stop, entry.quick)
        elif self.inputs is not None:
            stop = min(stop, math.ceil(self.inputs * share))
        until = time.time() + (self.minutes * 60 * share if self.minutes and not self.quick else 10**9)
        ranges = [range(number, stop, self.workers) for number in range(self.workers)]
        if self.case is not None:
            ranges = [range(self.case, self.case + 1)]
        with ThreadPoolExecutor(len(ranges)) as pool:
            for future in [pool.submit(self._watch, entry, numbers, until, tally, lock) for numbers in ranges]:
                future.result()
        return tally

    def _watch(self, entry: Attack, numbers: range, until: float, tally: Tally, lock: threading.Lock) -> None:
        """Run workers until the inputs are used up. A worker that dies counts as a failure, and the next one goes on."""
        while numbers and time.time() < until:
            process, lines = _start(entry, self.seed, numbers, until)
            wait = GRACE * entry.seconds + START_SECONDS
            while True:
                try:
                    line = lines.get(timeout=wait)
                except queue.Empty:
                    process.kill()
                    line = None
                if line is None:
                    break
                numbers = numbers[1:]
                with lock:
                    self._count(tally, entry, json.loads(line))
            code = process.wait()
            if code == 0:
                return
            with lock:
                reason = process.stderr.read().strip().splitlines()[-1:] if process.stderr else []
                failure = {"case": numbers[0], "problem": f"the process ended with {code}: {' '.join(reason)}"}
                self._count(tally, entry, failure)
            numbers = numbers[1:]

    def _count(self, tally: Tally, entry: Attack, outcome: dict[str, object]) -> None:
        tally.seconds = max(tally.seconds, float(str(outcome.get("seconds", 0))))
        tally.megabytes = max(tally.megabytes, float(str(outcome.get("megabytes", 0))))
        if outcome["problem"]:
            again = f'--seed {self.seed} --only "{entry.name}" --case {outcome["case"]}'
            tally.failures.append(f"{outcome['problem']}   (again: {again})")
        else:
            tally.ended[str(outcome["ended"])] += 1


def _start(
    entry: Attack, seed: int, numbers: range, until: float
) -> tuple[subprocess.Popen[str], queue.Queue[str | None]]:
    """Start a worker, and return it with a queue of the lines that it prints; None after the last one."""
    bounds = [str(numbers.start), str(numbers.stop), str(numbers.step), str(until)]
    command = [sys.executable, "-m", "tests.campaign", "--seed", str(seed), "--worker", entry.name, *bounds]
    paths = [str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
    # Nobody reads the warnings of thousands of inputs, and a full pipe would stop the worker.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "PYTHONWARNINGS": "ignore"}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    lines: queue.Queue[str | None] = queue.Queue()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=listen, daemon=True).start()
    return process, lines


def table(tallies: Sequence[Tally]) -> str:
    """Return the table of inputs and failures, and one line per failure."""
    rows = [("attack", "inputs", "longest s", "most MB", "failures", "ended")]
    for tally in tallies:
        ended = ", ".join(f"{word} {number}" for word, number in tally.ended.most_common())
        numbers = f"{tally.seconds:.1f}", f"{tally.megabytes:.0f}", str(len(tally.failures))
        rows.append((tally.name, str(tally.inputs), *numbers, ended))
    inputs, failures = sum(tally.inputs for tally in tallies), sum(len(tally.failures) for tally in tallies)
    rows.append(("all", str(inputs), "", "", str(failures), ""))
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(row[i].rjust(widths[i]) for i in range(1, 5)), row[5]]
        lines.append("  ".join(cells).rstrip())
    return "\n".join([*lines, *(f"{tally.name}: {failure}" for tally in tallies for failure in tally.failures)])
