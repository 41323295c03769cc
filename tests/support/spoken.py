"""Random trees with times for hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import caesura as cz
from oracle.rewording import Nested, leaves, to_brackets

LABELS = "AB"


def sentences() -> st.SearchStrategy[list[Nested]]:
    """Draw one or more roots over numbered words. Each step adds a word, or a node above the last one, two or three."""
    return st.lists(st.integers(0, 11), min_size=1, max_size=24).map(built)


def built(steps: list[int]) -> list[Nested]:
    roots: list[Nested] = [["A", (0,)]]
    words = 1
    for step in steps:
        label, taken = LABELS[step % 2], max(0, step // 2 - 2)
        if taken:
            roots[-taken:] = [[label, *roots[-taken:]]]
        else:
            roots.append([label, (words,)])
            words += 1
    return roots


@st.composite
def spoken(draw: st.DrawFn, *, silence: bool = True) -> cz.Tree:
    """Draw a tree with times, with or without silence between words."""
    roots = draw(sentences())
    n = len(leaves(roots))
    lengths = draw(st.lists(st.integers(1, 3000), min_size=n, max_size=n))
    gaps = draw(st.lists(st.sampled_from([0, 0, 250, 1700]), min_size=n, max_size=n)) if silence else [0] * n
    begin = np.cumsum(gaps) + np.cumsum([0, *lengths[:-1]])
    return cz.Tree.from_brackets(to_brackets(roots), np.column_stack([begin, begin + lengths]) / 1000)
