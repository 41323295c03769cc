"""The command ``python -m tests.campaign``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from .report import Campaign, table
from .worker import run


def main() -> int:
    """Run the campaign; return 1 if anything went wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign", description="Attack the toolkit and count failures."
    )
    parser.add_argument("--seed", type=int, default=0, help="Random seed (default: 0).")
    parser.add_argument("--minutes", type=float, help="Stop after this time.")
    parser.add_argument("--inputs", type=int, help="Number of inputs, divided among the attacks.")
    parser.add_argument("--quick", action="store_true", help="Try a fixed number of inputs, about two minutes.")
    parser.add_argument("--only", action="append", metavar="ATTACK", help="Run only this attack.")
    parser.add_argument("--case", type=int, help="Run only the input with this number.")
    parser.add_argument("--workers", type=int, default=2, help="Number of processes (default: 2).")
    parser.add_argument(
        "--worker", nargs=5, metavar=("ATTACK", "FIRST", "STOP", "STEP", "UNTIL"), help=argparse.SUPPRESS
    )
    arguments = parser.parse_args()
    if arguments.worker:
        name, first, stop, step, until = arguments.worker
        run(name, arguments.seed, range(int(first), int(stop), int(step)), float(until))
        return 0
    minutes = arguments.minutes if arguments.minutes or arguments.inputs else 3.0
    campaign = Campaign(
        arguments.seed, arguments.inputs, minutes, arguments.workers, arguments.only, arguments.case, arguments.quick
    )
    tallies = campaign.run()
    print(table(tallies))
    return int(any(tally.failures for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
