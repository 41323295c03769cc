"""One gold standard from the annotations of several coders: segmentations, dialogues or hierarchies."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar

from caesura.agreement.coder_pairs import check_corpus
from caesura.errors import CaesuraError, OptionError, own_errors
from caesura.gold.candidates import Candidate, DroppedSpan, collect_items
from caesura.gold.linear import METHODS, GoldBoundary, GoldItem, LinearGoldOptions, TimeScale, linear_golds, method_name
from caesura.gold.unify import METHODS as HIERARCHY_METHODS
from caesura.gold.unify import UnifiedHierarchy, build_gold, check_method, kappas_or_none
from caesura.limits import plain_count, short_count
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy, spans_nest
from caesura.model.plain import entries_of
from caesura.model.result import HIDDEN, Excluded, Result, keep_warnings, signature_line
from caesura.model.segmentation import UNTYPED
from caesura.model.tier import Tier
from caesura.model.value import count_of
from caesura.progress import report_progress

# Name of the coder of a gold standard.
GOLD_CODER = "gold"

_ALIASES = {"any": "union", "all": "consensus"}
# Methods for all kinds of data.
ALL_METHODS = tuple(dict.fromkeys((*METHODS, *HIERARCHY_METHODS)))
_HIERARCHY_OPTIONS = {"level": "flat", "weights": "coders", "min_support": 1, "tolerance": 0.5}
_LINEAR_OPTIONS = {"n_t": 2, "alpha": 0.01, "ignore_types": False}


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """A span that at least one coder marked."""

    item: str
    # First and last unit.
    start: int
    end: int
    level: int  # level, the one most coders chose
    label: str | None  # label, the one most of these coders chose
    coders: tuple[str, ...]  # the coders who marked it
    reason: str | None = None  # reason why it was dropped; None if it is in the gold standard

    @classmethod
    def of(cls, item: str, candidate: Candidate) -> GoldSpan:
        reason = candidate.reason if isinstance(candidate, DroppedSpan) else None
        span = candidate.span
        return cls(item, span.start, span.end, span.level, span.label, candidate.coders, reason)


@dataclass(frozen=True, repr=False, eq=False)
class Gold(Result):
    """Result of :func:`gold`.

    Attributes
    ----------
    corpus : Corpus
        The gold standard of every item; the name of its coder is ``"gold"``.
    method : str
        Name of the method.
    coders : tuple of str
        The coders whose annotations were used.
    items : tuple of GoldItem
        One entry per item.
    kept : sequence of GoldBoundary or GoldSpan
        Every boundary (or span) of the gold standard, with the coders who placed it and those who placed one near it.
        Boundaries are built whenever they are asked for.
    dropped : sequence of GoldBoundary or GoldSpan
        Every other boundary (or span) that a coder placed.
    thresholds : mapping of str to int
        Boundary type -> minimum number of coders, if Cochran's Q determined it.
    excluded : tuple of Excluded
        Items without a gold standard.
    signature : str
        One line to reproduce the result.
    notes : tuple of str
        Remarks for the reader.
    hierarchies : mapping of str to UnifiedHierarchy
        Item -> details of the unification, for hierarchies.
    recordings : mapping of (str, str) to Tier
        Item and stream -> beginning, end and words of the recording, if the gold standard was made from tiers.
    tiers : mapping
        Item and stream -> the tiers of the coders; empty unless the gold standard was made from tiers.
    """

    frame_field: ClassVar[str] = "rows"

    corpus: Corpus = field(metadata=HIDDEN)
    method: str
    coders: tuple[str, ...]
    items: tuple[GoldItem, ...]
    kept: Sequence[GoldBoundary] | Sequence[GoldSpan]
    dropped: Sequence[GoldBoundary] | Sequence[GoldSpan]
    thresholds: Mapping[str, int]
    excluded: tuple[Excluded, ...]
    signature: str
    notes: tuple[str, ...] = ()
    hierarchies: Mapping[str, UnifiedHierarchy] = field(default_factory=dict, metadata=HIDDEN)
    recordings: Mapping[tuple[str, str], Tier] = field(default_factory=dict, metadata=HIDDEN)
    tiers: Mapping[tuple[str, str], tuple[Tier, ...]] = field(default_factory=dict, metadata=HIDDEN)

    @cached_property
    def optima(self) -> int:
        """Number of equally good gold standards of the whole corpus: the product over items."""
        return math.prod(entry.optima for entry in self.items)

    @property
    def cost(self) -> float | None:
        """Sum of the boundary edit distances to all coders; None for hierarchies."""
        costs = [entry.cost for entry in self.items if entry.cost is not None]
        return math.fsum(costs) if costs else None

    @property
    def in_seconds(self) -> bool:
        """Whether near misses are measured in seconds, because the annotations have times and no units."""
        return any(fact.startswith("n_t:") and fact.endswith("s") for fact in self.signature.split("|"))

    @property
    def unit(self) -> str:
        """What a gold standard consists of: ``"boundary"`` or ``"span"``."""
        return "span" if self.hierarchies else "boundary"

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """Every boundary (or span), whether it is kept, its coders and its near misses, for a data frame."""
        rows = []
        for kept, entries in ((True, self.kept), (False, self.dropped)):
            for entry in entries:
                plain = {name.name: getattr(entry, name.name) for name in fields(entry)}
                if "near" in plain:
                    plain["near"] = [f"{coder}:{position}" for coder, position in plain["near"].items()]
                rows.append({"item": entry.item, "kept": kept} | plain | {"coders": list(entry.coders)})
        order = {entry.item: i for i, entry in enumerate(self.items)}
        return tuple(sorted(rows, key=lambda row: order[row["item"]]))

    def __json__(self) -> dict[str, Any]:
        """Return the fields by name, and the total cost and number of optima."""
        return entries_of(self) | {"cost": self.cost, "optima": plain_count(self.optima)}

    def __repr__(self) -> str:
        noun = "boundaries" if self.unit == "boundary" and len(self.kept) != 1 else self.unit
        number = f"{len(self.kept):,} {noun}" if noun != "span" else count_of(len(self.kept), noun)
        optima = f", {short_count(self.optima)} optima" if self.optima > 1 else ""
        return (
            f"Gold({self.method}: {number} in {count_of(len(self.items), 'item')} of {count_of(len(self.coders), 'coder')}"
            f"{optima})"
        )


@keep_warnings
def gold(
    corpus: Corpus,
    method: str | None = None,
    *,
    n_t: int = 2,
    threshold: float | None = None,
    alpha: float = 0.01,
    ignore_types: bool = False,
    level: str = "flat",
    weights: str = "coders",
    min_support: int = 1,
    tolerance: float = 0.5,
) -> Gold:
    """Return one gold standard from the annotations of several coders.

    Parameters
    ----------
    corpus : Corpus
        Segmentations, dialogues or hierarchies of at least two coders.
    method : str, optional
        For segmentations and dialogues ``"median"`` (the default), ``"majority"``, ``"threshold"``, ``"cochran"``, ``"any"`` or
        ``"all"``. For hierarchies the methods of :func:`unify`, by default ``"conflict_free_union"``; ``"any"`` is the union
        and ``"all"`` the consensus.
    n_t : int, default 2
        Two boundaries less than ``n_t`` positions apart are a near miss.
    threshold : float, optional
        For the method ``"threshold"``, the minimum number of coders of a boundary. For hierarchies, see :func:`unify`.
    alpha : float, default 0.01
        Significance level of the method ``"cochran"``.
    ignore_types : bool, default False
        Whether boundaries of all types count as the same; the gold standard then has no types.
    level, weights, min_support, tolerance
        Options for hierarchies; see :func:`unify`.

    Returns
    -------
    Gold
        The gold standard as a corpus with the coder ``"gold"``, and the origin of every boundary. Items with fewer than two
        coders, or whose coders have different texts, are in ``.excluded``.

    Raises
    ------
    OptionError
        If there are fewer than two coders, no two coders share an item, or an option is invalid.
    Undefined
        If Cochran's Q has no significant threshold.

    Notes
    -----
    ==============  ==================================================================================
    ``method``      boundaries in the gold standard
    ==============  ==================================================================================
    ``median``      those with the smallest total boundary edit distance to all coders
    ``majority``    those that more than half of the coders placed
    ``threshold``   those that at least ``threshold`` coders placed
    ``cochran``     those that as many coders placed as Cochran's Q requires (see :func:`cochran_q`)
    ``any``         those that at least one coder placed
    ``all``         those that every coder placed
    ==============  ==================================================================================

    **Median.** The boundary edit distance is that of :func:`boundary_similarity`: 1 per boundary on one side only, d / n_t per
    near miss over d positions. Near misses vote together: if two of four coders mark position 4 and the others position 5, no
    position has a majority, but one boundary is closer to all coders than none. The minimum is exact for every number of
    coders with n_t = 1 and n_t = 2, and for larger n_t as long as the number of states allows it; otherwise an error says so.
    ``.optima`` is the exact number of segmentations with this distance. Of these, the one with the most exact matches with
    coders is chosen, then the one with the smallest positions.

    **Types.** Each type has a gold standard of its own. If a position would get two types although no coder gives a position
    two types, the types exclude each other, and the item is excluded with this reason. Without such a position the result
    is also optimal among the segmentations with one type per position. The end of a text is a position if a coder
    marked it. **Dialogues** have a gold standard per stream.

    References
    ----------
    Yöndem, M. T., & Üçoluk, G. A realistic success criterion for discourse segmentation, section 3.
    Passonneau, R. J., & Litman, D. J. (1997). Discourse segmentation by human and automated means. Computational
    Linguistics 23(1): 103-139.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> coders = {"ann": [2, 5], "bo": [2, 6], "cy": [5], "di": [6]}
    >>> corpus = Corpus({"poem": {name: Segmentation.from_positions(9, at) for name, at in coders.items()}})
    >>> result = gold(corpus)
    >>> result.corpus["poem", "gold"]
    Segmentation(9 units: ··|···|····)
    >>> for boundary in result.kept:
    ...     print(boundary.position, boundary.coders, dict(boundary.near))
    2 ('ann', 'bo') {}
    5 ('ann', 'cy') {'bo': 6, 'di': 6}
    >>> result.cost, result.optima
    (3.0, 4)
    >>> gold(corpus, "majority").kept
    ()
    """
    check_corpus(corpus)
    if len(corpus.coders) < 2:
        raise OptionError(
            f"a gold standard needs at least two coders; got {', '.join(map(repr, corpus.coders)) or 'none'}"
        )
    linear_options = {"n_t": n_t, "alpha": alpha, "ignore_types": ignore_types}
    hierarchy_options = {"level": level, "weights": weights, "min_support": min_support, "tolerance": tolerance}
    if corpus.kind == "hierarchy":
        _reject(linear_options, _LINEAR_OPTIONS, "segmentations", "hierarchies")
        return _hierarchical_gold(corpus, method, threshold, hierarchy_options)
    if corpus.kind not in ("linear", "dialogue"):
        hint = "convert the tiers to units with over_units" if corpus.kind == "timed" else "trees have no gold standard"
        raise OptionError(f"gold needs segmentations, dialogues or hierarchies; got {corpus.kind} data; {hint}")
    _reject(hierarchy_options, _HIERARCHY_OPTIONS, "hierarchies", "segmentations")
    return _linear_gold(corpus, LinearGoldOptions(method or "median", threshold=threshold, **linear_options))  # type: ignore[arg-type]  # checked


def gold_in_seconds(corpus: Corpus, scale: TimeScale, n_t: str, **options: Any) -> Gold:
    """Return the gold standard of segmentations whose positions have times, with near misses in seconds."""
    return _linear_gold(corpus, LinearGoldOptions(**options), scale, n_t)


def _reject(options: Mapping[str, Any], defaults: Mapping[str, Any], owner: str, actual: str) -> None:
    for name, value in options.items():
        if value != defaults[name]:
            raise OptionError(f"{name} is an option for {owner}; these are {actual}")


def _linear_gold(
    corpus: Corpus, options: LinearGoldOptions, scale: TimeScale | None = None, n_t: str | None = None
) -> Gold:
    golds = linear_golds(corpus, options, scale)
    coders, thresholds = _coders_of(corpus, golds.items), golds.thresholds
    threshold: object = options.threshold
    if thresholds:  # of Cochran's Q by type; without types, there is only one
        untyped = [*thresholds] == [*UNTYPED]
        threshold = ",".join(str(number) if untyped else f"{name}={number}" for name, number in thresholds.items())
    facts: dict[str, Any] = {**corpus.alignment_facts, "data": corpus.select(items=golds.annotations).fingerprint}
    return Gold(
        corpus=Corpus({item: {GOLD_CODER: annotation} for item, annotation in golds.annotations.items()}),
        method=options.method,
        coders=coders,
        items=golds.items,
        kept=golds.kept,
        dropped=golds.dropped,
        thresholds=thresholds,
        excluded=golds.excluded,
        signature=signature_line(
            "gold",
            method=options.method,
            n_t=n_t or options.n_t,
            threshold=threshold,
            alpha=f"{options.alpha:g}" if options.method == "cochran" else None,
            ignore_types=options.ignore_types or None,
            coders=len(coders),
            items=len(golds.items),
            **facts,
        ),
    )


def _coders_of(corpus: Corpus, entries: Collection[GoldItem]) -> tuple[str, ...]:
    names = {coder for entry in entries for coder in entry.coders}
    return tuple(coder for coder in corpus.coders if coder in names)


def _hierarchical_gold(corpus: Corpus, method: str | None, threshold: float | None, options: dict[str, Any]) -> Gold:
    name = method_name((*HIERARCHY_METHODS, *_ALIASES))("method", method or "conflict_free_union")
    name = _ALIASES.get(name, name)
    if threshold is not None:
        options |= {"threshold": threshold}
    tolerance = options.pop("tolerance")
    checked = check_method(name, **options)
    collected, excluded = collect_items(corpus, tolerance)
    golds: dict[str, UnifiedHierarchy] = {}
    for number, (item, hierarchies) in enumerate(collected.items(), 1):
        try:
            with own_errors():
                golds[item] = build_gold(hierarchies, checked, tolerance)
        except CaesuraError as error:
            excluded[item] = Excluded(item, None, str(error))
        report_progress(number, len(collected))
    reasons = [excluded[item] for item in corpus.item_names if item in excluded]
    if not golds:
        raise OptionError(f"no item has a gold standard: {'; '.join(map(str, reasons[:5]))}")
    pairs = [(entry.hierarchy, own) for item, entry in golds.items() for own in collected[item].by_coder.values()]
    kappas = iter(kappas_or_none(pairs))
    items = []
    for item, entry in golds.items():
        defined = [kappa for kappa in islice(kappas, len(entry.coders)) if kappa is not None]
        counts = len(entry.included), len(entry.dropped), entry.optima or 1
        mean = math.fsum(defined) / len(defined) if defined else None
        items.append(GoldItem(item, entry.hierarchy.length, entry.coders, *counts, None, mean))
    written, notes = _writable_hierarchies(golds)
    data = corpus.select(items=golds).fingerprint
    head, _, version = next(iter(golds.values())).signature.rpartition("|")
    return Gold(
        corpus=Corpus({item: {GOLD_CODER: hierarchy} for item, hierarchy in written.items()}),
        method=name,
        coders=_coders_of(corpus, items),
        items=tuple(items),
        kept=tuple(GoldSpan.of(item, span) for item, entry in golds.items() for span in entry.included),
        dropped=tuple(GoldSpan.of(item, span) for item, entry in golds.items() for span in entry.dropped),
        thresholds={},
        excluded=tuple(reasons),
        signature=f"{head}|items:{len(golds)}|data:{data}|{version}",
        notes=notes,
        hierarchies=golds,
    )


def _writable_hierarchies(golds: Mapping[str, UnifiedHierarchy]) -> tuple[dict[str, Hierarchy], tuple[str, ...]]:
    """Return the unified hierarchies in a form that can be written to a file."""
    hierarchies: dict[str, Hierarchy] = {}
    notes = []
    for item, entry in golds.items():
        hierarchies[item] = entry.hierarchy
        if entry.conflicts:
            notes.append(f"item {item!r}: spans of the gold standard cross; reading it again needs repair")
        elif not spans_nest(entry.hierarchy.spans):
            hierarchies[item] = entry.nested_hierarchy()
            notes.append(
                f"item {item!r}: levels of the gold standard contradict nesting; levels by nesting are written"
            )
    return hierarchies, tuple(notes)
