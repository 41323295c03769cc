"""The annotation that more than half of the coders of an item agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import cast

from caesura.errors import MismatchError
from caesura.model.dialogue import Comparable, Dialogue, streams_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation, sort_types
from caesura.model.tree import Tree


def majority(annotations: Sequence[Comparable], *, levels: bool = False) -> Segmentation | Dialogue | Hierarchy:
    """Return what more than half of the coders marked.

    Parameters
    ----------
    annotations : sequence of Segmentation, Dialogue or Hierarchy
        The annotations of one item, one per coder.
    levels : bool, default False
        Whether spans of hierarchies must have the same level to count together.

    Returns
    -------
    Segmentation, Dialogue or Hierarchy
        An annotation over the same units.

    Raises
    ------
    MismatchError
        If the annotations differ in their kind, their streams or the number of their units.

    Notes
    -----
    If no coder has two types at a position, a position that more than half of the coders marked gets the type that is most
    frequent there; of equally frequent types, the first on the scale. Otherwise every type is counted on its own. Two spans
    that more than half of the coders have do not cross, because a coder has both.

    Examples
    --------
    >>> coders = [Segmentation.from_masses(masses) for masses in ([2, 3, 2], [2, 5], [2, 2, 3])]
    >>> majority(coders)
    Segmentation(7 units: ··|·····)
    """
    if all(isinstance(annotation, Hierarchy) for annotation in annotations):
        return _majority_of_spans(cast("Sequence[Hierarchy]", annotations), levels)
    if any(isinstance(annotation, Hierarchy | Tree) for annotation in annotations):
        raise MismatchError("a majority needs segmentations, dialogues or hierarchies, of one kind for all coders")
    streams = [streams_of(annotation) for annotation in annotations]
    names = list(streams[0])
    for entry in streams[1:]:
        if set(entry) != set(names):
            raise MismatchError("all coders must have the same streams")
    merged = {name: _majority_of_boundaries([entry[name] for entry in streams]) for name in names}
    return merged[""] if names == [""] else Dialogue(merged)


def _check_lengths(lengths: Sequence[int]) -> None:
    if len(set(lengths)) > 1:
        raise MismatchError(f"all coders must have the same units; they have {', '.join(map(str, lengths))}")


def _majority_of_boundaries(coders: Sequence[Segmentation]) -> Segmentation:
    _check_lengths([coder.length for coder in coders])
    units = next((coder.units for coder in coders if coder.units is not None), None)
    length = coders[0].length
    if all(coder.types == UNTYPED for coder in coders):
        marked = Counter(position for coder in coders for position in coder.positions.tolist())
        kept = sorted(position for position, number in marked.items() if 2 * number > len(coders))
        return Segmentation.from_positions(length, kept, units=units)
    scale = _scale(coders)
    marks = _majority_types(coders, scale)
    typed = Segmentation.from_positions(length, sorted(marks), marks=[marks[at] for at in sorted(marks)], units=units)
    return typed.with_types(scale, types_declared=all(coder.types_declared for coder in coders))


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
    if not all(coder.exclusive for coder in coders):
        several = {p: tuple(name for name in scale if 2 * number[name] > len(coders)) for p, number in at.items()}
        return {position: names for position, names in several.items() if names}
    return {
        position: (max(scale, key=numbers.__getitem__),)
        for position, numbers in at.items()
        if 2 * numbers.total() > len(coders)
    }


def _majority_of_spans(coders: Sequence[Hierarchy], levels: bool) -> Hierarchy:
    _check_lengths([coder.length for coder in coders])
    first = coders[0]
    numbers = Counter(span for coder in coders for span in (coder.full if levels else coder.flat))
    spans = sorted(span for span, number in numbers.items() if 2 * number > len(coders))
    units = next((coder.units for coder in coders if coder.units is not None), None)
    return Hierarchy(first.length, spans, units=units, edges=first.edges, extent=first.extent)
