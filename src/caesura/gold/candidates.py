"""The hierarchies of several coders for the same text, and the distinct spans that they contain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.pairwise import by_coder_name
from caesura.errors import MismatchError, OptionError
from caesura.gold.result import Candidate
from caesura.model.display import count_of
from caesura.model.hierarchy import Hierarchy, Span, common_units
from caesura.options import positive


@dataclass(frozen=True)
class CoderHierarchies:
    """Hierarchies of several coders over the same units.

    Attributes
    ----------
    by_coder : mapping of str to Hierarchy
        One hierarchy per coder.
    empty_spans : int
        Number of spans that became empty when times were merged.
    """

    by_coder: Mapping[str, Hierarchy]
    empty_spans: int

    @property
    def coders(self) -> tuple[str, ...]:
        """Names of the coders, in the order of the input."""
        return tuple(self.by_coder)

    @property
    def text(self) -> Hierarchy:
        """The first hierarchy that includes its units, otherwise the first hierarchy; used for length, times and extent."""
        hierarchies = self.by_coder.values()
        return next((hierarchy for hierarchy in hierarchies if hierarchy.units is not None), next(iter(hierarchies)))

    @property
    def timed(self) -> bool:
        """Whether units have a duration."""
        return self.text.edges is not None

    def candidates(self, level: str, weights: str = "coders") -> list[Candidate]:
        """Return the distinct spans, sorted by start, larger spans first, then by level.

        Parameters
        ----------
        level : str
            ``"flat"``: distinct (start, end). ``"full"``: distinct (start, end, level).
        weights : str, default "coders"
            ``"coders"``: the weight of a span is the number of its coders. ``"unique"``: every span has weight 1.

        Returns
        -------
        list of Candidate
            The candidates. A coder who has a span on two levels counts once for the span, and once for each level.
        """
        copies: dict[tuple[int, ...], dict[str, list[Span]]] = {}
        for coder, hierarchy in self.by_coder.items():
            for span in hierarchy.spans:
                key = (span.start, -span.end, span.level) if level == "full" else (span.start, -span.end)
                copies.setdefault(key, {}).setdefault(coder, []).append(span)
        return [_candidate(copies[key], weights) for key in sorted(copies)]


def _candidate(copies: Mapping[str, Sequence[Span]], weights: str) -> Candidate:
    """Return one candidate from the copies of a span, by coder."""
    if len(copies) == 1:
        ((coder, (span, *more)),) = copies.items()
        if not more:  # most spans have only one coder, and counting is slow
            return Candidate(span, (span.level,), () if span.label is None else (span.label,), (coder,), 1)
    levels = Counter(level for spans in copies.values() for level in {span.level for span in spans})
    level = min(levels, key=lambda level: (-levels[level], level))
    # A Counter keeps the order of coders.
    labels = Counter((span.label, span.level) for spans in copies.values() for span in spans if span.label is not None)
    first = next(iter(copies.values()))[0]
    return Candidate(
        span=Span(first.start, first.end, level, _most_frequent_label(labels, level)),
        levels=tuple(sorted(levels)),
        labels=tuple(dict.fromkeys(label for label, _ in labels)),
        coders=tuple(copies),
        weight=1 if weights == "unique" else len(copies),
    )


def _most_frequent_label(labels: Mapping[tuple[str, int], int], level: int) -> str | None:
    """Return the label that most coders chose on a level (the first if several tie), or None if there is no label."""
    on_level = {label: count for (label, its_level), count in labels.items() if its_level == level}
    return max(on_level, key=on_level.__getitem__) if on_level else None


def collect_hierarchies(
    hierarchies: Mapping[str, Hierarchy] | Sequence[Hierarchy], tolerance: float
) -> CoderHierarchies:
    """Return the hierarchies of all coders over the same units.

    Parameters
    ----------
    hierarchies : mapping of str to Hierarchy, or sequence of Hierarchy
        One hierarchy per coder. Coders of a sequence are called coder 1, coder 2 and so on.
    tolerance : float
        Times within this many seconds are merged, if units have times.

    Returns
    -------
    CoderHierarchies
        At least two coders and at least one span.

    Raises
    ------
    OptionError
        If there are fewer than two coders, no span, or something that is not a hierarchy.
    MismatchError
        If coders annotated different units.
    """
    tolerance = positive("tolerance", tolerance)
    by_coder = by_coder_name("hierarchies", hierarchies, Hierarchy)
    if len(by_coder) < 2:
        raise OptionError(f"expected at least two coders to unify; got {', '.join(map(repr, by_coder)) or 'none'}")
    if not any(map(len, by_coder.values())):
        raise OptionError(f"expected at least one span to unify; none of the {len(by_coder)} coders marked any")
    merged, empty_spans = common_units(by_coder, tolerance=tolerance) if _timed(by_coder) else (by_coder, 0)
    _check_same_text(merged)
    if not any(map(len, merged.values())):
        raise OptionError(
            f"expected at least one span to unify; all {empty_spans} are shorter than the tolerance of {tolerance:g} s"
        )
    return CoderHierarchies(merged, empty_spans)


def _timed(by_coder: Mapping[str, Hierarchy]) -> bool:
    """Return whether units have times; raise an error if only some coders have them."""
    with_times = [coder for coder, hierarchy in by_coder.items() if hierarchy.edges is not None]
    without = [coder for coder in by_coder if coder not in with_times]
    if with_times and without:
        units = count_of(by_coder[without[0]].length, "unit")
        raise MismatchError(
            f"all coders must have times, or none; {with_times[0]!r} has them, {without[0]!r} has {units}"
        )
    return bool(with_times)


def _check_same_text(by_coder: Mapping[str, Hierarchy]) -> None:
    """Raise an error unless all coders have the same length, the same extent and, if known, the same units."""
    (name, first), *_ = by_coder.items()
    for coder, hierarchy in by_coder.items():
        for rule, attribute in (("annotate the same units", "length"), ("have the same extent", "extent")):
            expected, actual = getattr(first, attribute), getattr(hierarchy, attribute)
            if actual != expected:
                raise MismatchError(f"all coders must {rule}; {name!r} has {expected}, {coder!r} has {actual}")
    units_by_coder = [(coder, hierarchy.units) for coder, hierarchy in by_coder.items() if hierarchy.units is not None]
    for coder, units in units_by_coder[1:]:
        name, first_units = units_by_coder[0]
        for i, (a, b) in enumerate(zip(first_units, units, strict=True), 1):
            if a != b:
                raise MismatchError(f"unit {i} differs: {name!r} has {a!r}, {coder!r} has {b!r}")


def crossing_places(
    spans: Collection[tuple[int, int]], against: Collection[tuple[int, int]]
) -> Iterator[NDArray[np.intp]]:
    """Find the spans that cross, that is, overlap although neither contains the other.

    Parameters
    ----------
    spans, against : collection of (start, end)
        Two sets of spans.

    Yields
    ------
    numpy.ndarray
        For each of ``spans``, the places of the spans in ``against`` that cross it.
    """
    c, e = np.array([*against], np.int64).reshape(-1, 2).T
    for i, j in spans:
        yield np.flatnonzero(((c < i) & (i <= e) & (e < j)) | ((i < c) & (c <= j) & (j < e)))
