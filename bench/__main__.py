"""``python -m bench``: compare measures with other libraries, measure how time grows, and check the statistics.

``python -m bench agreement coverage`` runs only these benchmarks. The extra ``test`` is required (segeval, NLTK and mir_eval).
A time is the shortest of several runs; a ratio is the time of the other library divided by the time of caesura.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable

from bench import (
    agreement,
    chance,
    curve,
    evaluation,
    flexible,
    fuzzy,
    gold,
    hierarchy,
    hierarchy_measures,
    judging,
    level,
    linear,
    reading,
    report,
    scaling,
    seconds,
    simulation,
    startup,
    trees,
    unitizing,
)
from caesura import __version__
from caesura.views.table import Table
from caesura.views.text_table import table_text

WIDTH = 140

BENCHMARKS: dict[str, Callable[[], Iterable[Table]]] = {
    "linear": linear.tables,
    "flexible": flexible.tables,
    "chance": chance.tables,
    "agreement": agreement.tables,
    "placement": agreement.placement_tables,
    "coverage": agreement.coverage_tables,
    "simulation": simulation.tables,
    "fuzzy": fuzzy.tables,
    "gold": gold.tables,
    "judging": judging.tables,
    "hierarchy": hierarchy.tables,
    "hierarchy_measures": hierarchy_measures.tables,
    "trees": trees.tables,
    "level": level.tables,
    "report": report.tables,
    "evaluation": evaluation.tables,
    "reading": reading.tables,
    "scaling": scaling.tables,
    "seconds": seconds.tables,
    "curve": curve.tables,
    "startup": startup.tables,
    "unitizing": unitizing.tables,
}


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"unknown benchmark {', '.join(unknown)}; choose from {', '.join(BENCHMARKS)}")
    print(f"caesura {__version__}, Python {platform.python_version()}, {platform.machine()}, one thread\n")
    for name in names or BENCHMARKS:
        for table in BENCHMARKS[name]():
            print(table_text(table, WIDTH) + "\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
