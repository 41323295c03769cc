"""Limits on work and memory.

A file of 1 MB, whatever it contains, costs at most 5 seconds and 1 GB in any reader, measure, command or page, or it is
refused in one line that says why. Most work grows in proportion to the input and needs no limit. The limits below are for
work that is large by nature. They are checked before memory is allocated. ``docs/limits.md`` lists them.
"""

from __future__ import annotations

import math

from caesura.errors import LimitError

# Pairs of coders, summed over items, that are compared one by one: one item of 1,000 coders, or three of 600. If they are
# compared in both directions, half as many.
MAX_PAIRS = 600_000
# Pairs of coders in a table of pairs; an ordered pair counts twice: about 580 coders, or 410 in both directions.
MAX_PAIR_ROWS = 170_000
# Disagreements of two coders, and places, that are listed in a table or in JSON unless all are asked for.
MAX_LISTED_ROWS = 10_000
# Rows of a table that is printed as text; JSON, CSV, LaTeX and Markdown have all rows.
MAX_TEXT_ROWS = 1_000
# Coders, summed over places of disagreement, that are listed in a table or in JSON unless all are asked for.
MAX_LISTED_CODERS = 100_000
# Coders times pairs of coders of an agreement coefficient: about 580 coders of the same items.
MAX_PAIR_CELLS = 10**8
# Coders times pairs of coders of kappa and bias, which compute products for each: about 250 coders of the same items.
MAX_KAPPA_CELLS = 8_000_000
# Items times coders of an agreement coefficient.
MAX_ITEM_CELLS = 2**25
# Items times pairs of coders of an agreement coefficient.
MAX_SHARED_CELLS = 2**28
# Units times coders of a table with one entry for each, such as that of Cochran's Q.
MAX_CELLS = 2**24
# Coders of a figure.
MAX_FIGURE_CODERS = 200
# Units without words that a measure of words numbers instead: about two seconds.
MAX_NUMBERED_UNITS = 2**18
# Comparisons of spans in the search for the heaviest set without crossing.
MAX_SPAN_STEPS = 50_000_000
# Spans of both coders, summed over all pairs of coders and all items, that are compared to find the best annotators.
MAX_UNIFIED_SPANS = 6_000_000
# Digits of a count that is exact. Python does not print longer whole numbers.
MAX_DIGITS = 4000
# Levels of a hierarchy that become boundary types.
MAX_LEVELS = 10_000
# Parts of a dotted key in a settings file.
MAX_KEY_PARTS = 100
# States of exact chance times boundary types of both coders; above, chance is simulated.
MAX_CHANCE_CELLS = 2**24
# Columns of a table.
MAX_COLUMNS = 20_000
# Cells of a table: two gigabytes of pointers.
MAX_TABLE_CELLS = 2**28
# Largest time in seconds, so that sums and differences stay exact to a tenth of a millisecond.
MAX_SECONDS = 1e12
# Cells of a table of units that is written from a small file, which can declare long texts; from a larger file, there may be
# ``WRITTEN_CELLS_PER_BYTE`` for each of its bytes.
MAX_WRITTEN_CELLS = 8_000_000
WRITTEN_CELLS_PER_BYTE = 8
# Characters of a cell of delimited text, which Python and spreadsheets do not read beyond.
MAX_CELL_CHARACTERS = 131_072
# Cells of a compressed table that is small; a larger file may have ``CELLS_PER_BYTE`` for each of its bytes.
MAX_PACKED_CELLS = 2**24
CELLS_PER_BYTE = 16
# Bytes of a compressed table without compression; a larger file may have ``BYTES_PER_BYTE`` for each of its bytes.
MAX_PACKED_BYTES = 2**28
BYTES_PER_BYTE = 64
# Bytes of a file that is read as text.
MAX_BYTES = 2**31
# Bytes of the content of a compressed file.
MAX_UNPACKED = 2**28
# Files of a folder.
MAX_FILES = 100_000
# Units of a text whose segments have labels, which take memory for every unit; a short file can declare a long text.
MAX_LABELLED_UNITS = 10**7
# Units that one call may simulate, over all segmentations; a unit may take a few dozen bytes.
MAX_SIMULATED_UNITS = 10_000_000
# Characters of two texts that are aligned by edits, multiplied: about two seconds. A larger value may be assigned to it.
MAX_ALIGNED_CHARACTERS = 25 * 10**9
# Tokens of two texts that are aligned, multiplied: 100 MB and a few seconds.
MAX_ALIGNED_TOKENS = 10**8
# Pairs of boundaries less than n_t positions apart in a document; each takes at least 16 bytes.
MAX_BOUNDARY_PAIRS = 100_000_000
# Pairs of nodes of two trees that overlap, at about 40 bytes each.
MAX_NODE_PAIRS = 2**24
# Steps of the alignment of two trees, unless the option ``max_steps`` allows more: about two seconds.
MAX_TREE_STEPS = 6 * 10**8
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
