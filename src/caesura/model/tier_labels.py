"""What the labels of tiers say: the types of boundaries, the text of the segments, or only their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

from caesura.model.tier import Tier

_NUMBERED = re.compile(r"(.*?)([0-9]{1,9})", re.DOTALL)
_MIN_LABELS = 3


def _labels(tier: Tier) -> list[str]:
    return [row.label.strip() for row in tier.rows if row.label.strip()]


def number_segments(tiers: Iterable[Tier]) -> bool:
    """Return whether labels only number the segments of each tier, such as ``u1``, ``u2``, ``u3``."""
    beginnings: set[str] = set()
    longest = 0
    for tier in tiers:
        parts = [_NUMBERED.fullmatch(label) for label in _labels(tier)]
        if not all(parts):
            return False
        beginnings |= {match[1] for match in parts if match}
        numbers = [int(match[2]) for match in parts if match]
        if len(beginnings) > 1 or numbers != sorted(set(numbers)):
            return False
        longest = max(longest, len(numbers))
    return longest >= _MIN_LABELS


def never_repeat(tiers: Iterable[Tier]) -> bool:
    """Return whether no label occurs twice in a tier, although every tier has several."""
    all_labels = [_labels(tier) for tier in tiers]
    return bool(all_labels) and all(
        len(labels) >= _MIN_LABELS and len({*labels}) == len(labels) for labels in all_labels
    )
