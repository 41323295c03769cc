"""Two corpora side by side: which item goes with which, and which coder with which."""

from __future__ import annotations

from dataclasses import dataclass

from caesura.errors import MismatchError, OptionError
from caesura.measures.batch import Pair
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Comparable
from caesura.model.result import Excluded
from caesura.model.tier import Tier


@dataclass(frozen=True)
class PairedItems:
    """Reference and hypothesis of every item that both sides have.

    Attributes
    ----------
    items : tuple of str
        Names of the items.
    pairs : list of tuple
        Reference and hypothesis of each item.
    excluded : tuple of Excluded
        Items that only one side has.
    """

    items: tuple[str, ...]
    pairs: list[Pair]
    excluded: tuple[Excluded, ...]


def pair_items(
    reference: Corpus,
    hypothesis: Corpus | None = None,
    *,
    reference_coder: str | None = None,
    hypothesis_coder: str | None = None,
) -> PairedItems:
    """Pair the items of two corpora by name, or two coders of one corpus.

    Parameters
    ----------
    reference : Corpus
        The reference, or the corpus that holds both coders.
    hypothesis : Corpus, optional
        The hypothesis.
    reference_coder, hypothesis_coder : str, optional
        Which coder to take on each side, if there are several. In one corpus of two coders, the first is the reference.

    Returns
    -------
    PairedItems
        The pairs. Two corpora of one item each go together whatever the names.

    Raises
    ------
    OptionError
        If a side has several coders and none is chosen.
    MismatchError
        If an annotation is a tier, which has no units.
    """
    if hypothesis is None:
        hypothesis = reference
        if reference_coder is None and hypothesis_coder is None and len(reference.coders) == 2:
            reference_coder, hypothesis_coder = reference.coders
    first = _annotations(reference, reference_coder, "reference")
    second = _annotations(hypothesis, hypothesis_coder, "hypothesis")
    if len(first) == len(second) == 1:
        ((item, a),), (b,) = first.items(), second.values()
        return PairedItems((item,), [(a, b)], ())
    items = tuple(item for item in first if item in second)
    excluded = [Excluded(item, None, "not in the hypothesis") for item in first if item not in second]
    excluded += [Excluded(item, None, "not in the reference") for item in second if item not in first]
    return PairedItems(items, [(first[item], second[item]) for item in items], tuple(excluded))


def _annotations(corpus: Corpus, coder: str | None, side: str) -> dict[str, Comparable]:
    """Return item -> annotation of the chosen coder, or of the only one."""
    if coder is None:
        if len(corpus.coders) != 1:
            coders = ", ".join(map(repr, corpus.coders))
            raise OptionError(f"the {side} has several coders; choose one with --{side}-coder: {coders}")
        coder = corpus.coders[0]
    comparable: dict[str, Comparable] = {}
    for item, annotation in corpus.of_coder(coder).items():
        if isinstance(annotation, Tier):
            raise MismatchError(
                f"{side}, item {item!r}: a Segmentation is needed; got a Tier, which has times but no units; "
                "over_units(corpus) makes one"
            )
        comparable[item] = annotation
    return comparable
