"""Small random corpora of every kind, with names and texts that break careless programs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import caesura as cz
from caesura.errors import CaesuraError

from .structures import NAMES

Make = Callable[[random.Random, Sequence[str]], Any]


def name(rng: random.Random, prefix: str, hostile: float = 0.3) -> str:
    """Return a name, sometimes one that a careless program cannot write."""
    return rng.choice(NAMES) if rng.random() < hostile else f"{prefix}{rng.randrange(9)}"


def _names(rng: random.Random, prefix: str, number: int, hostile: float) -> list[str]:
    return list(dict.fromkeys(name(rng, prefix, hostile) for _ in range(number)))


def _positions(rng: random.Random, length: int) -> list[int]:
    return sorted(rng.sample(range(1, length), rng.randint(0, min(4, length - 1))))


def _plain(rng: random.Random, words: Sequence[str]) -> Any:
    return cz.Segmentation.from_positions(len(words), _positions(rng, len(words)))


def _with_words(rng: random.Random, words: Sequence[str]) -> Any:
    return cz.Segmentation.from_positions(len(words), _positions(rng, len(words)), units=words)


def _typed(rng: random.Random, words: Sequence[str]) -> Any:
    types = list(dict.fromkeys([",", ".", name(rng, "t", 0.2) or "t"]))
    units = words if rng.random() < 0.5 else None
    return cz.Segmentation.from_marks([rng.choice(["", "", *types]) for _ in words], types=types, units=units)


def _type_sets(rng: random.Random, words: Sequence[str]) -> Any:
    types = ["act", "scene", "beat"]
    sets = [set(rng.sample(types, rng.choice((0, 0, 1, 2)))) for _ in words[1:]]
    return cz.Segmentation.from_sets(sets, types)


def _labelled(rng: random.Random, words: Sequence[str]) -> Any:
    positions = [0, *_positions(rng, len(words)), len(words)]
    masses = [b - a for a, b in pairwise(positions)]
    labels = [name(rng, "L", 0.2) for _ in masses]
    return cz.Segmentation.from_masses(masses, labels=labels, units=words if rng.random() < 0.5 else None)


def _dialogue(rng: random.Random, words: Sequence[str]) -> Any:
    types = [",", ".", "?"]
    marks = {"F": [rng.choice(["", *types]) for _ in words], "M": ["", rng.choice(types)]}
    return cz.Dialogue({stream: cz.Segmentation.from_marks(own, types=types) for stream, own in marks.items()})


def _hierarchy(rng: random.Random, words: Sequence[str]) -> Any:
    length = len(words)
    spans: list[tuple[Any, ...]] = [(1, length, 1, rng.choice(("A", None)))]
    cut = rng.randint(1, length)
    spans += [(1, cut, 2, rng.choice(("b", None, "c d")))]
    return cz.Hierarchy(length, spans, units=words if rng.random() < 0.5 else None)


def _spans(rng: random.Random, words: Sequence[str]) -> Any:
    length = len(words)
    spans = []
    for _ in range(rng.randint(0, 4)):
        start = rng.randrange(length)
        spans.append((start, rng.randint(start + 1, length), name(rng, "C", 0.2)))
    return cz.Spans(spans, length=length)


def _timed_spans(rng: random.Random, words: Sequence[str]) -> Any:
    spans = []
    for _ in range(rng.randint(0, 4)):
        start = round(rng.uniform(0, 9), rng.choice((0, 1, 3, 6)))
        spans.append((start, start + rng.choice((0.25, 1, 0.1)), name(rng, "C", 0.2)))
    return cz.Spans(spans, length=20.0, seconds=True)


def _tier(rng: random.Random, words: Sequence[str]) -> Any:
    times = sorted({round(rng.uniform(0, 20), rng.choice((0, 1, 3, 6, 9))) for _ in range(rng.randint(2, 6))})
    intervals = [(a, b, name(rng, "L", 0.2)) for a, b in pairwise(times) if rng.random() < 0.9]
    return cz.Tier(intervals, end=rng.choice((20.0, None)) if intervals else 20.0)


def _tree(rng: random.Random, words: Sequence[str]) -> Any:
    label = rng.choice(("NP", "VP", name(rng, "X", 0.2)))
    times = [(i / 2, i / 2 + 0.5) for i in range(len(words))] if rng.random() < 0.2 else None
    return cz.Tree.from_nested(["S", [label, *(["W", word] for word in words[1:])], ["W", words[0]]], times)


_SEGMENTATIONS: tuple[Make, ...] = (_plain, _with_words, _typed, _type_sets, _labelled, _dialogue)
KINDS: tuple[Make, ...] = (*_SEGMENTATIONS, _hierarchy, _spans, _timed_spans, _tier, _tree)


def random_corpus(rng: random.Random, *, kinds: Sequence[Make] = KINDS, hostile: float = 0.3) -> cz.Corpus:
    """Return a corpus of one kind, with one to three items and coders; some coders are missing on some items."""
    while True:
        with suppress(CaesuraError):  # a name or word that the model refuses
            make, annotations = rng.choice(kinds), {}
            coders = _names(rng, "c", rng.randint(1, 3), hostile)
            for item in _names(rng, "x", rng.randint(1, 3), hostile):
                words = [name(rng, "w", hostile / 3) for _ in range(rng.randint(2, 9))]
                present = [coder for coder in coders if rng.random() < 0.9] or coders
                annotations[item] = {coder: make(rng, words) for coder in present}
            return cz.Corpus(annotations)
