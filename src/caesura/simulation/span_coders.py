"""Simulated coders of spans, who miss spans, move their ends and confuse their categories at stated rates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.errors import InputError
from caesura.model.corpus import Corpus
from caesura.model.spans import MarkedSpan, Spans, to_spans
from caesura.options import non_negative, number, whole
from caesura.options import seed as check_seed

_check_rate = number(0, 1)
_check_shift = non_negative()


def span_coders(
    corpus: Corpus,
    *,
    coders: int = 3,
    miss: float = 0.0,
    shift: float = 0.0,
    confuse: float = 0.0,
    seed: int | None = 0,
) -> Corpus:
    """Return simulated coders of the items of a corpus, to see what a coefficient says about errors at known rates.

    Parameters
    ----------
    corpus : Corpus
        Spans. In every item, the spans of the coder who marked the most are the truth.
    coders : int, default 3
        Number of simulated coders.
    miss : float, default 0.0
        Probability that a coder does not mark a span.
    shift : float, default 0.0
        Standard deviation by which a coder moves each end of a span, in multiples of the span's length. An end never passes
        the other end or the bounds of the item.
    confuse : float, default 0.0
        Probability that a coder replaces the category of a span by a category drawn from all spans of the corpus.
    seed : int or None, default 0
        Random seed; None chooses one.

    Returns
    -------
    Corpus
        The same items with coders ``coder 1``, ``coder 2`` and so on.

    Raises
    ------
    InputError
        If the corpus has no spans.

    Examples
    --------
    >>> import caesura as cz
    >>> truth = cz.Corpus({"letter": {"ann": cz.Spans([(0, 10, "x"), (20, 30, "y")])}})
    >>> simulated = span_coders(truth, coders=2, miss=0.5)
    >>> len(simulated.coders)
    2
    """
    whole(2)("coders", coders)
    _check_rate("miss", miss)
    _check_rate("confuse", confuse)
    _check_shift("shift", shift)
    generator = np.random.default_rng(check_seed("seed", seed))
    truths = {name: _truth(corpus, name) for name in sorted(corpus.item_names)}
    categories = [category for spans in truths.values() for category in spans.categories]
    if not categories:
        raise InputError("there are no spans from which coders could be simulated")
    rates = (miss, shift, confuse)
    return Corpus(
        {
            name: {f"coder {k + 1}": _disturb(truth, rates, categories, generator) for k in range(coders)}
            for name, truth in truths.items()
        }
    )


def _truth(corpus: Corpus, item: str) -> Spans:
    annotations = corpus.of_item(item)
    spans = [to_spans(annotations[coder]) for coder in sorted(annotations)]
    return max(spans, key=len)


def _disturb(
    truth: Spans, rates: tuple[float, float, float], categories: Sequence[str | None], generator: np.random.Generator
) -> Spans:
    miss, shift, confuse = rates
    low, high = truth.bounds if truth.bounds is not None else (-np.inf, np.inf)
    rows = []
    for span in truth.spans:
        chances = generator.random(3)
        moved = generator.normal(0.0, 1.0, 2) * shift * (span.end - span.start)
        if chances[0] < miss:
            continue
        start = min(max(span.start + moved[0], low), span.end)
        end = max(min(span.end + moved[1], high), start)
        category = categories[int(chances[2] * len(categories))] if chances[1] < confuse else span.category
        rows.append(MarkedSpan(float(start), float(end), category))
    return Spans(rows, bounds=truth.bounds, seconds=truth.axis == "seconds")
