"""One command, ``python -m bench``: every measure against its peer on the same documents, then growth.

Needs the extra ``test`` (segeval and NLTK). A time is the best of several runs; a ratio is the peer's time over ours.
"""

from __future__ import annotations

import platform
import sys

from rich.console import Console

from bench import flexible, fuzzy, linear
from caesura import __version__


def main() -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    console.print(f"caesura {__version__}, Python {platform.python_version()}, {platform.machine()}, one thread\n")
    for table in (*linear.tables(), *flexible.tables(), *fuzzy.tables()):
        table.print(console)


if __name__ == "__main__":
    main()
