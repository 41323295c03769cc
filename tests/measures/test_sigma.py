"""Sigma of units without words."""

from __future__ import annotations

import numpy as np

import caesura as cz


def test_units_without_words_are_counted_as_their_numbers_are():
    """Numbered units are not made into words; the n-grams are those of the words "0", "1", ..."""
    rng = np.random.default_rng(2)
    for trial in range(300):
        length, marks = int(rng.integers(1, 14)), (["", "a"], ["", "", "a", "b", "ab"])[trial % 2]
        sets = [[set(rng.choice(marks)) for _ in range(length - 1)] for _ in range(2)]
        texts = [cz.Segmentation.from_sets(side, types=["b", "a"]) for side in sets]
        words = [cz.Segmentation.from_sets(side, types=["b", "a"], units=[*map(str, range(length))]) for side in sets]
        assert cz.sigma(*texts).parts == cz.sigma(*words).parts
