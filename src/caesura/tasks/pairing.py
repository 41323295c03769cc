"""Corpora laid against each other: which item goes with which, which coder with which."""

from __future__ import annotations

from dataclasses import dataclass

from caesura.errors import MismatchError, OptionError
from caesura.measures.batch import Pair
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, Comparable, kind_name
from caesura.model.tier import Tier

__all__ = ["Paired", "pair_up"]


@dataclass(frozen=True)
class Paired:
    """Two sides laid against each other, item by item."""

    items: tuple[str, ...]
    pairs: list[Pair]
    excluded: tuple[str, ...]
    """Items that stand on one side only."""


def pair_up(
    reference: Corpus, hypothesis: Corpus, *, reference_coder: str | None = None, hypothesis_coder: str | None = None
) -> Paired:
    """Items that both sides have, by name. Two corpora of one item each go together whatever the names."""
    first = _scorable(reference.of_coder(_only_coder(reference, reference_coder, "reference")), "reference")
    second = _scorable(hypothesis.of_coder(_only_coder(hypothesis, hypothesis_coder, "hypothesis")), "hypothesis")
    if len(first) == len(second) == 1:
        ((item, a),), (b,) = first.items(), second.values()
        return Paired((item,), [(a, b)], ())
    items = tuple(item for item in first if item in second)
    excluded = [f"item {item!r} is not in the hypothesis" for item in first if item not in second]
    excluded += [f"item {item!r} is not in the reference" for item in second if item not in first]
    return Paired(items, [(first[item], second[item]) for item in items], tuple(excluded))


def _scorable(by_item: dict[str, Annotation], side: str) -> dict[str, Comparable]:
    found: dict[str, Comparable] = {}
    for item, one in by_item.items():
        if isinstance(one, Tier):
            raise MismatchError(f"{side}, item {item!r}: a Segmentation is needed; got {kind_name(one)}")
        found[item] = one
    return found


def _only_coder(corpus: Corpus, coder: str | None, side: str) -> str:
    if coder is not None:
        return coder
    if len(corpus.coders) != 1:
        raise OptionError(f"the {side} has several coders; name one of {', '.join(corpus.coders)}")
    return corpus.coders[0]
