"""The boundaries of several coders in one annotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from caesura.errors import MismatchError
from caesura.model.edges import SAME_PLACE
from caesura.model.segmentation import Segmentation
from caesura.model.tier import Tier


def union_of(annotations: Sequence[Any]) -> Any:
    """Return an annotation with the boundaries of all coders; boundaries at the same place are one.

    Parameters
    ----------
    annotations : sequence of Segmentation, Tier or mapping of streams
        The annotations of one item, all of the same kind. Types and labels are ignored.

    Returns
    -------
    Segmentation, Tier or dict
        The union, as a segmentation, as a tier of points or as streams.

    Raises
    ------
    MismatchError
        If the annotations have different lengths or kinds, or have no boundaries, such as hierarchies.

    Examples
    --------
    >>> union_of([Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses([5, 2, 4])]).positions.tolist()
    [2, 5, 7]
    """
    first = annotations[0]
    if all(isinstance(annotation, Segmentation) for annotation in annotations):
        lengths = {annotation.length for annotation in annotations}
        if len(lengths) > 1:
            raise MismatchError(
                f"all coders must have the same units; got {', '.join(map(str, sorted(lengths)))} units"
            )
        positions = np.unique(np.concatenate([annotation.inner for annotation in annotations]))
        return Segmentation.from_positions(first.length, positions.tolist())
    if all(isinstance(annotation, Tier) for annotation in annotations):
        return _union_of_tiers(annotations)
    if all(isinstance(annotation, Mapping) for annotation in annotations):
        if len({frozenset(annotation) for annotation in annotations}) > 1:
            raise MismatchError("all coders must have the same streams")
        return {name: union_of([annotation[name] for annotation in annotations]) for name in first}
    kinds = ", ".join(sorted({type(annotation).__name__ for annotation in annotations}))
    raise MismatchError(f"only segmentations and tiers have boundaries that can be joined; got {kinds}")


def _union_of_tiers(tiers: Sequence[Tier]) -> Tier:
    edges = [tier.edges for tier in tiers]
    places = np.sort(np.concatenate([side.inner if side.points is None else side.points for side in edges]))
    distinct = places[np.concatenate([[True], np.diff(places) > SAME_PLACE])] if len(places) else places
    begin, end = min(side.begin for side in edges), max(side.end for side in edges)
    open_end = any(side.open_end for side in edges)
    return Tier(points=[(time, "") for time in distinct.tolist()], begin=begin, end=end, open_end=open_end)
