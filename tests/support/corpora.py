"""Corpora for tests of agreement, of files and of the command line."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import caesura as cz
from caesura.errors import FormatError

# F  ann ··, ···.   bo ··, ····    M  ann ·?   bo ·.
TALK = """item,stream,unit,ann,bo
talk,F,1,,
talk,F,2,",",","
talk,F,3,,
talk,F,4,,
talk,F,5,.,
talk,M,1,?,.
"""


def of_masses(**items: Mapping[str, Sequence[int]]) -> cz.Corpus:
    """Return the corpus of item=coder -> masses."""
    return cz.Corpus(
        {i: {c: cz.Segmentation.from_masses(m) for c, m in by_coder.items()} for i, by_coder in items.items()}
    )


def random_corpus(seed: int, *, items: int = 8, coders: Sequence[str] = "abcde", missing: float = 0.0) -> cz.Corpus:
    """Return coders who share most boundaries, move some by one and add some. Each is missing on some items."""
    rng = random.Random(seed)
    annotations: dict[str, dict[str, cz.Segmentation]] = {}
    for i in range(items):
        length = rng.randint(5, 40)
        base = {p for p in range(1, length) if rng.random() < 0.2}
        by_coder = {}
        for coder in coders:
            positions = {p + rng.choice([0, 0, 0, 1]) for p in base if rng.random() < 0.8}
            positions |= {p for p in range(1, length) if rng.random() < 0.04}
            by_coder[coder] = cz.Segmentation.from_positions(length, sorted(p for p in positions if p < length))
        annotations[f"item {i}"] = {
            coder: segmentation for coder, segmentation in by_coder.items() if rng.random() >= missing
        } or by_coder
    return cz.Corpus(annotations)


def shuffled(corpus: cz.Corpus, seed: int) -> cz.Corpus:
    """Return the same corpus with items and coders in a different order."""
    rng = random.Random(seed)
    items = rng.sample(corpus.item_names, len(corpus.item_names))
    return cz.Corpus(
        {i: dict(rng.sample(list(by_coder.items()), len(by_coder))) for i in items if (by_coder := corpus.of_item(i))}
    )


ALIGN_HINT = "; to align them, read with align='tokens' (or align='positions', which ignores the spelling)"
"""End of the error about different units if both texts are known and have the same number of units."""


def round_trip_or_refuse(corpus: cz.Corpus, path: Path, name: str | None = None, *, sure: bool, **options: Any) -> None:
    """Check that the corpus is equal after writing and reading. Unless ``sure``, writing may be an error."""
    path.unlink(missing_ok=True)
    with suppress(*(() if sure else (FormatError,))):
        cz.write(corpus, path, name, **options)
    assert path.exists() or not sure
    if path.exists():
        assert cz.read(path, name, **options) == corpus
