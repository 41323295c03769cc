"""Limits for small files that are hostile or damaged, and cost much memory or time. They are checked before a file is parsed.

Long work is not refused: it shows its progress and ends at Ctrl-C. ``caesura.memory`` refuses what needs too much memory.
``docs/limits.md`` explains the limits to users.
"""

from __future__ import annotations

import math

from caesura.errors import LimitError

# Bytes of a file that is read as text.
MAX_BYTES = 2**31
# Bytes of the content of a compressed file; see ``unpacked_bytes``.
MAX_UNPACKED = 2**28
# Files of a folder.
MAX_FILES = 100_000
# Columns of a table.
MAX_COLUMNS = 20_000
# Cells and units that a small file declares, whether or not it writes them; see ``declared_cells``.
MAX_CELLS = 2**24
# Nested levels that become boundary types.
MAX_LEVELS = 10_000
# Pairs of boundaries less than n_t positions apart in a document; each takes at least 16 bytes.
MAX_BOUNDARY_PAIRS = 100_000_000
# Steps of the alignment of two trees, unless the option ``max_steps`` allows more.
MAX_TREE_STEPS = 6 * 10**8

# Digits of a count that is exact. Python does not print longer whole numbers.
MAX_DIGITS = 4000
# States of exact chance times boundary types of both coders; above, chance is simulated.
MAX_CHANCE_CELLS = 2**24
# Pairs of nodes of two trees that overlap, at about 40 bytes each.
MAX_NODE_PAIRS = 2**24


def declared_cells(size: int) -> int:
    """Return how many cells a file of a number of bytes may declare."""
    return max(MAX_CELLS, 16 * size)


def unpacked_bytes(size: int) -> int:
    """Return how many bytes a table of a number of compressed bytes may unpack to."""
    return max(MAX_UNPACKED, 64 * size)


def check_limit(what: str, amount: int, limit: int, hint: str) -> None:
    """Raise an error if an amount of work is above its limit."""
    if amount > limit:
        estimate = f"{amount:,}" if amount < 10**15 else short_count(amount)
        raise LimitError(f"{what}: {estimate}, more than {limit:,}; {hint}")


def number_of_digits(number: int) -> int:
    """Return the number of decimal digits of a whole number of any size."""
    digits = int((number.bit_length() - 1) * math.log10(2)) + 1
    return digits + 1 if number >= 10**digits else digits


def short_count(number: int) -> int | str:
    """Return a whole number for readers; a number with ten or more digits is rounded."""
    return number if number < 10**9 else f"about 10^{number_of_digits(number) - 1}"


def plain_count(number: int) -> int | str:
    """Return a whole number as it is, or as text such as ``"about 10^5000"`` if it has thousands of digits."""
    digits = number_of_digits(number)
    return number if digits < MAX_DIGITS else f"about 10^{digits - 1}"
