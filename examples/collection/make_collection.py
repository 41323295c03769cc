"""Write a collection of random documents as JSON lines: python make_collection.py documents.jsonl 1000000."""

from __future__ import annotations

import json
import random
import sys


def write(path: str, documents: int, seed: int = 0) -> None:
    """Write documents of 30 to 120 units; the hypothesis misses, adds and moves some boundaries of the reference."""
    rng = random.Random(seed)
    with open(path, "w", encoding="utf-8") as file:
        for number in range(documents):
            length = rng.randint(30, 120)
            reference = [position for position in range(1, length) if rng.random() < 0.1]
            row = {
                "item": f"document {number}",
                "length": length,
                "reference": reference,
                "hypothesis": imitate(reference, length, rng),
            }
            file.write(json.dumps(row) + "\n")


def imitate(reference: list[int], length: int, rng: random.Random) -> list[int]:
    """Return the boundaries of a program that finds seven of ten, one unit off in every fifth case, and adds a few."""
    moved = (position + rng.choice((0, 0, 0, 0, 1)) for position in reference if rng.random() < 0.7)
    added = (position for position in range(1, length) if rng.random() < 0.03)
    return sorted({position for position in (*moved, *added) if position < length})


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]))
