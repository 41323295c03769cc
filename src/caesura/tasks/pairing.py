"""Pair the items of a reference and a hypothesis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from caesura.errors import MismatchError, OptionError
from caesura.model.annotation import tiers_of
from caesura.model.batch import Pair
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Dialogue, texts_of
from caesura.model.fingerprint import fingerprint_of_pairs
from caesura.model.result import Excluded
from caesura.model.tier import Tier

# Name that stands for all reference coders.
ALL_CODERS = "all"


def pair_items(
    reference: Corpus,
    hypothesis: Corpus | None = None,
    *,
    reference_coder: str | None = None,
    hypothesis_coder: str | None = None,
    tiers: bool = False,
) -> tuple[dict[str, Pair], tuple[Excluded, ...]]:
    """Pair the items of two corpora by name, or two coders of one corpus."""
    if reference_coder == ALL_CODERS:
        return _pair_with_all(reference, hypothesis, hypothesis_coder, tiers=tiers)
    if hypothesis is None:
        if len(reference.coders) == 1:
            raise OptionError(
                f"expected two coders to compare; there is only {reference.coders[0]!r}; add a second file "
                "(`caesura score REFERENCE HYPOTHESIS`), or a file with both coders"
            )
        hypothesis = reference
        if len(reference.coders) == 2:  # the first coder is the reference by default
            coder, second_coder = reference.coders
            reference_coder = reference_coder or (coder if hypothesis_coder in (None, second_coder) else second_coder)
            hypothesis_coder = hypothesis_coder or (second_coder if reference_coder == coder else coder)
    first = _annotations(reference, reference_coder, "reference", tiers=tiers)
    second = _annotations(hypothesis, hypothesis_coder, "hypothesis", tiers=tiers)
    return _pair_sides(first, second)


def _pair_sides(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[dict[str, Pair], tuple[Excluded, ...]]:
    """Pair the items of both sides; if each side has only one item, its name does not matter."""
    if len(first) == len(second) == 1:
        second = dict(zip(first, second.values(), strict=True))
    pairs: dict[str, Pair] = {item: (first[item], second[item]) for item in first if item in second}
    if not pairs:
        raise OptionError("reference and hypothesis have no item in common; use the same item names in both")
    return pairs, (*_missing(first, second, "hypothesis"), *_missing(second, first, "reference"))


class CoderReferences(tuple[Any, ...]):
    """The annotations of several reference coders of one item, with the names of the coders."""

    names: tuple[str, ...]

    @classmethod
    def from_coders(cls, annotations: Mapping[str, Any]) -> CoderReferences:
        references = cls(annotations.values())
        references.names = tuple(annotations)
        return references

    def of(self, coder: str) -> Any:
        return self[self.names.index(coder)]


def _pair_with_all(
    reference: Corpus, hypothesis: Corpus | None, hypothesis_coder: str | None, *, tiers: bool
) -> tuple[dict[str, Pair], tuple[Excluded, ...]]:
    """Pair the hypothesis of each item with the annotations of all other coders."""
    if hypothesis is None and hypothesis_coder is None:
        coders = ", ".join(map(repr, reference.coders))
        raise OptionError(f"all coders are references; choose the hypothesis with --hypothesis: {coders}")
    second = _annotations(hypothesis or reference, hypothesis_coder, "hypothesis", tiers=tiers)
    first: dict[str, dict[str, Any]] = {}
    own_coder = hypothesis_coder if hypothesis is None else None
    for coder in (name for name in reference.coders if name != own_coder):
        for item, annotation in _annotations(reference, coder, "reference", tiers=tiers).items():
            first.setdefault(item, {})[coder] = annotation
    return _pair_sides({item: CoderReferences.from_coders(coders) for item, coders in first.items()}, second)


def fingerprint_of_sides(
    reference: Corpus,
    hypothesis: Corpus | None,
    items: Iterable[str],
    *,
    reference_coder: str | None = None,
    hypothesis_coder: str | None = None,
) -> str:
    """Return the fingerprint of the paired items, as they were before they were converted to common units."""
    if reference_coder == ALL_CODERS:
        pairs: Mapping[str, Any] = _pair_with_all(reference, hypothesis, hypothesis_coder, tiers=True)[0]
        by_coder = [(item, name) for item in items for name in pairs[item][0].names]
        return fingerprint_of_pairs({f"{i} {name}": (pairs[i][0].of(name), pairs[i][1]) for i, name in by_coder})
    coders: list[str | None] = [reference_coder, hypothesis_coder]
    if hypothesis is None and coders == [None, None]:
        coders = list(reference.coders[:2])
    sides = []
    for corpus, coder in zip((reference, hypothesis or reference), coders, strict=True):
        original = corpus if corpus.origin is None else corpus.origin
        sides.append(original.of_coder(coder or corpus.coders[0]))
    first, second = sides
    if len(first) == len(second) == 1:
        second = dict(zip(first, second.values(), strict=True))
    return fingerprint_of_pairs({item: (first[item], second[item]) for item in items})


def _missing(items: Iterable[str], side: Mapping[str, object], name: str) -> list[Excluded]:
    return [Excluded(item, None, f"not in the {name}") for item in items if item not in side]


def _annotations(corpus: Corpus, coder: str | None, side: str, *, tiers: bool = False) -> dict[str, Any]:
    """Return item -> annotation of the chosen coder, or of the only coder."""
    if coder is None:
        if len(corpus.coders) != 1:
            coders = ", ".join(map(repr, corpus.coders))
            raise OptionError(f"the {side} has several coders; choose one with --{side}: {coders}")
        coder = corpus.coders[0]
    comparable: dict[str, Any] = {}
    for item, annotation in corpus.of_coder(coder).items():
        if tiers and tiers_of(annotation):
            comparable[item] = annotation
            continue
        if tiers_of(annotation) or isinstance(annotation, Tier):
            raise MismatchError(
                f"{side}, item {item!r}: expected a Segmentation; got a Tier, which has times but no units; "
                "convert the corpus with over_units(corpus)"
            )
        comparable[item] = texts_of(annotation) if isinstance(annotation, Dialogue) else annotation
    return comparable
