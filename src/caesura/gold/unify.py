"""Methods that build one gold standard from the hierarchies of several coders (Carbone et al. 2004)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any, ClassVar

from caesura.errors import OptionError, Undefined
from caesura.gold.candidates import (
    Candidate,
    CoderHierarchies,
    DroppedSpan,
    collect_hierarchies,
    crossing_places,
    heaviest_conflict_free_set,
)
from caesura.limits import short_count
from caesura.measures.many import Scores, score_many
from caesura.model.hierarchy import Hierarchy
from caesura.model.result import Result, keep_warnings, signature_line
from caesura.model.value import count_of
from caesura.options import Option, choice, number, resolve_options, suggest, whole

# Method -> the levels on which it can compare spans.
METHODS = {
    "consensus": ("flat", "full"),
    "majority": ("flat", "full"),
    "conflict_free_union": ("flat",),
    "union": ("flat", "full"),
    "best_annotator": ("flat",),
}

_OPTIONS = (
    Option("threshold", 0.5, number(0, 1, below=True), "A majority is more than this proportion of the coders."),
    Option("weights", "coders", choice("coders", "unique"), "Weight of a span: its number of coders, or 1."),
    Option("min_support", 1, whole(1), "Minimum number of coders of a span in a union."),
)
_OPTIONS_OF_METHOD = {
    "majority": ("threshold",),
    "conflict_free_union": ("weights", "min_support"),
    "union": ("min_support",),
}
_BLOCK_SPANS = 500_000  # of pairs that are compared together

# Two hierarchies that are compared.
HierarchyPair = tuple[Hierarchy, Hierarchy]


@dataclass(frozen=True, repr=False)
class UnifiedHierarchy(Result):
    """A gold standard that :func:`unify` built from the hierarchies of several coders.

    Attributes
    ----------
    hierarchy : Hierarchy
        The gold standard itself. Unlike the spans of a coder, its spans may cross; ``conflicts`` counts the pairs. Its
        levels are those that the coders agreed on, so an inner span need not be deeper than the span around it;
        :meth:`nested_hierarchy` derives levels from nesting.
    method : str
        Name of the method.
    level : str
        ``"flat"`` or ``"full"``.
    coders : tuple of str
        The coders, in the order of the input.
    included : tuple of Candidate
        The distinct spans in the gold standard, sorted by start, larger spans first.
    dropped : tuple of DroppedSpan
        The distinct spans that are not in the gold standard, with reasons.
    conflicts : int
        Number of pairs of included spans that cross. Above 0 only for a union, or a majority with a threshold below .5.
    optima : int or None
        Number of conflict-free sets with the greatest weight; None unless the method is a conflict-free union.
    best_annotator : str or None
        The coder whose hierarchy is the gold standard; None unless the method is the best annotator.
    mean_kappas : mapping of str to float or None
        Mean kappa of each coder with the others, None if all are undefined. Empty unless the method is the best annotator.
    notes : tuple of str
        Remarks for the reader, such as ties, and spans that became empty.
    signature : str
        One line to reproduce the result.
    """

    json_properties: ClassVar[tuple[str, ...]] = ("tied",)
    frame_field: ClassVar[str] = "included"

    hierarchy: Hierarchy
    method: str
    level: str
    coders: tuple[str, ...]
    included: tuple[Candidate, ...]
    dropped: tuple[DroppedSpan, ...]
    signature: str
    conflicts: int = 0
    optima: int | None = None
    best_annotator: str | None = None
    mean_kappas: Mapping[str, float | None] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = ()

    @property
    def tied(self) -> bool:
        """Whether a different gold standard is equally good (several optima, or several best annotators)."""
        means = [mean for mean in self.mean_kappas.values() if mean is not None]
        return (self.optima or 1) > 1 or sum(mean > max(means) - 1e-12 for mean in means) > 1

    def nested_hierarchy(self) -> Hierarchy:
        """Return the same spans with levels derived from nesting.

        Returns
        -------
        Hierarchy
            The level of a span is 1 + the number of distinct spans that strictly contain it.

        Raises
        ------
        HierarchyError
            If two spans cross.

        Examples
        --------
        >>> gold = unify([Hierarchy(4, [(1, 4), (1, 2)]), Hierarchy(4, [(1, 3), (1, 2)])])
        >>> [str(span) for span in gold.hierarchy]
        ['1-4 on level 1', '1-3 on level 1', '1-2 on level 2']
        >>> [str(span) for span in gold.nested_hierarchy()]
        ['1-4 on level 1', '1-3 on level 2', '1-2 on level 3']
        """
        text = self.hierarchy
        spans = dict.fromkeys((span.start, span.end, None, span.label) for span in text)
        return Hierarchy(text.length, spans, units=text.units, edges=text.edges, extent=text.extent)

    def __repr__(self) -> str:
        content = repr(self.hierarchy).removeprefix("Hierarchy(").removesuffix(")")
        if self.conflicts:
            crossing = "1 pair crosses" if self.conflicts == 1 else f"{self.conflicts} pairs cross"
            content = f"{content.partition(':')[0]}, {crossing}"
        return f"UnifiedHierarchy({self.method}, {self.level}: {content})"


@keep_warnings
def unify(
    hierarchies: Mapping[str, Hierarchy] | Sequence[Hierarchy],
    *,
    method: str = "conflict_free_union",
    level: str = "flat",
    threshold: float = 0.5,
    weights: str = "coders",
    min_support: int = 1,
    tolerance: float = 0.5,
) -> UnifiedHierarchy:
    """Return one gold standard from the hierarchies of several coders for the same text.

    Parameters
    ----------
    hierarchies : mapping of str to Hierarchy, or sequence of Hierarchy
        One hierarchy per coder. Coders of a sequence are called coder 1, coder 2 and so on.
    method : str, default "conflict_free_union"
        One of the methods in the table below.
    level : str, default "flat"
        ``"flat"``: coders agree if they have the same (start, end); each coder counts once. ``"full"``: they must agree on
        the level of the span too.
    threshold : float, default 0.5
        ``majority`` keeps the spans that more than this proportion of the coders marked.
    weights : str, default "coders"
        In a conflict-free union, ``"coders"`` weights a span by the number of its coders, ``"unique"`` by 1.
    min_support : int, default 1
        Both unions first drop the spans that fewer than this number of coders marked.
    tolerance : float, default 0.5
        Times within this many seconds are merged, if units have times; see :func:`common_units`.

    Returns
    -------
    UnifiedHierarchy
        The gold standard with the spans that it includes and the spans that it dropped.

    Raises
    ------
    OptionError
        If an option is invalid or the method does not support it.
    MismatchError
        If coders annotated different units.
    Undefined
        If the best annotator is requested and kappa is undefined for every pair of coders.

    Notes
    -----
    Two spans *conflict* if they overlap and neither contains the other.

    ========================  ==============================================================  ==========
    ``method``                spans in the gold standard                                      levels
    ========================  ==============================================================  ==========
    ``consensus``             those that every coder has                                      flat, full
    ``majority``              those that more than half have, or more than ``threshold``      flat, full
    ``conflict_free_union``   the heaviest set of spans without conflicts (the default)       flat
    ``union``                 all, including conflicts                                        flat, full
    ``best_annotator``        those of the coder with the highest mean kappa with the others  flat
    ========================  ==============================================================  ==========

    **Majority** has no conflicts if the threshold is at least .5: if more than half of the coders have each of two
    spans, at least one coder has both. Below .5 there may be conflicts; ``.conflicts`` counts the pairs.

    **Conflict-free union** maximises the sum of weights. With the default weights, a span of two coders has the same
    weight as two spans of one coder. If several sets have the greatest weight (``.optima`` is their exact number; ties
    are normal), the set with the larger sum of squared weights is chosen, then the set with fewer spans, then the
    earlier one. The recurrence printed in section 2.5.1 counts spans that a cut leaves intact; this implementation
    computes the optimum that the recurrence aims at. Its result equals exhaustive search, and it takes O(starts *
    spans) steps instead of O(N^3).

    **Best annotator** uses the kappa of Flammia & Zue. Undefined kappas are excluded from the mean. If several coders
    are best, the first is chosen; two coders always tie.

    The gold standard keeps the levels of the coders. If flat methods join spans of different levels, the level is the one
    that most coders chose, the smallest if several tie, and the label is the one that most of these coders chose, the
    first if several tie.

    References
    ----------
    Carbone, M., Gal, Y., Shieber, S., & Grosz, B. (2004). Unifying annotated discourse hierarchies to create a gold
    standard. SIGDIAL, section 2.

    Examples
    --------
    In Figure 4, dropping 1-4 and 5-8 is as good as dropping the two copies of 3-6:

    >>> gold = unify({
    ...     "first": Hierarchy(8, [(1, 8), (1, 2), (3, 6), (7, 8)]),
    ...     "second": Hierarchy(8, [(1, 8), (1, 4), (5, 8)]),
    ...     "third": Hierarchy(8, [(1, 8), (1, 2), (3, 6)]),
    ... })
    >>> gold
    UnifiedHierarchy(conflict_free_union, flat: 8 units, 4 spans: ((1 2) (3 4 5 6) (7 8)))
    >>> gold.optima, [(span.start, span.end, span.reason) for span in gold.dropped]
    (2, [(1, 4, 'crosses 3-6'), (5, 8, 'crosses 3-6')])
    >>> gold.signature
    'unify|method:conflict_free_union|level:flat|weights:coders|min_support:1|coders:3|caesura:0.3.0.dev0'
    """
    checked = check_method(method, level, threshold=threshold, weights=weights, min_support=min_support)
    return build_gold(collect_hierarchies(hierarchies, tolerance), checked, tolerance)


@dataclass(frozen=True)
class UnificationMethod:
    """A method of unification with its checked options."""

    name: str
    level: str  # ``"flat"`` or ``"full"``
    options: Mapping[str, Any]  # the options that the method has


def check_method(name: str, level: str, *, strict: bool = True, **options: Any) -> UnificationMethod:
    if name not in METHODS:
        raise OptionError(suggest("no method", name, METHODS))
    choice(*METHODS[name])(f"level of {name}", level)
    own = _OPTIONS_OF_METHOD.get(name, ())
    for option in _OPTIONS:
        value = options.get(option.name, option.default)
        if strict and option.name not in own and value != option.default:
            owners = " and ".join(method for method, names in _OPTIONS_OF_METHOD.items() if option.name in names)
            raise OptionError(f"{option.name} is an option of {owners} only; got {value!r} for {name}")
    resolved = resolve_options("unify", _OPTIONS, options)
    return UnificationMethod(name, level, {option: resolved[option] for option in own})


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The decision of a method about all candidates."""

    # ``reasons`` has one entry per candidate: None if the gold standard includes the candidate, otherwise the reason; the empty
    # string if it crosses included spans.

    reasons: list[str | None]
    notes: tuple[str, ...] = ()
    optima: int | None = None
    best_annotator: str | None = None
    mean_kappas: Mapping[str, float | None] = field(default_factory=dict)


def build_gold(
    hierarchies: CoderHierarchies, method: UnificationMethod, tolerance: float, *, explain: bool = True
) -> UnifiedHierarchy:
    candidates = hierarchies.candidates(method.level, method.options.get("weights", "coders"))
    verdict = (_best_annotator if method.name == "best_annotator" else _by_support)(candidates, hierarchies, method)
    decided = list(zip(candidates, verdict.reasons, strict=True))
    included = tuple(candidate for candidate, reason in decided if reason is None)
    notes = list(verdict.notes)
    conflicts = 0
    if method.name == "union" or method.options.get("threshold", 0.5) < 0.5:  # otherwise, no two spans cross
        conflicts, note = _conflicts(included, method)
        notes += note
    if not included:
        notes.append("the gold standard has no spans")
    if hierarchies.empty_spans:
        spans = count_of(hierarchies.empty_spans, "span")
        notes.append(f"{spans} dropped, because nothing was left after times within {tolerance:g} s were merged")
    best = verdict.best_annotator
    return UnifiedHierarchy(
        hierarchy=hierarchies.text.with_spans(
            [candidate.span for candidate in included] if best is None else hierarchies.by_coder[best].spans
        ),
        method=method.name,
        level=method.level,
        coders=hierarchies.coders,
        included=included,
        dropped=_dropped_spans(included, [(c, reason) for c, reason in decided if explain and reason is not None]),
        conflicts=conflicts,
        optima=verdict.optima,
        best_annotator=best,
        mean_kappas=verdict.mean_kappas,
        notes=tuple(notes),
        signature=signature_line(
            "unify",
            method=method.name,
            level=method.level,
            **method.options,
            coders=len(hierarchies.coders),
            tolerance=f"{tolerance:g}" if hierarchies.timed else None,
        ),
    )


def _by_support(candidates: list[Candidate], hierarchies: CoderHierarchies, method: UnificationMethod) -> _Verdict:
    """Include what enough coders marked; of that, a conflict-free union includes the heaviest set without conflicts."""
    number, minimum, shortfall = len(hierarchies.coders), len(hierarchies.coders), ""
    if method.name == "majority":
        # Use the decimal value of the threshold: .29 of 100 coders are 29, not the 28.999999999999996 of floating point.
        threshold = Fraction(method.options["threshold"]).limit_denominator(1_000_000)
        needed = "half" if threshold == Fraction(1, 2) else f"{method.options['threshold']:g} of them"
        minimum, shortfall = math.floor(threshold * number) + 1, f", not more than {needed}"
    elif method.name != "consensus":
        minimum = method.options["min_support"]
        shortfall = f", fewer than {minimum}"
    support = [len(candidate.coders) for candidate in candidates]
    reasons = [None if n >= minimum else f"marked by {n} of {number} coders{shortfall}" for n in support]
    if method.name != "conflict_free_union":
        return _Verdict(reasons)
    places = [i for i, reason in enumerate(reasons) if reason is None]
    best = heaviest_conflict_free_set(
        [(candidates[i].start, candidates[i].end) for i in places], [candidates[i].weight for i in places]
    )
    for i, member in zip(places, best.members, strict=True):
        reasons[i] = None if member else ""
    note = (
        f"{short_count(best.optima)} sets without conflicts have the greatest weight, {best.weight}; ties were broken by the "
        "larger sum of squared weights, then by fewer spans, then by the earlier spans"
    )
    return _Verdict(reasons, (note,) if best.optima > 1 else (), best.optima)


def _best_annotator(candidates: list[Candidate], hierarchies: CoderHierarchies, method: UnificationMethod) -> _Verdict:
    """Include the spans of the coder with the highest mean kappa with the others."""
    pairs = [*combinations(hierarchies.by_coder, 2)]
    values = kappas_or_none([(hierarchies.by_coder[a], hierarchies.by_coder[b]) for a, b in pairs])
    kappas = dict(zip(pairs, values, strict=True))
    means: dict[str, float | None] = {}
    for coder in hierarchies.by_coder:
        defined = [kappa for pair, kappa in kappas.items() if coder in pair and kappa is not None]
        means[coder] = math.fsum(defined) / len(defined) if defined else None
    highest = max((mean for mean in means.values() if mean is not None), default=None)
    if highest is None:
        raise Undefined(
            f"{method.name}: kappa is undefined for every pair of coders; choose a method that needs no kappa"
        )
    tied = [coder for coder, mean in means.items() if mean is not None and mean > highest - 1e-12]
    best, notes = tied[0], []
    if len(tied) > 1:
        names = "two coders always" if len(means) == 2 else ", ".join(tied)
        notes.append(f"{names} tie as best annotator; {best}, the first, was chosen")
    if undefined := sum(kappa is None for kappa in kappas.values()):
        notes.append(f"kappa is undefined for {count_of(undefined, 'pair')} of coders and excluded from the means")
    reasons = [None if best in candidate.coders else f"not marked by {best}" for candidate in candidates]
    return _Verdict(reasons, tuple(notes), best_annotator=best, mean_kappas=means)


def kappas_or_none(pairs: Sequence[HierarchyPair]) -> list[float | None]:
    """Return Flammia & Zue's kappa of each pair, or None if it is undefined."""
    return [kappa for block in blocks_of(pairs) for kappa in values_or_none(score_many(block, "hierarchy_kappa"))]


def blocks_of(pairs: Sequence[HierarchyPair]) -> Iterator[Sequence[HierarchyPair]]:
    """Yield pairs of hierarchies that are compared together; a block with many spans ends, which bounds the memory."""
    start = spans = 0
    for stop, (a, b) in enumerate(pairs, 1):
        spans += len(a.spans) + len(b.spans)
        if spans >= _BLOCK_SPANS or stop == len(pairs):
            yield pairs[start:stop]
            start, spans = stop, 0


def values_or_none(scores: Scores) -> list[float | None]:
    for error in scores.errors.values():
        if not isinstance(error, Undefined):
            raise error
    return [None if place in scores.errors else value for place, value in enumerate(scores.values.tolist())]


def _dropped_spans(included: tuple[Candidate, ...], dropped: list[tuple[Candidate, str]]) -> tuple[DroppedSpan, ...]:
    """Return dropped candidates with the included spans that each crosses; crossing is the reason if there is no other."""
    spans = []
    places_by_span = crossing_places(_ends(candidate for candidate, _ in dropped), _ends(included))
    for (c, reason), places in zip(dropped, places_by_span, strict=True):
        crossed = tuple(included[i] for i in places.tolist())
        first = ", ".join(f"{start}-{end}" for start, end in _ends(crossed[:3]))
        more = f" and {len(crossed) - 3} more" if len(crossed) > 3 else ""
        reason = reason or f"crosses {first}{more}"
        spans.append(DroppedSpan(c.span, c.levels, c.labels, c.coders, c.weight, reason, crossed))
    return tuple(spans)


def _ends(candidates: Iterable[Candidate]) -> list[tuple[int, int]]:
    return [(candidate.start, candidate.end) for candidate in candidates]


def _conflicts(included: tuple[Candidate, ...], method: UnificationMethod) -> tuple[int, list[str]]:
    """Return the number of pairs of included spans that cross, and a note with the first of them."""
    spans = [*dict.fromkeys(_ends(included))]
    pairs, first = 0, None
    for span, places in zip(spans, crossing_places(spans, spans), strict=True):
        pairs += places.size
        first = first or ((span, spans[places[0]]) if places.size else None)
    if first is None:
        return 0, []
    ((a, b), (c, d)), pairs = first, pairs // 2
    cause = "a union keeps conflicts" if method.name == "union" else "below a threshold of .5 spans may conflict"
    number_of_pairs = "1 pair crosses," if pairs == 1 else f"{pairs} pairs cross, the first"
    return pairs, [f"{cause}: {number_of_pairs} {a}-{b} and {c}-{d}"]
