"""Pairs of boundaries within a tolerance: the maximum, and the rules of other programs that miss it.

Each rule takes the sorted boundaries of one document, a test whether two of them are near, and returns for each boundary of the
reference the index of its partner in the hypothesis, or -1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Near = Callable[[float, float], bool]
Matching = Callable[[Sequence[float], Sequence[float], Near], list[int]]


def nearest_first(reference: Sequence[float], hypothesis: Sequence[float], near: Near) -> list[int]:
    """Pair the closest two boundaries first, as pyannote.metrics does; ties by reference, then by hypothesis."""
    candidates = [(abs(r - h), i, j) for i, r in enumerate(reference) for j, h in enumerate(hypothesis) if near(r, h)]
    partners = [-1] * len(reference)
    taken: set[int] = set()
    for _, i, j in sorted(candidates):
        if partners[i] < 0 and j not in taken:
            partners[i] = j
            taken.add(j)
    return partners


def in_order(reference: Sequence[float], hypothesis: Sequence[float], near: Near) -> list[int]:
    """Give every boundary of the reference, from left to right, its nearest free boundary, as TCPDBench and GEBD do."""
    free = list(range(len(hypothesis)))
    partners = []
    for r in reference:
        best = min(free, key=lambda j: (abs(hypothesis[j] - r), j), default=-1)
        if best >= 0 and near(r, hypothesis[best]):
            free.remove(best)
        else:
            best = -1
        partners.append(best)
    return partners


def all_within(reference: Sequence[float], hypothesis: Sequence[float], near: Near) -> list[int]:
    """Use up every free boundary within the tolerance of each boundary of the reference, as ruptures does."""
    free = set(range(len(hypothesis)))
    partners = []
    for r in reference:
        used = [j for j in sorted(free) if near(r, hypothesis[j])]
        free -= set(used)
        partners.append(used[0] if used else -1)
    return partners


def walk(reference: Sequence[float], hypothesis: Sequence[float], near: Near) -> list[int]:
    """Pair the first two boundaries that are near, else advance the smaller one: a maximum matching."""
    partners = [-1] * len(reference)
    i = j = 0
    while i < len(reference) and j < len(hypothesis):
        if near(reference[i], hypothesis[j]):
            partners[i] = j
            i += 1
            j += 1
        elif reference[i] < hypothesis[j]:
            i += 1
        else:
            j += 1
    return partners


# Rules of other programs, for presets.
OTHER_MATCHINGS: dict[str, Matching] = {
    "nearest": nearest_first,
    "in_order": in_order,
    "ruptures": all_within,
    "mir_eval": walk,
}
