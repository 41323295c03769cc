"""What all coders drew of one text, each distinct span once, with who drew it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import MismatchError, OptionError
from caesura.gold.result import Candidate
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy, Span, common_units

__all__ = ["Pool", "crossing", "pool"]


@dataclass(frozen=True)
class Pool:
    """Hierarchies of several coders over the same units."""

    by_coder: Mapping[str, Hierarchy]
    emptied: int
    """Spans that became empty when times were merged."""

    @property
    def coders(self) -> tuple[str, ...]:
        """Who drew, in the order given."""
        return tuple(self.by_coder)

    @property
    def text(self) -> Hierarchy:
        """Someone's hierarchy, for its length and edges; with the units, if anybody has them."""
        every = self.by_coder.values()
        return next((one for one in every if one.units is not None), next(iter(every)))

    @property
    def timed(self) -> bool:
        """Whether units have a duration."""
        return self.text.edges is not None

    def candidates(self, level: str, weights: str = "coders") -> list[Candidate]:
        """Distinct spans, or with ``level="full"`` distinct triples, by start, the larger first, then by level.

        A coder who has a span on two levels counts once for the span, and for both levels.
        """
        drawn: dict[tuple[int, ...], dict[str, list[Span]]] = {}
        for coder, one in self.by_coder.items():
            for span in one.spans:
                key = (span.start, -span.end, span.level) if level == "full" else (span.start, -span.end)
                drawn.setdefault(key, {}).setdefault(coder, []).append(span)
        return [_candidate(drawn[key], weights) for key in sorted(drawn)]


def _candidate(copies: Mapping[str, Sequence[Span]], weights: str) -> Candidate:
    """One entry of the pool; ``copies`` are all of one span."""
    if len(copies) == 1:
        ((coder, (first, *more)),) = copies.items()
        if not more:  # most are drawn by one coder, and counting is slow
            labels_of_one = () if first.label is None else (first.label,)
            return Candidate(first, (first.level,), labels_of_one, (coder,), 1)
    levels = Counter(level for mine in copies.values() for level in {span.level for span in mine})
    level = min(levels, key=lambda one: (-levels[one], one))
    labels: Counter[str] = Counter()
    here: Counter[str] = Counter()
    for mine in copies.values():
        for span in mine:
            if span.label is not None:
                labels[span.label] += 1
                if span.level == level:
                    here[span.label] += 1
    first = next(iter(copies.values()))[0]
    # A Counter keeps the order of coders, and max the first of several.
    label = max(here, key=here.__getitem__) if here else None
    return Candidate(
        span=Span(first.start, first.end, level, label),
        levels=tuple(sorted(levels)),
        labels=tuple(labels),
        coders=tuple(copies),
        weight=1 if weights == "unique" else len(copies),
    )


def pool(hierarchies: Mapping[str, Hierarchy] | Sequence[Hierarchy], tolerance: float) -> Pool:
    """The hierarchies over the same units, or why there are none."""
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not 0 < tolerance < math.inf:
        raise OptionError(f"tolerance must be a number of seconds above 0; got {tolerance!r}")
    by_coder = _named(hierarchies)
    if len(by_coder) < 2:
        raise OptionError(f"at least two coders are needed to unify; got {', '.join(map(repr, by_coder)) or 'none'}")
    if not any(len(one) for one in by_coder.values()):
        raise OptionError(f"at least one span is needed to unify; none of the {len(by_coder)} coders drew any")
    merged, emptied = common_units(by_coder, tolerance=tolerance) if _timed(by_coder) else (by_coder, 0)
    _check_same(merged)
    if not any(len(one) for one in merged.values()):
        raise OptionError(
            f"at least one span is needed to unify; all {emptied} are shorter than the tolerance of {tolerance:g} s"
        )
    return Pool(merged, emptied)


def _named(hierarchies: Any) -> dict[str, Hierarchy]:
    if isinstance(hierarchies, Mapping) and not isinstance(hierarchies, Corpus):
        named = {str(coder): one for coder, one in hierarchies.items()}
        if len(named) < len(hierarchies):
            raise OptionError("hierarchies: two coders have names that differ in kind only; name them apart")
    elif isinstance(hierarchies, (Sequence, Iterator)) and not isinstance(hierarchies, str):
        named = {f"coder {i}": one for i, one in enumerate(hierarchies, 1)}
    else:
        raise OptionError(
            "hierarchies: a mapping from coders to hierarchies or a sequence of hierarchies is needed; "
            f"got {type(hierarchies).__name__}"
        )
    for coder, one in named.items():
        if not isinstance(one, Hierarchy):
            raise OptionError(f"coder {coder!r}: a Hierarchy is needed; got {type(one).__name__}")
    return named


def _timed(by_coder: Mapping[str, Hierarchy]) -> bool:
    with_times = [coder for coder, one in by_coder.items() if one.edges is not None]
    without = [coder for coder, one in by_coder.items() if one.edges is None]
    if with_times and without:
        raise MismatchError(
            f"all coders must have times, or none; {with_times[0]!r} has them, {without[0]!r} has "
            f"{_units(by_coder[without[0]])}"
        )
    return bool(with_times)


def _check_same(by_coder: Mapping[str, Hierarchy]) -> None:
    """All over one text: the same length, the same units where they are known, the same N for chance."""
    (name, first), *others = by_coder.items()
    worded = (name, first) if first.units is not None else None
    for coder, one in others:
        if one.length != first.length:
            raise MismatchError(
                f"all coders must annotate the same units; {name!r} has {first.length}, {coder!r} has {one.length}"
            )
        if one.extent != first.extent:
            raise MismatchError(
                f"all coders must have the same extent; {name!r} has {first.extent}, {coder!r} has {one.extent}"
            )
        if one.units is not None and worded is not None:
            for i, (a, b) in enumerate(zip(worded[1].units or (), one.units, strict=True), 1):
                if a != b:
                    raise MismatchError(f"unit {i} differs: {worded[0]!r} has {a!r}, {coder!r} has {b!r}")
        elif one.units is not None:
            worded = (coder, one)


def _units(one: Hierarchy) -> str:
    return f"{one.length} unit{'' if one.length == 1 else 's'}"


def crossing(spans: Collection[tuple[int, int]], others: Collection[tuple[int, int]]) -> Iterator[NDArray[np.intp]]:
    """For each span the places of those of ``others`` that cross it: that overlap, and neither contains the other."""
    c, e = np.array([*others], np.int64).reshape(-1, 2).T
    for i, j in spans:
        yield np.flatnonzero(((c < i) & (i <= e) & (e < j)) | ((i < c) & (c <= j) & (j < e)))
