"""Choose how the annotations of a corpus are adjudicated: boundaries over units or in seconds, spans, or hierarchies."""

from __future__ import annotations

from dataclasses import replace

from caesura.adjudication.boundaries import DisputedBoundaries, DisputedTiers
from caesura.adjudication.disputed import DisputedCorpus, check_kind
from caesura.adjudication.spans import DisputedHierarchies, DisputedSpans
from caesura.agreement.compared_texts import prepare
from caesura.agreement.disagreements import disagreements
from caesura.measures.base import Measure
from caesura.measures.registry import default_measures
from caesura.model.corpus import Corpus, Source
from caesura.model.dialogue import streams_of, tiers_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.seconds import one_level_as_tiers
from caesura.model.segmentation import UNTYPED
from caesura.model.tier import Tier
from caesura.notices import collect_warnings


def disputed_of(corpus: Corpus) -> DisputedCorpus:
    check_kind(corpus)
    if corpus.origin is not None and corpus.origin.holds(Tier):  # read over words: the times count
        corpus = _in_seconds(corpus, corpus.origin)
    corpus = one_level_as_tiers(corpus)
    with collect_warnings():  # about coefficients over common units, which are not computed here
        result = disagreements(corpus, measure=_measure(corpus))
        if corpus.kind == "spans":
            return DisputedSpans(corpus, result)
        assert isinstance(result.measure, Measure)
        prepared = prepare(corpus, result.measure)
    if any(isinstance(annotation, Hierarchy) for annotation in corpus.values()):
        return DisputedHierarchies(corpus, result, prepared.corpus)
    if any(tiers_of(annotation) for annotation in corpus.values()):
        return DisputedTiers(corpus, result, prepared.corpus, prepared.times)
    return DisputedBoundaries(corpus, result)


def _measure(corpus: Corpus) -> Measure | None:
    """Return the measure for tiers: over units, so that types are compared too; otherwise the default counts."""
    streams = [stream for annotation in corpus.values() for stream in tiers_of(annotation)]
    if not streams:
        return None
    return default_measures("disagreements", "dialogue" if any(streams) else "linear")[0]


def _in_seconds(corpus: Corpus, origin: Corpus) -> Corpus:
    """Return the tiers of a corpus that was read over words; labels are types if they are types in the corpus."""
    texts = (text for annotation in corpus.values() for text in streams_of(annotation).values())
    labels = "types" if any(text.types != UNTYPED for text in texts) else "ignore"
    source = corpus.source or Source(())
    return origin.with_source(replace(source, tier_options={**source.tier_options, "labels": labels}))
