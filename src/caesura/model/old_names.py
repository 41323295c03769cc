"""Names of version 0.2 that other folders still use, over what replaced them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caesura.errors import SpansError
from caesura.model.annotation import SAME_PLACE
from caesura.model.checks import UNTYPED
from caesura.model.corpus import Corpus, by_item
from caesura.model.dialogue import Annotation, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.model.tier import Tier

# Corpora such as a reference and a hypothesis, or the annotations of a system by item.
Corpora = Sequence[Mapping[Any, Annotation]]


def streams_of(annotation: Annotation) -> Mapping[str, Segmentation]:
    return texts_of(annotation)


def tiers_of(annotation: Annotation) -> Mapping[str, Tier]:
    return getattr(annotation, "tiers", {})


def to_spans(annotation: object) -> Spans:
    """Return the intervals of a tier, the spans of a hierarchy, or the segments of a segmentation as spans."""
    if isinstance(annotation, Spans):
        return annotation
    if not isinstance(annotation, (Tier, Hierarchy, Segmentation)):
        raise SpansError(f"expected spans, a tier, a hierarchy or a segmentation; got {type(annotation).__name__}")
    rows, axis = [row[:3] for row in annotation.ranges], annotation.axis
    return Spans(rows, bounds=axis.extent, seconds=axis.seconds, units=None if axis.seconds else axis.tokens)


def tier_option(corpus: Mapping[Any, Annotation], name: str) -> Any:
    source = getattr(corpus, "source", None)
    return None if source is None else source.tier_options.get(name)


def lack_units(corpora: Corpora) -> bool:
    """Return whether all annotations are tiers without units: there are no words, and the user chose no units."""
    tiers = [annotation.tiers for corpus in corpora for annotation in corpus.values()]
    if not tiers or not all(tiers) or any(tier_option(corpus, "units") is not None for corpus in corpora):
        return False
    return all(tier.words is None for streams in tiers for tier in streams.values())


def flat_as_tiers(corpora: Corpora) -> list[dict[Any, Tier]]:
    """Return hierarchies in seconds that have one level, such as those of .lab files, as tiers."""
    flat = [{key: _as_tier(annotation) for key, annotation in corpus.items()} for corpus in corpora]
    tiers = [{key: tier for key, tier in entries.items() if tier is not None} for entries in flat]
    return tiers if list(map(len, tiers)) == list(map(len, flat)) else []


def _as_tier(annotation: Annotation) -> Tier | None:
    if not isinstance(annotation, Hierarchy) or annotation.edges is None or annotation.depth != 1:
        return None
    spans = to_spans(annotation).spans
    return Tier([(*span[:2], (span[2] or "").strip() or UNTYPED[0]) for span in spans], *annotation.axis.extent)


def one_level_as_tiers(corpus: Corpus) -> Corpus:
    """Return the corpus as tiers if all annotations are hierarchies in seconds with one level; otherwise the corpus itself."""
    # Every task that chooses between seconds and hierarchies by itself asks this function, so that all of them compare the same
    # file in the same way.
    if not len(corpus) or not (tiers := flat_as_tiers([corpus])):
        return corpus
    return Corpus(by_item(tiers[0].items())).with_source(corpus.source).with_origin(corpus)


def tiers_where_mixed(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Return the corpora; if some annotations are tiers, hierarchies in seconds with one level become tiers too."""
    if not any(corpus.holds(Tier) for corpus in corpora) or not any(corpus.holds(Hierarchy) for corpus in corpora):
        return list(corpora)
    converted = [by_item((key, _as_tier(entry) or entry) for key, entry in corpus.items()) for corpus in corpora]
    return [Corpus(entries).with_source(corpus.source) for entries, corpus in zip(converted, corpora, strict=True)]


def tiers_by_item(corpora: Corpora) -> dict[tuple[str, str], list[Tier]]:
    named = [
        [(key[0] if isinstance(key, tuple) else key, entry) for key, entry in corpus.items()] for corpus in corpora
    ]
    one_item = all(len({item for item, _ in entries}) == 1 for entries in named)
    together: dict[tuple[str, str], list[Tier]] = {}
    for item, annotation in (entry for entries in named for entry in entries):
        for stream, tier in annotation.tiers.items():
            together.setdefault((named[0][0][0] if one_item else item, stream), []).append(tier)
    return together


def extent_problem(corpora: Corpora) -> str | None:
    """Return why measures that need the extent of recordings cannot be computed."""
    boundaries = "so that only boundaries are compared"
    for (item, _), tiers in tiers_by_item(corpora).items():
        if any(tier.open_end for tier in tiers):
            hint = "give the lengths with --reading lengths=FILE to compare segments too"
            return f"the lengths of the items are not known, {boundaries}; {hint}"
        begins, ends = [tier.begin for tier in tiers], [tier.end for tier in tiers]
        if max(begins) - min(begins) > SAME_PLACE or max(ends) - min(ends) > SAME_PLACE:
            extents = " and ".join(dict.fromkeys(f"{tier.begin:.10g}-{tier.end:.10g} s" for tier in tiers))
            hint = "to compare segments too, choose an extent: -m 'purity_coverage(extent=union)', reference or intersection"
            return f"item {item!r} has the extents {extents}, {boundaries}; {hint}"
    return None
