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

# -- used by agreement, gold and measures --------------------------------------------------------------------------------

# Pairs of coders, summed over items, that are compared one by one: one item of 1,000 coders, or three of 600. If they are
# compared in both directions, half as many.
MAX_PAIRS = 600_000
# Pairs of coders in a table of pairs; an ordered pair counts twice: about 580 coders, or 410 in both directions.
MAX_PAIR_ROWS = 170_000
# Coders times pairs of coders of an agreement coefficient: about 580 coders of the same items.
MAX_PAIR_CELLS = 10**8
# Coders times pairs of coders of kappa and bias, which compute products for each: about 250 coders of the same items.
MAX_KAPPA_CELLS = 8_000_000
# Items times coders of an agreement coefficient.
MAX_ITEM_CELLS = 2**25
# Items times pairs of coders of an agreement coefficient.
MAX_SHARED_CELLS = 2**28
# Units without words that a measure of words numbers instead: about two seconds.
MAX_NUMBERED_UNITS = 2**18
# Comparisons of spans in the search for the heaviest set without crossing.
MAX_SPAN_STEPS = 50_000_000
# Spans of both coders, summed over all pairs of coders and all items, that are compared to find the best annotators.
MAX_UNIFIED_SPANS = 6_000_000
# Digits of a count that is exact. Python does not print longer whole numbers.
MAX_DIGITS = 4000
# States of exact chance times boundary types of both coders; above, chance is simulated.
MAX_CHANCE_CELLS = 2**24
# Pairs of nodes of two trees that overlap, at about 40 bytes each.
MAX_NODE_PAIRS = 2**24
# Steps of the alignments of all sentences of a corpus for each of its gold nodes; together they may have as many as two trees.
# Parses of long sentences need a few hundred, and trees that zigzag everywhere a million.
MAX_STEPS_PER_NODE = 3000
# Work for the pairs of coders in the bootstrap replicates of a coefficient, in about a nanosecond; above, there are fewer
# replicates.
MAX_REPLICATE_WORK = 400_000_000
# Positions of random texts, and 60 for each text and 15,000 for each item of a pair of coders, of simulated chance with the
# smallest number of draws: about two seconds.
MAX_CHANCE_WORK = 50_000_000
# The same with all draws: about one second. Above, there are fewer draws.
MAX_DRAWN_WORK = 25_000_000
# Work of exact chance for all pairs of coders and items, in about a microsecond; above, chance is simulated.
MAX_EXACT_WORK = 2_000_000
# Items of S_f with random texts, summed over all pairs of coders.
MAX_CHANCE_TEXTS = 40_000
# Draws of simulated chance.
MAX_DRAWS = 1_000_000


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
