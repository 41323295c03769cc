"""Fleiss's pi over a similarity, from its definition, for boundaries of one type."""

from __future__ import annotations

from itertools import combinations

from caesura import Corpus, Measure, parse


def multi_pi(corpus: Corpus, measure: str | Measure) -> float:
    """(A_a - A_e) / (1 - A_e): A_a from parts summed over items and pairs of coders, A_e = P(boundary) squared."""
    made = parse(measure)
    scores = [made.score(a, b) for item in corpus.items for a, b in combinations(corpus.of_item(item).values(), 2)]
    observed = made.total(scores).value
    codings = [corpus[cell] for cell in corpus]
    expected = (sum(len(one.inner) for one in codings) / sum(one.length - 1 for one in codings)) ** 2
    return (observed - expected) / (1 - expected)
