"""The items that a page shows in detail: as many as it has space for, those with the least agreement first."""

from __future__ import annotations

import math
from collections.abc import Iterable

from caesura.limits import MAX_PAGE_CELLS
from caesura.model.corpus import Corpus
from caesura.model.dialogue import Annotation, streams_of, tiers_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Excluded
from caesura.model.tree import Tree
from caesura.tasks.alignments import items_that_fit
from caesura.tasks.report_results import Overview
from caesura.tasks.report_subject import Subject, length_in

# Maximum number of units of an item that a browser shows without delay.
MAX_UNITS = 20_000
# Units of an item in detail that take as long as everything else about it.
CELLS_PER_ITEM = 600


def ranked_items(subject: Subject, overview: Overview) -> list[str]:
    """Return all items, those with the least agreement first and those without a value last."""
    values, sign = overview.items, 1 if overview.higher_is_better else -1
    return sorted(subject.corpus.item_names, key=lambda item: sign * values[item] if item in values else math.inf)


def items_in_detail(subject: Subject, ranked: Iterable[str], excluded: list[Excluded]) -> tuple[tuple[str, ...], str]:
    """Return the items that are shown in detail: the first ones, until the page is full."""
    candidates = list(ranked) if subject.kind == "trees" else _with_short_text(subject, ranked, excluded)
    sizes = _detail_sizes(subject)
    chosen = set(items_that_fit({item: sizes[item] for item in candidates}, MAX_PAGE_CELLS))
    note = ""
    if len(chosen) < len(candidates):
        number = len(subject.corpus.item_names)
        shown = f"{len(chosen):,} of {number:,} items are shown in detail"
        note = (
            f"{shown}, those with the least agreement; the others are only in the table of items; choose items with "
            "--item to see them"
            if chosen
            else f"{shown}: there are too many coders, or their texts are too long"
        )
    return tuple(item for item in subject.corpus.item_names if item in chosen), note


def _with_short_text(subject: Subject, items: Iterable[str], excluded: list[Excluded]) -> list[str]:
    lengths = {item: length_in(subject.boundaries, item) for item in items}
    long = {item: length for item, length in lengths.items() if length > MAX_UNITS}
    for item, length in long.items():
        reason = f"the text is not shown: it has {length} units, above {MAX_UNITS}"
        excluded.append(Excluded(item, None, reason))
    return [item for item in lengths if item not in long]


def _detail_sizes(subject: Subject) -> dict[str, int]:
    """Return how much a page has to contain to show each item in detail, as ``MAX_PAGE_CELLS`` counts it."""
    sizes = dict(subject.possible_edits)
    for item in sizes:
        first = next(iter(subject.boundaries.of_item(item).values()))
        sizes[item] += CELLS_PER_ITEM + _number_of_words(first)
    for corpus in (subject.boundaries, subject.corpus, subject.tiers or Corpus({})):
        for (item, _), annotation in corpus.items():
            sizes[item] = sizes.get(item, 0) + _number_of_marks(annotation)
    return sizes


def _number_of_words(annotation: Annotation) -> int:
    """Return the number of units of a text that has words."""
    streams = {} if isinstance(annotation, Tree) else streams_of(annotation)
    return sum(text.length for text in streams.values() if text.units is not None)


def _number_of_marks(annotation: Annotation) -> int:
    """Return how many numbers a page needs to show an annotation: four for a span or interval, three for a node."""
    if isinstance(annotation, Tree):
        return 3 * len(annotation.labels)
    if isinstance(annotation, Hierarchy):
        return 4 * len(annotation.spans)
    tiers = tiers_of(annotation)
    if tiers:
        return sum(4 * len(tier.intervals) for tier in tiers.values())
    return sum(int(text.inner.size) for text in streams_of(annotation).values())
