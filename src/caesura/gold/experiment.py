"""Compare the gold standard of every method with every annotation: the experiment of Carbone et al. (2004)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError, Undefined
from caesura.gold.candidates import CoderHierarchies, collect_items
from caesura.gold.unify import (
    METHODS,
    HierarchyPair,
    UnificationMethod,
    UnifiedHierarchy,
    blocks_of,
    build_gold,
    check_method,
    values_or_none,
)
from caesura.measures.many import score_packed
from caesura.measures.registry import parse
from caesura.measures.sums import divide
from caesura.model.corpus import Corpus
from caesura.model.result import Excluded, Result, signature_line
from caesura.model.value import Floats
from caesura.options import names, positive, suggest
from caesura.progress import report_progress

_FIGURES = ("kappa", "recall", "precision", "non_crossing")
# Method -> the names of its rows in Table 1.
_PAPER_NAMES = {
    "consensus": ("{level}CNS",),
    "majority": ("{level}MCNS",),
    "conflict_free_union": ("CFU",),
    "union": ("{level}UNI",),
    "best_annotator": ("BestAnnotator", "BestAnnotator-self"),
}

# Item -> the hierarchies of its coders.
Annotations = Mapping[str, CoderHierarchies]


@dataclass(frozen=True, slots=True)
class FigureSummary:
    """Mean and standard deviation of one figure over annotations."""

    mean: float | None  # mean over the annotations for which the figure is defined; None if there are none
    # Standard deviation over these annotations, with divisor n because they are the whole population.
    deviation: float | None
    annotations: int  # number of annotations in the mean
    undefined: int  # number of annotations for which the figure is undefined

    @classmethod
    def of(cls, values: Iterable[float | None]) -> FigureSummary:
        listed = list(values)
        defined = [value for value in listed if value is not None]
        if not defined:
            return cls(None, None, 0, len(listed))
        mean = fmean(defined)
        deviation = math.sqrt(fmean((value - mean) ** 2 for value in defined))
        return cls(mean, deviation, len(defined), len(listed) - len(defined))


@dataclass(frozen=True)
class UnificationRow:
    """Figures of one method over all annotations of all items."""

    name: str  # Name in the paper: FullCNS, FlatMCNS, CFU and so on
    method: str  # name of the method for ``unify``
    level: str  # ``"flat"`` or ``"full"``
    includes_self: bool  # whether the best annotator is also scored against itself; True for all other methods
    # The figures over all annotations.
    kappa: FigureSummary
    recall: FigureSummary
    precision: FigureSummary
    non_crossing: FigureSummary
    annotations: int  # number of annotations that were compared with a gold standard
    # Mean number of distinct spans of a gold standard; for a full method, a span on two levels counts twice.
    mean_spans: float
    empty_golds: int  # number of items whose gold standard has no span
    conflicting_golds: int  # number of items whose gold standard has spans that cross
    # Number of items for which a different gold standard is equally good: several optima, or several best annotators.
    tied_golds: int
    # Item -> coder whose hierarchy is the gold standard; empty unless the method is the best annotator.
    best_annotators: Mapping[str, str]
    excluded: tuple[Excluded, ...]  # items for which this method has no gold standard


@dataclass(frozen=True)
class Unification(Result):
    """Result of :func:`evaluate_unification`: one row per method.

    Attributes
    ----------
    rows : tuple of UnificationRow
        One row per method and level.
    items : tuple of str
        The items that were unified.
    excluded : tuple of Excluded
        The items that could not be unified.
    empty_spans : int
        Number of spans that became empty when times were merged.
    signature : str
        One line to reproduce the result.
    """

    frame_field: ClassVar[str] = "rows"

    rows: tuple[UnificationRow, ...]
    items: tuple[str, ...]
    excluded: tuple[Excluded, ...]
    empty_spans: int
    signature: str

    def row(self, name: str) -> UnificationRow:
        """Return the row of a method.

        Parameters
        ----------
        name : str
            Name in the paper, such as ``CFU`` or ``FlatMCNS``.

        Returns
        -------
        UnificationRow
            The row of that name.

        Raises
        ------
        OptionError
            If there is no such row.
        """
        for row in self.rows:
            if row.name == name:
                return row
        raise OptionError(suggest("no row", name, [row.name for row in self.rows]))


def evaluate_unification(
    corpus: Corpus,
    *,
    methods: Iterable[str] | None = None,
    threshold: float = 0.5,
    weights: str = "coders",
    min_support: int = 1,
    tolerance: float = 0.5,
) -> Unification:
    """Compute how much of the coders' annotations each method of unification preserves.

    Parameters
    ----------
    corpus : Corpus
        Hierarchies of several coders per item.
    methods : iterable of str, optional
        Names of methods (default: all). Each method is evaluated on all levels that it supports.
    threshold, weights, min_support, tolerance
        Options of :func:`unify`, for the methods that have them.

    Returns
    -------
    Unification
        One row per method and level. Items that cannot be unified are in ``.excluded``.

    Raises
    ------
    OptionError
        If an option is invalid or no item can be unified.

    Notes
    -----
    Every gold standard is compared with each annotation it was built from. The rows contain the mean and the standard
    deviation over all annotations of all items:

    - **kappa** of Flammia & Zue: agreement of the boundaries of spans, corrected for chance. It may be negative.
    - **recall**: proportion of the annotation's spans that are in the gold standard (with a full method, on the same level).
    - **precision**: proportion of the gold standard's spans that are in the annotation (with a full method, on the same level).
    - **non_crossing**: proportion of the annotation's distinct spans that cross no span of the gold standard.

    By definition, the recall of a union is 1, and the precision and the non-crossing ratio of a consensus are 1. The
    non-crossing ratio of a conflict-free union equals its recall, since it contains every span that crosses nothing.
    The paper's Table 1 violates these identities, so we do not try to reproduce it. ``best_annotator`` has two rows:
    one for all annotations, and one without the annotation that is itself the gold standard.

    An undefined kappa, the precision of an empty gold standard and the figures of an empty annotation are excluded from
    the means; their number is reported.

    References
    ----------
    Carbone, M., Gal, Y., Shieber, S., & Grosz, B. (2004). Unifying annotated discourse hierarchies to create a gold
    standard. SIGDIAL, sections 3 and 4, Table 1.

    Examples
    --------
    >>> from caesura.model.hierarchy import Hierarchy
    >>> annotations = {
    ...     "first": Hierarchy(8, [(1, 8), (1, 2), (3, 6), (7, 8)]),
    ...     "second": Hierarchy(8, [(1, 8), (1, 4), (5, 8)]),
    ...     "third": Hierarchy(8, [(1, 8), (1, 2), (3, 6)]),
    ... }
    >>> result = evaluate_unification(Corpus({"figure 1": annotations}))
    >>> for row in result.rows:
    ...     figures = (row.kappa, row.recall, row.precision, row.non_crossing)
    ...     print(f"{row.name:20}", *(f"{figure.mean:.2f}" for figure in figures))
    FullCNS              0.46 0.31 1.00 1.00
    FlatCNS              0.46 0.31 1.00 1.00
    FullMCNS             0.77 0.69 0.78 0.78
    FlatMCNS             0.77 0.69 0.78 0.78
    CFU                  0.76 0.78 0.67 0.78
    FullUNI              0.73 1.00 0.56 0.58
    FlatUNI              0.73 1.00 0.56 0.58
    BestAnnotator        0.77 0.69 0.78 0.78
    BestAnnotator-self   0.66 0.54 0.67 0.67
    """
    checked = _methods(methods, threshold=threshold, weights=weights, min_support=min_support)
    annotations, excluded = collect_items(corpus, positive("tolerance", tolerance))
    if not annotations:
        examples = "; ".join(map(str, [*excluded.values()][:5]))
        raise OptionError(f"no item can be unified{': ' if examples else '; the corpus is empty'}{examples}")
    rows = []
    for number, method in enumerate(checked, 1):
        golds, without = _golds(method, annotations, tolerance)
        names = (name.format(level=method.level.capitalize()) for name in _PAPER_NAMES[method.name])
        rows += [_row(name, method, golds, annotations, without) for name in names]
        report_progress(number, len(checked))
    timed = any(hierarchies.timed for hierarchies in annotations.values())
    return Unification(
        rows=tuple(rows),
        items=tuple(annotations),
        excluded=tuple(excluded.values()),
        empty_spans=sum(hierarchies.empty_spans for hierarchies in annotations.values()),
        signature=signature_line(
            "evaluate_unification",
            methods="+".join(dict.fromkeys(method.name for method in checked)),
            **{name: value for method in checked for name, value in method.options.items()},
            items=len(annotations),
            annotations=sum(len(hierarchies.coders) for hierarchies in annotations.values()),
            tolerance=f"{tolerance:g}" if timed else None,
        ),
    )


def _methods(methods: Iterable[str] | None, **options: Any) -> list[UnificationMethod]:
    """Return each method on each of its levels, full before flat as in Table 1, with its options."""
    requested = tuple(METHODS) if methods is None else methods if isinstance(methods, str) else list(methods)
    return [
        check_method(name, level, **options, strict=False)
        for name in dict.fromkeys(names("methods", requested))
        for level in reversed(METHODS.get(name, ("flat",)))
    ]


def _golds(
    method: UnificationMethod, annotations: Annotations, tolerance: float
) -> tuple[dict[str, UnifiedHierarchy], tuple[Excluded, ...]]:
    golds: dict[str, UnifiedHierarchy] = {}
    excluded: list[Excluded] = []
    for item, hierarchies in annotations.items():
        try:
            golds[item] = build_gold(hierarchies, method, tolerance, explain=False)
        except Undefined as error:
            excluded.append(Excluded(item, None, str(error)))
    return golds, tuple(excluded)


def _row(
    name: str,
    method: UnificationMethod,
    golds: Mapping[str, UnifiedHierarchy],
    annotations: Annotations,
    excluded: tuple[Excluded, ...],
) -> UnificationRow:
    includes_self = not name.endswith("-self")
    pairs = [
        (hierarchy, gold.hierarchy)
        for item, gold in golds.items()
        for coder, hierarchy in annotations[item].by_coder.items()
        if includes_self or coder != gold.best_annotator
    ]
    figures: dict[str, list[float | None]] = {name: [] for name in _FIGURES}
    for block in blocks_of(pairs):
        for figure, values in _figures(block, method.level).items():
            figures[figure] += values
    spans = [gold.hierarchy.full if method.level == "full" else gold.hierarchy.flat for gold in golds.values()]
    span_counts = [*map(len, spans)]
    return UnificationRow(
        name=name,
        method=method.name,
        level=method.level,
        includes_self=includes_self,
        **{name: FigureSummary.of(values) for name, values in figures.items()},
        annotations=len(pairs),
        mean_spans=sum(span_counts) / max(1, len(golds)),
        empty_golds=span_counts.count(0),
        conflicting_golds=sum(gold.conflicts > 0 for gold in golds.values()),
        tied_golds=sum(gold.tied for gold in golds.values()),
        best_annotators={item: gold.best_annotator for item, gold in golds.items() if gold.best_annotator is not None},
        excluded=excluded,
    )


def _figures(pairs: Sequence[HierarchyPair], level: str) -> dict[str, list[float | None]]:
    """Return the figures of each pair of an annotation and a gold standard; None where a figure is undefined."""
    overlap = parse(f"hierarchy_overlap(level={level!r})")
    crossing, kappa = parse("non_crossing"), parse("hierarchy_kappa")
    batch, places, errors = overlap.pack(pairs)  # once for all measures
    for error in errors.values():
        raise error
    packed = batch, places, errors
    common, in_annotation, in_gold = score_packed(overlap, packed, len(pairs)).counts.T
    uncrossed = score_packed(crossing, packed, len(pairs)).values
    return {
        "kappa": values_or_none(score_packed(kappa, kappa.pack_batch(batch, np.arange(len(batch))), len(pairs))),
        "recall": _where(in_annotation > 0, divide(common, in_annotation)),
        "precision": _where(in_gold > 0, divide(common, in_gold)),
        "non_crossing": _where(in_annotation > 0, uncrossed),
    }


def _where(defined: NDArray[np.bool_], values: Floats) -> list[float | None]:
    return [value if flag else None for flag, value in zip(defined.tolist(), values.tolist(), strict=True)]
