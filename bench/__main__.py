"""``python -m bench``: every measure against its peer on the same documents, growth, and what statistics promise.

``python -m bench agreement coverage`` runs only these parts. Needs the extra ``test`` (segeval, NLTK and mir_eval). A time is
the best of several runs; a ratio is the peer's time over ours.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable

from rich.console import Console

from bench import (
    agreement,
    chance,
    evaluation,
    flexible,
    fuzzy,
    hierarchy,
    hierarchy_measures,
    judging,
    level,
    linear,
    report,
    scaling,
    simulation,
    trees,
)
from caesura import __version__
from caesura.views.table import Table

PARTS: dict[str, Callable[[], Iterable[Table]]] = {
    "linear": linear.tables,
    "flexible": flexible.tables,
    "chance": chance.tables,
    "agreement": agreement.tables,
    "coverage": agreement.coverage_tables,
    "simulation": simulation.tables,
    "fuzzy": fuzzy.tables,
    "judging": judging.tables,
    "hierarchy": hierarchy.tables,
    "hierarchy_measures": hierarchy_measures.tables,
    "trees": trees.tables,
    "level": level.tables,
    "report": report.tables,
    "evaluation": evaluation.tables,
    "scaling": scaling.tables,
}


def main(chosen: list[str]) -> None:
    unknown = [name for name in chosen if name not in PARTS]
    if unknown:
        sys.exit(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    console.print(f"caesura {__version__}, Python {platform.python_version()}, {platform.machine()}, one thread\n")
    for name in chosen or PARTS:
        for table in PARTS[name]():
            table.print(console)


if __name__ == "__main__":
    main(sys.argv[1:])
