"""The annotation that more than half of the coders of an item agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from caesura.errors import MismatchError
from caesura.model.dialogue import Comparable, Dialogue, texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.model.tree import Tree


def majority(annotations: Sequence[Comparable], *, levels: bool = False) -> Segmentation | Dialogue | Hierarchy:
    """Return what more than half of the coders marked."""
    # If no coder has two types at a position, a position that more than half of the coders marked gets the type that is most
    # frequent there; of equally frequent types, the first on the scale. Otherwise every type is counted on its own. Two spans
    # that more than half of the coders have do not cross, because a coder has both.
    classes = set(map(type, annotations))
    if classes == {Hierarchy}:
        return _majority_of_spans(cast("Sequence[Hierarchy]", annotations), levels)
    if classes & {Hierarchy, Tree}:
        raise MismatchError("a majority needs segmentations, dialogues or hierarchies, of one kind for all coders")
    streams = list(map(texts_of, annotations))
    if len(set(map(frozenset, streams))) > 1:
        raise MismatchError("all coders must have the same streams")
    merged = {name: _majority_of_boundaries([entry[name] for entry in streams]) for name in streams[0]}
    return merged[""] if "" in merged else Dialogue(merged)


def _check_lengths(lengths: Sequence[int]) -> None:
    if len(set(lengths)) > 1:
        raise MismatchError(f"all coders must have the same units; they have {', '.join(map(str, lengths))}")


def _majority_of_boundaries(coders: Sequence[Segmentation]) -> Segmentation:
    _check_lengths([coder.length for coder in coders])
    length, units = coders[0].length, _units(coders)
    if {coder.types for coder in coders} == {UNTYPED}:
        positions, numbers = np.unique(np.concatenate([coder.positions for coder in coders]), return_counts=True)
        return Segmentation.from_valid_entries(length, positions[2 * numbers > len(coders)], units=units)
    scale = _scale(coders)
    marks = [(at, name) for at, names in _majority_types(coders, scale).items() for name in names]
    declared = all(coder.types_declared for coder in coders)
    return segmentation_of_marks(length, marks, scale, types_declared=declared, units=units)


def segmentation_of_marks(
    length: int, marks: Iterable[tuple[int, str]], types: tuple[str, ...], **options: Any
) -> Segmentation:
    """Return the segmentation with these positions and types of boundaries, in any order; the types must be on the scale."""
    codes = {name: code for code, name in enumerate(types)}
    rows = np.array(sorted({(position, codes[name]) for position, name in marks}), np.int64).reshape(-1, 2)
    return Segmentation.from_valid_entries(length, rows[:, 0].copy(), rows[:, 1].copy(), types, **options)


def _units(coders: Sequence[Segmentation] | Sequence[Hierarchy]) -> tuple[str, ...] | None:
    return next((coder.units for coder in coders if coder.units is not None), None)


def _scale(coders: Sequence[Segmentation]) -> tuple[str, ...]:
    """Return the types of all coders: their common scale, or all types that they have."""
    scales = {coder.types for coder in coders if coder.types != UNTYPED or coder.positions.size}
    return scales.pop() if len(scales) == 1 else sort_types({name for scale in scales for name in scale})


def _majority_types(coders: Sequence[Segmentation], scale: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    """Return position -> types."""
    at: dict[int, Counter[str]] = {}
    for coder in coders:
        for position, name in coder.boundaries:
            at.setdefault(position, Counter())[name] += 1
    exclusive = all(coder.exclusive for coder in coders)
    kept: dict[int, tuple[str, ...]] = {}
    for position, numbers in at.items():
        if not exclusive:
            names = [name for name in scale if 2 * numbers[name] > len(coders)]
        else:
            names = [max(scale, key=numbers.__getitem__)] if 2 * numbers.total() > len(coders) else []
        if names:
            kept[position] = tuple(names)
    return kept


def _majority_of_spans(coders: Sequence[Hierarchy], levels: bool) -> Hierarchy:
    _check_lengths([coder.length for coder in coders])
    first = coders[0]
    numbers = Counter(span for coder in coders for span in (coder.full if levels else coder.flat))
    spans = sorted(span for span, number in numbers.items() if 2 * number > len(coders))
    return Hierarchy(first.length, spans, units=_units(coders), edges=first.edges, extent=first.extent)
