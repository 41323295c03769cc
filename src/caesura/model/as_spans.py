"""Annotations of other kinds as spans: intervals of tiers, spans of hierarchies, and segments."""

from __future__ import annotations

from itertools import pairwise

from caesura.errors import SpansError
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import Segmentation
from caesura.model.spans import Spans
from caesura.model.tier import Tier


def to_spans(annotation: object) -> Spans:
    if isinstance(annotation, Spans):
        return annotation
    if isinstance(annotation, Tier):
        points = (
            [] if annotation.intervals else [(point.time, point.time, point.label) for point in annotation.points or ()]
        )
        rows = [tuple(interval) for interval in annotation.intervals] or points
        return Spans(rows, bounds=(annotation.begin, annotation.end), seconds=True)
    if isinstance(annotation, Hierarchy):
        return _of_hierarchy(annotation)
    if isinstance(annotation, Segmentation):
        labels = annotation.labels
        edges = [0, *annotation.inner.tolist(), annotation.length]
        spans = [(start, end, None if labels is None else labels[start]) for start, end in pairwise(edges)]
        return Spans(spans, length=annotation.length, units=annotation.units)
    raise SpansError(f"expected spans, a tier, a hierarchy or a segmentation; got {type(annotation).__name__}")


def _of_hierarchy(hierarchy: Hierarchy) -> Spans:
    edges = hierarchy.edges
    if edges is None:
        spans = [(span.start - 1, span.end, span.label) for span in hierarchy.spans]
        return Spans(spans, length=hierarchy.length, units=hierarchy.units)
    times = [(edges[span.start - 1], edges[span.end], span.label) for span in hierarchy.spans]
    return Spans(times, bounds=(edges[0], edges[-1]), seconds=True)
