"""Sets of annotators that contain every pair of annotators exactly once, none with more than six annotators."""

from __future__ import annotations

from functools import cache
from itertools import count

_LARGEST = 6
# Perfect difference sets (Singer 1938): every number from 1 to v - 1 is the difference of one pair, modulo v.
_DIFFERENCES: tuple[tuple[int, tuple[int, ...]], ...] = (
    (7, (0, 1, 3)),
    (13, (0, 1, 3, 9)),
    (21, (0, 1, 4, 14, 16)),
    (31, (0, 1, 3, 8, 12, 18)),
)

Blocks = tuple[tuple[int, ...], ...]


@cache
def pair_cover(annotators: int) -> Blocks:
    """Return sets of annotators, each pair of annotators in exactly one of them."""
    # The sets are the lines of a finite plane without the points above the number of annotators: a cyclic projective plane for
    # up to 31 annotators, an affine plane of prime order for more. Lines with more than six points are divided in the same way.
    if annotators <= 3:
        return (tuple(range(annotators)),)
    for points, differences in _DIFFERENCES:
        if annotators <= points:
            lines = [sorted((first + step) % points for step in differences) for first in range(points)]
            return _without(lines, annotators)
    order = next(p for p in count(6) if p * p >= annotators and all(p % d for d in range(2, p)))
    lines = [
        [x * order + (slope * x + y) % order for x in range(order)] for slope in range(order) for y in range(order)
    ]
    lines += [[x * order + y for y in range(order)] for x in range(order)]
    return tuple(
        tuple(line[place] for place in part)
        for line in _without(lines, annotators)
        for part in (pair_cover(len(line)) if len(line) > _LARGEST else (tuple(range(len(line))),))
    )


def _without(lines: list[list[int]], annotators: int) -> Blocks:
    """Return the lines without points above the number of annotators, if two or more are left."""
    kept = (tuple(point for point in sorted(line) if point < annotators) for line in lines)
    return tuple(line for line in kept if len(line) > 1)
