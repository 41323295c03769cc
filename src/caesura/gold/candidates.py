"""The hierarchies of several coders for the same text, their distinct spans, and the spans that cross."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from caesura.agreement.coder_pairs import by_coder_name
from caesura.errors import CaesuraError, MismatchError, OptionError, own_errors
from caesura.kernels.nested import conflict_free
from caesura.limits import MAX_DIGITS
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy, Span, common_units
from caesura.model.index import EMPTY, argsort, lexsort, searchsorted
from caesura.model.result import Excluded
from caesura.model.value import count_of
from caesura.options import positive
from caesura.progress import report_progress


@dataclass(frozen=True, slots=True)
class Candidate:
    """A distinct span that at least one coder marked; with ``level="full"``, on one level."""

    # The span as it is, or would be, in the gold standard. Its level is the one most coders chose, the smallest if several tie.
    # Its label is the one most of these coders chose, the first if several tie.
    span: Span
    levels: tuple[int, ...]  # every level on which a coder marked it
    labels: tuple[str, ...]  # every label that a coder gave it
    coders: tuple[str, ...]  # the coders who marked it
    weight: int  # weight of the span in a conflict-free union

    @property
    def start(self) -> int:
        """First unit, counted from 1."""
        return self.span.start

    @property
    def end(self) -> int:
        """Last unit."""
        return self.span.end


@dataclass(frozen=True, slots=True)
class DroppedSpan(Candidate):
    """A span that is not in the gold standard."""

    reason: str  # reason why the span was dropped
    crossed_spans: tuple[Candidate, ...]  # the spans of the gold standard that it crosses

    @property
    def crossed_coders(self) -> tuple[str, ...]:
        """The coders who marked a span that it crosses, in order of first appearance."""
        return tuple(dict.fromkeys(coder for candidate in self.crossed_spans for coder in candidate.coders))


@dataclass(frozen=True)
class CoderHierarchies:
    """Hierarchies of several coders over the same units."""

    by_coder: Mapping[str, Hierarchy]  # one hierarchy per coder
    empty_spans: int  # number of spans that became empty when times were merged
    _candidates: dict[tuple[str, str], list[Candidate]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def coders(self) -> tuple[str, ...]:
        return tuple(self.by_coder)

    @property
    def text(self) -> Hierarchy:
        """The first hierarchy that includes its units, otherwise the first hierarchy; used for length, times and extent."""
        hierarchies = self.by_coder.values()
        return next((hierarchy for hierarchy in hierarchies if hierarchy.units is not None), next(iter(hierarchies)))

    @property
    def timed(self) -> bool:
        return self.text.edges is not None

    def candidates(self, level: str, weights: str = "coders") -> list[Candidate]:
        """Return the distinct spans, sorted by start, larger spans first, then by level."""
        if (level, weights) in self._candidates:
            return self._candidates[level, weights]
        copies: dict[tuple[int, ...], dict[str, list[Span]]] = {}
        for coder, hierarchy in self.by_coder.items():
            for span in hierarchy.spans:
                key = (span.start, -span.end, span.level) if level == "full" else (span.start, -span.end)
                copies.setdefault(key, {}).setdefault(coder, []).append(span)
        candidates = [_candidate(copies[key], weights) for key in sorted(copies)]
        self._candidates[level, weights] = candidates
        return candidates


def _candidate(copies: Mapping[str, Sequence[Span]], weights: str) -> Candidate:
    all_copies = list(chain.from_iterable(copies.values()))
    first = all_copies[0]
    if len(all_copies) == 1:  # most spans have only one coder, and counting is slow
        return Candidate(first, (first.level,), () if first.label is None else (first.label,), tuple(copies), 1)
    levels = Counter(level for spans in copies.values() for level in {span.level for span in spans})
    level = min(levels, key=lambda level: (-levels[level], level))
    labelled = [span for span in all_copies if span.label is not None]
    labels = Counter(span.label for span in labelled if span.level == level)  # keeps the order of coders
    return Candidate(
        span=Span(first.start, first.end, level, max(labels, key=labels.__getitem__) if labels else None),
        levels=tuple(sorted(levels)),
        labels=tuple(dict.fromkeys(span.label for span in labelled if span.label is not None)),
        coders=tuple(copies),
        weight=1 if weights == "unique" else len(copies),
    )


def collect_items(corpus: Corpus, tolerance: float) -> tuple[dict[str, CoderHierarchies], dict[str, Excluded]]:
    """Return the hierarchies of each item over common units, and the items that have none."""
    items: dict[str, CoderHierarchies] = {}
    excluded: dict[str, Excluded] = {}
    for item in corpus.item_names:
        try:
            with own_errors():
                items[item] = collect_hierarchies(corpus.of_item(item), tolerance)  # type: ignore[arg-type]  # checked
        except CaesuraError as error:
            excluded[item] = Excluded(item, None, str(error))
    return items, excluded


def collect_hierarchies(
    hierarchies: Mapping[str, Hierarchy] | Sequence[Hierarchy], tolerance: float
) -> CoderHierarchies:
    tolerance = positive("tolerance", tolerance)
    by_coder = by_coder_name("hierarchies", hierarchies, Hierarchy)
    if len(by_coder) < 2:
        raise OptionError(f"expected at least two coders to unify; got {', '.join(map(repr, by_coder)) or 'none'}")
    if not any(map(len, by_coder.values())):
        raise OptionError(f"expected at least one span to unify; none of the {len(by_coder)} coders marked any")
    timed = [coder for coder, hierarchy in by_coder.items() if hierarchy.edges is not None]
    untimed = [coder for coder in by_coder if coder not in timed]
    if timed and untimed:
        units = count_of(by_coder[untimed[0]].length, "unit")
        raise MismatchError(f"all coders must have times, or none; {timed[0]!r} has them, {untimed[0]!r} has {units}")
    merged, empty_spans = common_units(by_coder, tolerance=tolerance) if timed else (by_coder, 0)
    _check_same_text(merged)
    if not any(map(len, merged.values())):
        raise OptionError(
            f"expected at least one span to unify; all {empty_spans} are shorter than the tolerance of {tolerance:g} s"
        )
    return CoderHierarchies(merged, empty_spans)


def _check_same_text(by_coder: Mapping[str, Hierarchy]) -> None:
    """Raise an error unless all coders have the same length, the same extent and, if known, the same units."""
    (name, first), *_ = by_coder.items()
    for coder, hierarchy in by_coder.items():
        for rule, attribute in (("annotate the same units", "length"), ("have the same extent", "extent")):
            expected, actual = getattr(first, attribute), getattr(hierarchy, attribute)
            if actual != expected:
                raise MismatchError(f"all coders must {rule}; {name!r} has {expected}, {coder!r} has {actual}")
    (name, units), *others = [(coder, entry.units) for coder, entry in by_coder.items() if entry.units] or [("", ())]
    for coder, own in others:
        for i, (a, b) in enumerate(zip(units or (), own or (), strict=True), 1):
            if a != b:
                raise MismatchError(f"unit {i} differs: {name!r} has {a!r}, {coder!r} has {b!r}")


def crossing_places(
    spans: Collection[tuple[int, int]], against: Collection[tuple[int, int]]
) -> Iterator[NDArray[np.int64]]:
    """Find the spans that cross, that is, overlap although neither contains the other."""
    c, e = np.array([*against], np.int64).reshape(-1, 2).T
    starts, ends = np.array([*spans], np.int64).reshape(-1, 2).T
    by_start, by_end = argsort(c, kind="stable"), argsort(e, kind="stable")
    # A span that crosses (i, j) starts or ends inside it.
    starts_inside = [searchsorted(c[by_start], edge, "right") for edge in (starts, ends)]
    ends_inside = [searchsorted(e[by_end], edge, "left") for edge in (starts, ends)]
    end_of_later, start_of_earlier = e[by_start], c[by_end]
    bounds = (bound.tolist() for bound in (starts, ends, *starts_inside, *ends_inside))
    for i, j, first, last, low, high in zip(*bounds, strict=True):
        later = by_start[first:last][end_of_later[first:last] > j]
        earlier = by_end[low:high][start_of_earlier[low:high] < i]
        yield np.sort(np.concatenate([later, earlier])) if later.size or earlier.size else EMPTY


@dataclass(frozen=True, slots=True)
class ConflictFreeSet:
    """A subset of spans in which no two cross."""

    members: tuple[bool, ...]  # whether each span is in the set
    weight: int  # sum of the weights of its spans
    optima: int  # number of conflict-free subsets with this weight


def heaviest_conflict_free_set(spans: Sequence[tuple[int, int]], weights: Sequence[int]) -> ConflictFreeSet:
    """Return the heaviest subset of distinct spans in which no two cross."""
    # The number of optima is a product over neighbouring parts of the text, so it can exceed any machine word. The kernel
    # counts modulo as many coprime numbers as the size of the count requires. The Chinese remainder theorem combines the
    # remainders. A number with more than 4,000 digits is rounded to a power of ten.
    if not spans:
        return ConflictFreeSet((), 0, 1)
    start, end = np.array(spans, np.int64).T
    order = lexsort((-start, end))
    start, end = start[order], end[order]
    distinct, number = np.unique(end, return_inverse=True)
    off, before = searchsorted(end, [*distinct, end[-1] + 1]), searchsorted(distinct, start)
    largest = len(start) - 1 - np.unique(start[::-1], return_index=True)[1]  # the last span of each start
    columns = [start, np.array(weights, np.int64)[order], number, off, before, largest[::-1]]
    c, w, rank, at, first_end, outermost = map(np.ascontiguousarray, columns)
    in_set = np.zeros(len(start), np.int64)
    moduli = _coprime_numbers()
    product = modulus = next(moduli)
    weight, optima, bits = conflict_free(c, w, rank, at, first_end, outermost, modulus, in_set)
    if bits > MAX_DIGITS * math.log2(10):
        optima, bits = 10 ** round(bits * math.log10(2)), 0
    while math.log2(product) < bits + 1:
        modulus = next(moduli)
        _, remainder, _ = conflict_free(c, w, rank, at, first_end, outermost, modulus, None)
        optima += product * ((remainder - optima) * pow(product, -1, modulus) % modulus)
        product *= modulus
        report_progress(int(math.log2(product)), max(int(bits) + 1, int(math.log2(product))))
    members = np.zeros(len(start), bool)
    members[order] = in_set == 1
    return ConflictFreeSet(tuple(members.tolist()), weight, optima)


def _coprime_numbers() -> Iterator[int]:
    """Yield pairwise coprime numbers below 2^31, so that products of remainders fit a machine word."""
    product = 1
    for candidate in range(2**31 - 1, 2**30, -1):
        if math.gcd(product, candidate) == 1:
            product *= candidate
            yield candidate
