"""Texts, trees and alignments of a report, encoded as numbers for the script of the page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from caesura.measures.edit_columns import EDIT_KINDS
from caesura.model.annotation import tiers_of
from caesura.model.dialogue import Annotation, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.tier import Tier
from caesura.model.tree import Tree
from caesura.tasks.alignments import EditShape, TreeAlignment
from caesura.tasks.report_results import CorpusReport
from caesura.views.table import clean

_BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
_Numbering = defaultdict[str, int]  # numbers for names that occur often, in the order of their first use


def page_items(report: CorpusReport) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Return the items for the script of the page, and the data that all items share."""
    corpus, trees = report.subject.corpus, report.subject.kind == "trees"
    types, streams = _Numbering(count().__next__), _Numbering(count().__next__)
    items = _tree_items(report) if trees else _text_items(report, types, streams)
    overview, counts = report.overview, report.alignments.disagreements
    higher_is_better = overview.higher_is_better
    # The shapes may add names to types and streams.
    shapes = [_shape(shape, types, streams) for shape in report.alignments.shapes]
    return items, {
        "kinds": EDIT_KINDS,
        "coders": [clean(name) for name in corpus.coders],
        "programs": [corpus.coders.index(name) for name in report.subject.systems],
        "items": [clean(name) for name in items],
        "trees": trees,
        "types": [clean(name) for name in types],
        "streams": [clean(name) for name in streams],
        "shapes": shapes,
        "overview": ranked_items(report.text_items, overview.items, counts, higher_is_better=higher_is_better),
        "others": named_values(report.other_items, overview.items, higher_is_better=higher_is_better),
        "matrix": {"measure": overview.label, "cells": matrix_cells(corpus.coders, overview.pairs)},
        "plain": not trees and set(types) <= set(UNTYPED),
    }


def ranked_items(
    items: Sequence[str], means: Mapping[str, float], counts: Mapping[str, int], *, higher_is_better: bool
) -> list[list[Any]]:
    """Return number, mean over pairs and number of disagreements of each item, the least agreement first."""
    sign = 1 if higher_is_better else -1
    rows = [[number, means.get(item), counts.get(item, 0)] for number, item in enumerate(items)]
    return sorted(rows, key=lambda row: (row[1] is None, sign * (row[1] or 0), -row[2], row[0]))


def named_values(items: Sequence[str], means: Mapping[str, float], *, higher_is_better: bool) -> list[list[Any]]:
    """Return the rows of the items that are only in the table, the least agreement first."""
    ranked = ranked_items(items, means, {}, higher_is_better=higher_is_better)
    return [[clean(items[number]), mean] for number, mean, _ in ranked]


def matrix_cells(coders: Sequence[str], values: Mapping[tuple[str, str], float]) -> list[list[Any]]:
    numbers = {coder: i for i, coder in enumerate(coders)}
    return [
        [*sorted((numbers[a], numbers[b])), round(value, 4)]
        for (a, b), value in values.items()
        if a in numbers and b in numbers
    ]


def _text_items(report: CorpusReport, types: _Numbering, streams: _Numbering) -> dict[str, dict[str, Any]]:
    """Return every item with its units, the boundaries of every coder and the edits of all pairs."""
    subject, boundaries = report.subject, report.subject.boundaries
    coders = {coder: i for i, coder in enumerate(subject.corpus.coders)}
    items: dict[str, dict[str, Any]] = {}
    for item in report.text_items:
        by_coder = {coders[name]: texts_of(entry) for name, entry in subject.in_detail(boundaries, item).items()}
        annotations, tiers = subject.in_detail(subject.corpus, item), _tiers(report, item)
        example = next(iter(annotations.values()))
        edges = example.edges if isinstance(example, Hierarchy) else None  # the times at which units begin and end
        listed = [tier for by_stream in tiers.values() for tier in by_stream.values()]
        # Units that are stretches of time between the marks of coders have no text.
        has_text = not listed or any(tier.words for tier in listed)
        items[item] = {
            "streams": list(_streams(by_coder, types, streams, has_text)),
            "edits": {},
            "edges": None if edges is None else [*map(_rounded, edges)],
            "bars": _nested_bars(annotations, coders, streams) or _timed_bars(tiers, coders, streams),
            "times": _times(report, item, tiers, coders, streams),
        }
    for pair in report.alignments.pairs:
        first, second = pair.coders
        items[pair.item]["edits"][f"{coders[first]}-{coders[second]}"] = pair.edits
    return items


def _shape(shape: EditShape, types: _Numbering, streams: _Numbering) -> list[float]:
    type_numbers = (-1 if name is None else types[name] for name in (shape.a_type, shape.b_type))
    return [EDIT_KINDS.index(shape.kind), shape.shift, *type_numbers, shape.cost, streams[shape.stream or ""]]


def _streams(
    by_coder: Mapping[int, Mapping[str, Segmentation]], types: _Numbering, streams: _Numbering, has_text: bool
) -> Iterator[dict[str, Any]]:
    """Yield the units of each stream, and the boundaries of each coder."""
    for stream, first in next(iter(by_coder.values())).items():
        texts = {coder: entry[stream] for coder, entry in by_coder.items()}
        units = next((text.units for text in texts.values() if text.units is not None), None)
        marks = [
            [coder, [position for position, _ in text.boundaries], [types[name] for _, name in text.boundaries]]
            for coder, text in texts.items()
        ]
        yield {
            "stream": streams[stream],
            "length": first.length,
            "units": None if units is None or not has_text else [_one_line(unit) for unit in units],
            "marks": marks,
        }


# Coder -> stream -> tier; the stream is empty outside dialogues.
_Tiers = Mapping[str, Mapping[str, Tier]]
# One entry per row of the timeline: stream, coder, and start, end, level and label of each bar.
Bars = list[list[Any]]


def _nested_bars(annotations: Mapping[str, Annotation], coders: Mapping[str, int], streams: _Numbering) -> Bars | None:
    """Return the spans of hierarchies as bars, in units or seconds; None for other annotations."""
    rows: Bars = []
    for coder, hierarchy in annotations.items():
        if not isinstance(hierarchy, Hierarchy):
            return None
        bars = [
            [_rounded(start), _rounded(end), level, _one_line(label or "")]
            for start, end, label, level in hierarchy.ranges
        ]
        rows.append([streams[""], coders[coder], bars])
    return rows


def _timed_bars(tiers: _Tiers, coders: Mapping[str, int], streams: _Numbering) -> Bars | None:
    """Return the intervals of tiers as bars in seconds; None if the item has no tiers."""
    rows: Bars = []
    for coder, by_stream in tiers.items():
        for stream, tier in by_stream.items():
            bars = [[_rounded(row.start), _rounded(row.end), 1, _one_line(row.label)] for row in tier.intervals]
            rows.append([streams[stream], coders[coder], bars])
    return rows or None


def _tiers(report: CorpusReport, item: str) -> _Tiers:
    corpus = report.subject.tiers
    if corpus is None or item not in corpus.item_names or item not in report.subject.corpus.item_names:
        return {}
    coders = report.subject.in_detail(report.subject.corpus, item)
    return {coder: tiers_of(entry) for coder, entry in corpus.of_item(item).items() if coder in coders}


def _times(
    report: CorpusReport, item: str, tiers: _Tiers, coders: Mapping[str, int], streams: _Numbering
) -> dict[str, Any] | None:
    """Return the extent of a recording, and the time of each boundary by stream and coder; None without tiers."""
    if not tiers:
        return None
    extents = [(tier.begin, tier.end) for by_stream in tiers.values() for tier in by_stream.values()]
    places = {
        f"{streams[stream]}-{coders[coder]}": {
            position: _rounded(time) for position, time in report.subject.times.get((item, coder, stream), {}).items()
        }
        for coder, by_stream in tiers.items()
        for stream in by_stream
    }
    return {
        "begin": _rounded(min(begin for begin, _ in extents)),
        "end": _rounded(max(end for _, end in extents)),
        "places": places,
    }


def _rounded(time: float) -> float:
    """Return a time in milliseconds, which is finer than a screen shows."""
    return round(float(time), 3)


def _one_line(unit: str) -> str:
    """Return a unit, which may be a paragraph with line breaks, as one line."""
    return clean(_BREAKS.sub(" ", unit))


# -- trees ------------------------------------------------------------------------------------------------------------


def _tree_items(report: CorpusReport) -> dict[str, dict[str, Any]]:
    """Return every sentence with the nodes of every coder in preorder, and the aligned nodes of all pairs."""
    corpus = report.subject.corpus
    coders = {coder: i for i, coder in enumerate(corpus.coders)}
    items: dict[str, dict[str, Any]] = {}
    for item in report.text_items:
        trees = [[coders[coder], _nodes(tree)] for coder, tree in report.subject.in_detail(corpus, item).items()]
        items[item] = {"trees": trees, "pairs": {}}
    for alignment in report.alignments.trees:
        first, second = alignment.coders
        items[alignment.item]["pairs"][f"{coders[first]}-{coders[second]}"] = node_pairs(alignment)
    return items


def node_pairs(alignment: TreeAlignment) -> list[float]:
    numbers: list[float] = []
    for pair in alignment.score.alignment:
        numbers += (pair.gold, pair.predicted, pair.iou if pair.iou == 1 else min(round(pair.iou, 4), 0.9999))
    return numbers


def _nodes(tree: Annotation) -> list[list[Any]]:
    """Return depth and label of each node, and its word if it is a preterminal."""
    assert isinstance(tree, Tree)
    nodes = zip(tree.depth.tolist(), tree.labels, tree.preterminal.tolist(), tree.start.tolist(), strict=True)
    return [
        [depth, _one_line(label), *([_one_line(tree.words[start])] if is_leaf else [])]
        for depth, label, is_leaf, start in nodes
    ]
