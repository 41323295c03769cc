"""Convert pairs of segmentations, tiers or hierarchies into boundaries on one axis, many documents at a time.

The axis is units (boundary i at place i, extent 0 to N) or time (seconds). A measure that uses these arrays has one definition
for both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, MismatchError
from caesura.kernels import cells as kernel
from caesura.measures.batch import Batch, Packed, are_plain, offsets_of, units_difference
from caesura.measures.pooled import has_streams, pack_dialogues
from caesura.model.edges import NO_CODES, SAME_PLACE, Edges, edges_of_intervals
from caesura.model.hierarchy import Hierarchy
from caesura.model.segmentation import UNTYPED, Segmentation, constructors_for
from caesura.model.tier import Tier
from caesura.model.value import Floats, Ints

# What to do if the two sides have different extents: refuse, or compare on one of these extents. ``from_zero`` is 0 to the end
# of the reference, as in mir_eval.
EXTENTS = ("same", "reference", "intersection", "union", "from_zero")

# Message for measures that need the extent of a recording whose length is not known.
OPEN_END = (
    "the length of the recording is not known, and the last boundary is not its end; give the lengths of the items with "
    "lengths=FILE (--reading lengths=FILE), or use a measure that does not need them, such as boundary_f(tolerance='0.5s')"
)


# Boundaries of a side, offsets, classes of the segments that end there, classes of the last segments, and which documents have
# labels.
_Side = tuple[Floats, Ints, Ints, Ints, NDArray[np.bool_]]


class Packing(NamedTuple):
    """What a measure needs to know about the two sides."""

    level: int | None = None  # level of a hierarchy; None if it has only one
    extent: str = "same"
    needs_extent: bool = True  # Whether the value depends on the extent. If not, different extents are allowed.
    needs_labels: bool = False  # whether the arrays must contain the labels of segments
    # Whether equal labels have the same class in all documents and on both sides; the labels are the types of the batch.
    shared_labels: bool = False
    all_points: bool = False  # whether a point at the end of the extent is a boundary too
    start_points: bool = False  # whether a point at the beginning of the extent is a boundary too, if ``all_points``
    prepare: Callable[[Edges], Edges] | None = None  # changes the edges of the reference before the comparison


@dataclass(frozen=True, slots=True)
class EdgeBatch(Batch):
    """Documents on one axis: the boundaries of a in document d are ``a_pos[a_off[d]:a_off[d + 1]]``, as floats."""

    # ``a_code`` contains the class of the segment that ends at each boundary, ``a_last`` the class of the last segment; class 0
    # is a segment without label.

    begin: Floats = None  # type: ignore[assignment]  # fields of the base class have defaults
    end: Floats = None  # type: ignore[assignment]
    a_last: Ints = None  # type: ignore[assignment]
    b_last: Ints = None  # type: ignore[assignment]
    a_labelled: NDArray[np.bool_] = None  # type: ignore[assignment]
    b_labelled: NDArray[np.bool_] = None  # type: ignore[assignment]
    # Largest distance by which the extent of a side was changed.
    extent_change: Floats = None  # type: ignore[assignment]
    timed: bool = False  # whether the axis is time

    document_fields: ClassVar[tuple[str, ...]] = (
        "begin",
        "end",
        "a_last",
        "b_last",
        "a_labelled",
        "b_labelled",
        "extent_change",
    )

    @property
    def a_places(self) -> Floats:
        """Boundaries of a; the fields of the base class are declared as whole numbers."""
        return self.a_pos  # type: ignore[return-value]

    @property
    def b_places(self) -> Floats:
        return self.b_pos  # type: ignore[return-value]

    def resolved(self, *, extent: bool) -> dict[str, NDArray[Any]]:
        """Return the axis, and by how much an extent was changed, as resolved options."""
        resolved: dict[str, NDArray[Any]] = {"axis": np.full(len(self), int(self.timed), np.uint8)}
        return resolved | {"extent_change": self.extent_change} if extent else resolved


def has_times(pairs: Sequence[Any]) -> bool:
    """Return whether the first pair of annotations is in seconds or has levels, so that it needs an axis."""
    first = pairs[0] if pairs else ()
    sides = [side for side in first if not isinstance(side, Segmentation)] if isinstance(first, (tuple, list)) else []
    texts = [text for side in sides for text in (side.values() if isinstance(side, Mapping) else [side])]
    return any(isinstance(text, (Tier, Hierarchy)) for text in texts)


def pack_axis(pairs: Sequence[Any], sides: tuple[str, str], packing: Packing) -> Packed[Any]:
    """Return the batch of the pairs that can be compared; the streams of a dialogue are compared one by one."""
    if (batch := _pack_plain(pairs, packing)) is not None:
        return batch, np.arange(len(pairs)), {}
    if not has_streams(pairs):
        return pack_edges(pairs, sides, packing)
    return pack_dialogues(pairs, sides, lambda streams: pack_edges(streams, sides, packing))


def _pack_plain(pairs: Sequence[Any], packing: Packing) -> EdgeBatch | None:
    """Return the batch if all pairs are certainly comparable, else None; most batches have no problem."""
    if packing.prepare is not None or packing.extent == "from_zero":
        return None
    if are_plain(pairs):
        edges = {id(text): text for pair in pairs for text in pair}  # each coder of an item is in many pairs
        by_id = {key: _segmentation_edges(text, packing.needs_labels) for key, text in edges.items()}
        first, second = ([by_id[id(pair[i])] for pair in pairs] for i in (0, 1))
        return join_edges(first, second, np.zeros(len(pairs)), timed=False, packing=packing)
    return gather_tiers(pairs, packing)


def gather_tiers(pairs: Sequence[Any], packing: Packing) -> EdgeBatch | None:
    if packing.prepare is not None or packing.extent == "from_zero" or packing.shared_labels:
        return None
    try:
        packed = [a.packed_edges for a, _ in pairs], [b.packed_edges for _, b in pairs]
    except (AttributeError, TypeError, ValueError):  # other annotations, or no pairs
        return None
    arrays = kernel.gather(*packed, packing.needs_extent, packing.needs_labels, packing.all_points)
    if arrays is None:
        return None
    begin, end, a, b = arrays[0], arrays[1], arrays[2:7], arrays[7:]
    return _edge_batch(begin, end, a, b, UNTYPED, np.zeros(len(begin)), timed=True)


def _edge_batch(
    begin: Floats, end: Floats, a: _Side, b: _Side, types: tuple[str, ...], changes: Floats, *, timed: bool
) -> EdgeBatch:
    a_pos, a_off, a_code, a_last, a_labelled = a
    b_pos, b_off, b_code, b_last, b_labelled = b
    if timed:
        kernel.same_places(a_pos, a_off, b_pos, b_off)
    return EdgeBatch(
        np.zeros(len(begin), np.int64) if timed else end.astype(np.int64),
        a_pos,  # type: ignore[arg-type]
        a_code,
        a_off,
        b_pos,  # type: ignore[arg-type]
        b_code,
        b_off,
        types,
        begin=begin,
        end=end,
        a_last=a_last,
        b_last=b_last,
        a_labelled=a_labelled,
        b_labelled=b_labelled,
        extent_change=changes,
        timed=timed,
    )


def pack_edges(pairs: Sequence[Any], sides: tuple[str, str], packing: Packing) -> Packed[EdgeBatch]:
    rows: list[tuple[Edges, Edges, float]] = []
    places: list[int] = []
    errors: dict[int, CaesuraError] = {}
    timed: bool | None = None
    for place, pair in enumerate(pairs):
        try:
            is_timed, a, b = _pair_edges(pair, sides, packing)
            if timed is None:
                timed = is_timed
            elif timed is not is_timed:
                raise MismatchError("all pairs must be on the same axis; some are in units and some in seconds")
            rows.append(_on_one_extent(a, b, sides, packing))
            places.append(place)
        except CaesuraError as error:
            errors[place] = error
    first, second = [row[0] for row in rows], [row[1] for row in rows]
    changes = np.array([row[2] for row in rows], np.float64)
    batch = join_edges(first, second, changes, timed=bool(timed), packing=packing)
    return batch, np.array(places, np.int64), errors


def _pair_edges(pair: Any, sides: tuple[str, str], packing: Packing) -> tuple[bool, Edges, Edges]:
    """Return whether a pair is in seconds, and the edges of both sides."""
    try:
        a, b = pair
    except (TypeError, ValueError):
        raise MismatchError(f"expected a pair of annotations; got {type(pair).__name__}") from None
    (a_timed, a_edges), (b_timed, b_edges) = (
        side_edges(text, side, packing) for text, side in zip((a, b), sides, strict=True)
    )
    if a_timed is not b_timed:
        in_units, in_seconds = sides if b_timed else sides[::-1]
        raise MismatchError(
            f"both sides must be on the same axis; {in_units} has units, {in_seconds} has seconds; "
            "convert both to units with over_units"
        )
    if not a_timed and (problem := units_difference(a, b, sides)) is not None:
        raise MismatchError(problem)
    return a_timed, a_edges if packing.prepare is None else packing.prepare(a_edges), b_edges


def side_edges(text: Any, side: str, packing: Packing) -> tuple[bool, Edges]:
    """Return whether an annotation is in seconds, and its edges."""
    if type(text) is Tier:
        edges = text.edges
        if packing.all_points and edges.points is not None:
            points = edges.points if packing.start_points else edges.points[edges.points > edges.begin + SAME_PLACE]
            edges = edges._replace(inner=points)
        return True, edges
    if isinstance(text, Segmentation):
        return False, _segmentation_edges(text, packing.needs_labels)
    if isinstance(text, Hierarchy):
        return text.edges is not None, _level_edges(text, side, packing.level)
    got = type(text).__name__ + constructors_for(text)
    raise MismatchError(f"{side}: expected a Segmentation, a Tier or a level of a Hierarchy; got {got}")


def _segmentation_edges(text: Segmentation, needs_labels: bool) -> Edges:
    if not needs_labels or text.labels is None:
        return Edges(0.0, float(text.length), text.inner)
    labels = text.labels
    numbers: dict[str, int] = {}
    codes = [numbers.setdefault(labels[start], len(numbers) + 1) for start in (0, *text.inner.tolist())]
    return Edges(0.0, float(text.length), text.inner, np.array(codes, np.int64), tuple(numbers))


def _level_edges(text: Hierarchy, side: str, level: int | None) -> Edges:
    levels = {span.level for span in text.spans}
    listed = ", ".join(map(str, sorted(levels))) or "none"
    if level is None and len(levels) > 1:
        raise MismatchError(f"{side}: the hierarchy has the levels {listed}; choose one with level={min(levels)}")
    if level is not None and level not in levels:
        raise MismatchError(f"{side}: the hierarchy has no level {level}; its levels are {listed}")

    spans = [span for span in text.spans if level is None or span.level == level]
    times = range(text.length + 1) if text.edges is None else text.edges
    labelled = any(span.label is not None for span in spans)
    rows = [
        (times[span.start - 1], times[span.end], span.label if labelled else "")
        for span in sorted(spans, key=lambda span: span.start)
    ]
    if overlap := next(((before, after) for before, after in pairwise(rows) if after[0] < before[1]), None):
        listed = " and ".join(f"{start:.10g}-{end:.10g}" for start, end, _ in overlap)
        raise MismatchError(
            f"{side}: two spans of level {spans[0].level} overlap, {listed}; put spans that may overlap into one stream each"
        )
    edges = edges_of_intervals(rows, float(times[0]), float(times[-1]))
    return edges if labelled else edges._replace(labels=())


def _on_one_extent(a: Edges, b: Edges, sides: tuple[str, str], packing: Packing) -> tuple[Edges, Edges, float]:
    """Return both sides on the same extent, and by how much the extents differ."""
    if packing.needs_extent and (a.open_end or b.open_end):
        raise MismatchError(OPEN_END)
    change = max(abs(a.begin - b.begin), abs(a.end - b.end))
    if packing.extent == "from_zero" and packing.needs_extent:
        padding = ("__T_MIN", "__T_MAX")
        return a.fit(0.0, a.end, padding), b.fit(0.0, a.end, padding), max(change, abs(a.begin))
    if change <= SAME_PLACE or not packing.needs_extent:
        return a, b, 0.0
    if packing.extent == "same":
        extents = [f"{side} {edges.begin:.10g}-{edges.end:.10g} s" for side, edges in zip(sides, (a, b), strict=True)]
        raise MismatchError(
            f"both sides must have the same extent; got {', '.join(extents)}; set extent to 'reference', 'intersection' "
            "or 'union'"
        )
    if packing.extent == "reference":
        begin, end = a.begin, a.end
    elif packing.extent == "union":
        begin, end = min(a.begin, b.begin), max(a.end, b.end)
    else:
        begin, end = max(a.begin, b.begin), min(a.end, b.end)
        if end - begin <= SAME_PLACE:
            raise MismatchError(f"{sides[0]} and {sides[1]} have no time in common; set extent to 'union'")
    return a.fit(begin, end), b.fit(begin, end), change


def join_edges(a: Sequence[Edges], b: Sequence[Edges], changes: Floats, *, timed: bool, packing: Packing) -> EdgeBatch:
    types: tuple[str, ...] = UNTYPED
    if packing.shared_labels:
        types = tuple(sorted({label for edges in (*a, *b) for label in edges.labels if label}))
        distinct = {id(edges): edges for edges in (*a, *b)}
        by_id = {key: with_shared_codes(edges, types) for key, edges in distinct.items()}
        a, b = ([by_id[id(edges)] for edges in side] for side in (a, b))
    begin, end = np.array([edges.begin for edges in a], np.float64), np.array([edges.end for edges in a], np.float64)
    first, second = (_join_side(side, packing.needs_labels) for side in (a, b))
    return _edge_batch(begin, end, first, second, types, changes, timed=timed)


def with_shared_codes(edges: Edges, labels: tuple[str, ...]) -> Edges:
    """Return the edges with classes that are places in a list of labels; an empty label counts as no label."""
    if not edges.labels:
        return edges
    place = {label: number for number, label in enumerate(labels, 1)}
    code = np.array([0, *(place.get(label, 0) for label in edges.labels)], np.int64)
    return edges._replace(codes=code[edges.codes], labels=labels)


def _join_side(rows: Sequence[Edges], needs_labels: bool) -> _Side:
    places = [edges.inner for edges in rows]
    joined = np.concatenate(places) if places else np.empty(0)
    codes, last = NO_CODES, np.zeros(len(rows), np.int64)
    if needs_labels and rows:
        parts = [edges.codes if edges.codes.size else np.ones(len(edges.inner) + 1, np.int64) for edges in rows]
        codes = np.concatenate([part[:-1] for part in parts])
        last = np.array([part[-1] for part in parts], np.int64)
    labelled = np.array([edges.is_labelled for edges in rows], bool)
    return joined.astype(np.float64), offsets_of(places), codes, last, labelled
