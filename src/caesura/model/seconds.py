"""Annotations in seconds that have no units: which tiers belong together, and whether they have one extent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation
from caesura.model.edges import SAME_PLACE
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED
from caesura.model.tier import Tier

# Corpora such as a reference and a hypothesis, or the annotations of a system by item.
Corpora = Sequence[Mapping[Any, Annotation]]


def tier_option(corpus: Mapping[Any, Annotation], name: str) -> Any:
    source = corpus.source if isinstance(corpus, Corpus) else None
    return None if source is None else source.tier_options.get(name)


def lack_units(corpora: Corpora) -> bool:
    """Return whether all annotations are tiers without units: there are no words, and the user chose no units."""
    annotations = [annotation for corpus in corpora for annotation in corpus.values()]
    if not annotations or not all(annotation.tiers for annotation in annotations):
        return False
    if any(tier_option(corpus, "units") is not None for corpus in corpora):
        return False
    return all(tier.words is None for annotation in annotations for tier in annotation.tiers.values())


def flat_as_tiers(corpora: Corpora) -> list[dict[Any, Annotation]]:
    """Return hierarchies in seconds that have one level, such as those of .lab files, as tiers."""
    flat: list[dict[Any, Annotation]] = []
    for corpus in corpora:
        tiers: dict[Any, Annotation] = {}
        for key, annotation in corpus.items():
            tier = _as_tier(annotation)
            if tier is None:
                return []
            tiers[key] = tier
        flat.append(tiers)
    return flat


def _as_tier(annotation: Annotation) -> Tier | None:
    if not isinstance(annotation, Hierarchy) or annotation.edges is None or annotation.depth != 1:
        return None
    edges = annotation.edges
    labels = [(span.label or "").strip() or UNTYPED[0] for span in annotation.spans]
    intervals = [
        (edges[span.start - 1], edges[span.end], label) for span, label in zip(annotation.spans, labels, strict=True)
    ]
    return Tier(intervals, edges[0], edges[-1])


def one_level_as_tiers(corpus: Corpus) -> Corpus:
    """Return the corpus as tiers if all annotations are hierarchies in seconds with one level; otherwise the corpus itself."""
    # Every task that chooses between seconds and hierarchies by itself asks this function, so that all of them compare the same
    # file in the same way.
    if not len(corpus) or not (tiers := flat_as_tiers([corpus])):
        return corpus
    by_item: dict[str, dict[str, Annotation]] = {item: {} for item in corpus.item_names}
    for (item, coder), tier in tiers[0].items():
        by_item[item][coder] = tier
    return Corpus(by_item).with_source(corpus.source).with_origin(corpus)


def tiers_where_mixed(corpora: Sequence[Corpus]) -> list[Corpus]:
    """Return the corpora; if some annotations are tiers, hierarchies in seconds with one level become tiers too."""
    if not any(corpus.holds(Tier) for corpus in corpora) or not any(corpus.holds(Hierarchy) for corpus in corpora):
        return list(corpora)
    converted = []
    for corpus in corpora:
        by_item: dict[str, dict[str, Annotation]] = {item: {} for item in corpus.item_names}
        for (item, coder), annotation in corpus.items():
            by_item[item][coder] = _as_tier(annotation) or annotation
        converted.append(Corpus(by_item).with_source(corpus.source))
    return converted


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
