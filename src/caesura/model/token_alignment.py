"""Alignment of two lists of tokens at the lowest cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError
from caesura.model.value import Ints

_BLOCK_SIZE = 256  # number of distinct tokens per call of rapidfuzz
_GAP = 1000  # cost of a token without counterpart


def token_pairs(a: Sequence[str], b: Sequence[str]) -> list[tuple[int | None, int | None]]:
    # The cost of a token without counterpart is 1000. The cost of a pair is 1000 times the edit distance of both tokens divided
    # by the length of the longer one, rounded down, but at least 1 unless the tokens are equal. Costs are whole numbers, so
    # that the minimum is exact. If several alignments have the lowest cost, pairs at the end are preferred.
    if not a or not b:
        return [(i, None) for i in range(len(a))] + [(None, j) for j in range(len(b))]
    costs, a_codes, b_codes = _substitution_costs(a, b)
    columns = np.arange(len(b) + 1, dtype=np.int64) * _GAP
    row = columns.copy()
    choices = np.zeros((len(a), len(b)), np.uint8)  # 0: pair, 1: token of a alone, 2: token of b alone
    for i, code in enumerate(a_codes.tolist()):
        pair = row[:-1] + costs[code][b_codes]
        alone = row[1:] + _GAP
        best = np.concatenate([[row[0] + _GAP], np.minimum(pair, alone)])
        row = np.minimum.accumulate(best - columns) + columns
        choices[i] = np.where(row[1:] == pair, 0, np.where(row[1:] == alone, 1, 2))
    return _trace(choices)


def _trace(choices: NDArray[np.uint8]) -> list[tuple[int | None, int | None]]:
    i, j = choices.shape
    pairs: list[tuple[int | None, int | None]] = []
    while i or j:
        choice = 2 if not i else 1 if not j else choices[i - 1, j - 1]
        i, j = i - int(choice != 2), j - int(choice != 1)
        pairs.append((None if choice == 2 else i, None if choice == 1 else j))
    return pairs[::-1]


def _substitution_costs(a: Sequence[str], b: Sequence[str]) -> tuple[NDArray[np.int16], Ints, Ints]:
    try:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist
    except ImportError:
        raise OptionError("align='tokens' needs rapidfuzz; run pip install 'caesura[align]'") from None
    a_words, b_words = list(dict.fromkeys(a)), list(dict.fromkeys(b))
    b_lengths = np.array([max(1, len(word)) for word in b_words])
    costs = np.empty((len(a_words), len(b_words)), np.int16)
    for start in range(0, len(a_words), _BLOCK_SIZE):
        block = a_words[start : start + _BLOCK_SIZE]
        distances = cdist(block, b_words, scorer=Levenshtein.distance, dtype=np.int32).astype(np.int64)
        lengths = np.maximum.outer([len(word) for word in block], b_lengths)
        costs[start : start + _BLOCK_SIZE] = np.maximum(_GAP * distances // lengths, distances > 0)
    codes = [{word: i for i, word in enumerate(words)} for words in (a_words, b_words)]
    return costs, np.array([codes[0][word] for word in a]), np.array([codes[1][word] for word in b])
