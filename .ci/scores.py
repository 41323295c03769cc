"""Print the scores of a fixed set of annotations under every measure, to the last bit, so that two builds can be compared.

Usage: python .ci/scores.py > scores.txt
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import caesura as cz
from caesura.measures.registry import measures

PAIRS = 200
LENGTH = 60


def segmentation(rng: random.Random) -> cz.Segmentation:
    """Return a text of 60 units with boundaries of two types at random."""
    marks = [rng.choice(["a", "b"]) if rng.random() < 0.2 else "" for _ in range(LENGTH - 1)]
    return cz.Segmentation.from_marks([*marks, ""], types=("a", "b"))


def hierarchy(rng: random.Random) -> cz.Hierarchy:
    """Return spans on two levels over 60 units."""
    cuts = [0, *sorted(rng.sample(range(1, LENGTH), 5)), LENGTH]
    outer = [(start + 1, end, 1) for start, end in pairwise(cuts)]
    return cz.Hierarchy(LENGTH, [*outer, *((start, (start + end) // 2, 2) for start, end, _ in outer if end > start)])


def tier(rng: random.Random) -> cz.Tier:
    """Return ten labelled intervals in a recording of a minute."""
    times = [0.0, *sorted(rng.uniform(0.1, 59.9) for _ in range(9)), 60.0]
    return cz.Tier([(start, end, rng.choice("xyz")) for start, end in pairwise(times)])


def tree(rng: random.Random) -> cz.Tree:
    """Return a binary tree over ten words with random labels."""

    def brackets(words: list[str]) -> str:
        if len(words) == 1:
            return f"({rng.choice('NV')} {words[0]})"
        cut = rng.randrange(1, len(words))
        return f"({rng.choice(['NP', 'VP', 'S'])} {brackets(words[:cut])} {brackets(words[cut:])})"

    text = brackets([f"w{i}" for i in range(10)])
    return cz.Tree.from_brackets(text, [(0.3 * i, 0.3 * i + rng.uniform(0.1, 0.3)) for i in range(10)])


BUILDERS: dict[str, Callable[[random.Random], Any]] = {
    "segmentation": segmentation,
    "hierarchy": hierarchy,
    "tier": tier,
    "tree": tree,
}


def main() -> None:
    """Print one line per measure and kind of annotation that it can score."""
    for kind, build in BUILDERS.items():
        rng = random.Random(0)
        pairs = [(build(rng), build(rng)) for _ in range(PAIRS)]
        for name in measures():
            scores = cz.score_many(pairs, name)
            if len(scores.errors) == PAIRS:
                continue
            digest = hashlib.sha256(scores.values.tobytes() + scores.counts.tobytes()).hexdigest()
            print(f"{name} {kind}: {scores.total.value.hex()} {PAIRS - len(scores.errors)} pairs {digest[:16]}")


if __name__ == "__main__":
    main()
