"""``python -m bench``: compare measures with other libraries, measure how time grows, and check the statistics.

``python -m bench agreement coverage`` runs only these benchmarks. The extra ``test`` is required (segeval, NLTK and mir_eval).
A time is the shortest of several runs; a ratio is the time of the other library divided by the time of caesura.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from importlib import import_module

from caesura import __version__
from caesura.views.table import Table
from caesura.views.text_table import table_text

WIDTH = 140

BENCHMARKS: dict[str, str] = {
    name: function if "." in function else f"{name}.{function}"
    for name, function in {
        "linear": "tables",
        "flexible": "tables",
        "chance": "tables",
        "agreement": "tables",
        "placement": "agreement.placement_tables",
        "coverage": "agreement.coverage_tables",
        "simulation": "tables",
        "fuzzy": "tables",
        "gold": "tables",
        "judging": "tables",
        "hierarchy": "tables",
        "hierarchy_measures": "tables",
        "trees": "tables",
        "level": "tables",
        "report": "tables",
        "evaluation": "tables",
        "reading": "tables",
        "scaling": "tables",
        "seconds": "tables",
        "curve": "tables",
        "startup": "tables",
        "unitizing": "tables",
    }.items()
}
"""Benchmark -> module and function; a module is imported when it runs, because each needs other libraries."""


def tables(name: str) -> Iterable[Table]:
    module, _, function = BENCHMARKS[name].partition(".")
    result: Iterable[Table] = getattr(import_module(f"bench.{module}"), function)()
    return result


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        sys.exit(f"unknown benchmark {', '.join(unknown)}; choose from {', '.join(BENCHMARKS)}")
    print(f"caesura {__version__}, Python {platform.python_version()}, {platform.machine()}, one thread\n")
    for name in names or BENCHMARKS:
        for table in tables(name):
            print(table_text(table, WIDTH) + "\n", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
