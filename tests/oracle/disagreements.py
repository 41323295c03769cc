"""Disagreements of coders, pair by pair and place by place, from the definition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

import caesura as cz

Row = tuple[str, str, str, frozenset[int], float]
"""Item, two coders, positions, cost."""


def rows(corpus: cz.Corpus, measure: cz.Measure, against: str | None = None) -> list[Row]:
    """Return every edit that costs something, of every pair of coders on every item, scored one by one."""
    found: list[Row] = []
    for item in corpus.item_names:
        coders = list(corpus.of_item(item))
        pairs = (
            combinations(coders, 2) if against is None else ((against, other) for other in coders if other != against)
        )
        for a, b in pairs:
            for edit in measure.score(corpus[item, a], corpus[item, b]).edits or ():
                if edit.cost > 0:
                    at = frozenset(p for p in (edit.a_position, edit.b_position) if p is not None)
                    found.append((item, a, b, at, edit.cost))
    return found


def places(edits: Iterable[Row]) -> set[tuple[str, frozenset[int], float]]:
    """Merge sets of positions that overlap, until none do; return item, positions and total cost of each set."""
    merged = [(item, at, cost) for item, _, _, at, cost in edits]
    while True:
        for first, second in combinations(merged, 2):
            if first[0] == second[0] and first[1] & second[1]:
                merged.remove(first)
                merged.remove(second)
                merged.append((first[0], first[1] | second[1], first[2] + second[2]))
                break
        else:
            return {(item, at, round(cost, 9)) for item, at, cost in merged}


def majority(coders: list[cz.Segmentation]) -> cz.Segmentation:
    """Return the positions that more than half of the coders marked."""
    numbers = Counter(p for coder in coders for p in coder.positions.tolist())
    return cz.Segmentation.from_positions(
        coders[0].length, [p for p in range(1, coders[0].length) if numbers[p] > len(coders) / 2]
    )
