"""Every way of unifying against every annotation: the experiment of Carbone et al. (2004)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from caesura.errors import CaesuraError, OptionError, Undefined
from caesura.gold.pool import Pool, pool
from caesura.gold.result import Gold
from caesura.gold.unify import METHODS, Plan, check_options, check_plan, gold_of, kappa_of
from caesura.measures.hierarchy import hierarchy_overlap, non_crossing
from caesura.model.corpus import Corpus
from caesura.model.hierarchy import Hierarchy
from caesura.version import __version__

__all__ = ["Spread", "Unification", "UnificationRow", "evaluate_unification"]

_FIGURES = ("kappa", "recall", "precision", "non_crossing")
# What the paper calls them.
_SHORT = {"consensus": "CNS", "majority": "MCNS", "union": "UNI"}


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and deviation of a figure over annotations."""

    mean: float | None
    """None where no annotation has the figure."""
    deviation: float | None
    """The standard deviation of these annotations (divided by n, as they are all there are); None without a mean."""
    number: int
    """Annotations in the mean."""
    left_out: int
    """Annotations for which the figure is undefined."""

    @classmethod
    def of(cls, values: Iterable[float | None]) -> Spread:
        """Over those that are not None."""
        listed = list(values)
        found = [value for value in listed if value is not None]
        if not found:
            return cls(None, None, 0, len(listed))
        mean = math.fsum(found) / len(found)
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in found) / len(found))
        return cls(mean, deviation, len(found), len(listed) - len(found))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {name: getattr(self, name) for name in ("mean", "deviation", "number", "left_out")}


@dataclass(frozen=True, slots=True)
class UnificationRow:
    """One method over all annotations of all items."""

    name: str
    """As in the paper: FullCNS, FlatMCNS, CFU and so on."""
    method: str
    level: str
    itself: bool
    """Whether the best annotator is scored against itself too; true for all other methods."""
    kappa: Spread
    recall: Spread
    precision: Spread
    non_crossing: Spread
    annotations: int
    """How many annotations were held against a gold."""
    spans: float
    """Mean number of distinct spans of a gold."""
    empty: int
    """Items whose gold has no span."""
    conflicting: int
    """Items whose gold has spans that cross."""
    tied: int
    """Items whose gold is one of several: conflict-free unions with more than one optimum, best annotators that tie."""
    dropped: dict[str, str]
    """Items for which this method has no gold, and why."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        plain = ("name", "method", "level", "itself", "annotations", "spans", "empty", "conflicting", "tied")
        return (
            {name: getattr(self, name) for name in plain}
            | {name: getattr(self, name).to_dict() for name in _FIGURES}
            | {"dropped": dict(self.dropped)}
        )


@dataclass(frozen=True)
class Unification:
    """The table of an experiment: a row a method."""

    rows: tuple[UnificationRow, ...]
    items: tuple[str, ...]
    """Those that could be used."""
    dropped: dict[str, str]
    """Those that could not, and why."""
    emptied: int
    """Spans that became empty when times were merged."""
    signature: str

    def row(self, name: str) -> UnificationRow:
        """The row of that name, such as ``CFU`` or ``FlatMCNS``."""
        for row in self.rows:
            if row.name == name:
                return row
        raise OptionError(f"no row {name!r}; there are {', '.join(row.name for row in self.rows)}")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "rows": [row.to_dict() for row in self.rows],
            "items": list(self.items),
            "dropped": dict(self.dropped),
            "emptied": self.emptied,
            "signature": self.signature,
        }


def evaluate_unification(
    corpus: Corpus,
    *,
    methods: Iterable[str] | None = None,
    threshold: float = 0.5,
    weights: str = "coders",
    min_support: int = 1,
    tolerance: float = 0.5,
) -> Unification:
    """How much of what the coders drew does each way of unifying keep?

    The hierarchies of every item of ``corpus`` are unified by each of the ``methods`` (all, by default; see
    :func:`unify` for these and for the options), flat and full where a method has both, and every gold is held against
    each annotation it was made from. Mean and deviation over all annotations of all items, shares of 1, save kappa,
    which may be negative:

    - **kappa** of Flammia & Zue: do boundaries of spans agree, corrected for chance?
    - **recall**: the share of the annotation's spans that are in the gold. **precision**: the share of the gold's spans that
      the annotation has. On the same level too, where the method is full.
    - **non_crossing**: the share of the annotation's distinct spans that no span of the gold crosses.

    By definition the recall of a union is 1, and so are the precision of a consensus and its non-crossing; that of a
    conflict-free union equals its recall, since what crosses nothing is in it. The paper's Table 1 breaks these and is
    no target. ``best_annotator`` has two rows: against everybody, and without the annotation that is itself the gold.

    An undefined kappa, the precision of an empty gold and the figures of an empty annotation are left out of the means
    and counted. Items that cannot be used are named in ``.dropped``.

    Carbone, M., Gal, Y., Shieber, S., & Grosz, B. (2004). Unifying annotated discourse hierarchies to create a gold
    standard. SIGDIAL, sections 3 and 4, Table 1.

    >>> drawn = {
    ...     "first": Hierarchy(8, [(1, 8), (1, 2), (3, 6), (7, 8)]),
    ...     "second": Hierarchy(8, [(1, 8), (1, 4), (5, 8)]),
    ...     "third": Hierarchy(8, [(1, 8), (1, 2), (3, 6)]),
    ... }
    >>> found = evaluate_unification(Corpus({"figure 1": drawn}))
    >>> for row in found.rows:
    ...     figures = (row.kappa, row.recall, row.precision, row.non_crossing)
    ...     print(f"{row.name:20}", *(f"{one.mean:.2f}" for one in figures))
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
    plans = _plans(methods, threshold=threshold, weights=weights, min_support=min_support)
    pools: dict[str, Pool] = {}
    dropped: dict[str, str] = {}
    for item in corpus.item_names:
        try:
            pools[item] = pool(_hierarchies(corpus, item), tolerance)
        except CaesuraError as problem:
            dropped[item] = str(problem)
    if not pools:
        said = "; ".join(f"item {item!r}: {why}" for item, why in list(dropped.items())[:5])
        raise OptionError(f"no item can be unified{': ' if said else '; the corpus is empty'}{said}")
    rows: list[UnificationRow] = []
    for plan in plans:
        golds: dict[str, Gold] = {}
        without: dict[str, str] = {}
        for item, drawn in pools.items():
            try:
                golds[item] = gold_of(drawn, plan, tolerance)
            except Undefined as problem:
                without[item] = str(problem)
        rows += [_row(plan, itself, golds, pools, without) for itself in _selves(plan)]
    words = ["evaluate_unification", f"methods:{'+'.join(dict.fromkeys(plan.method for plan in plans))}"]
    words += [f"{name}:{value}" for name, value in _used(plans).items()]
    words += [f"items:{len(pools)}", f"annotations:{sum(len(one.coders) for one in pools.values())}"]
    words += [f"tolerance:{tolerance:g}"] if any(one.timed for one in pools.values()) else []
    signature = "|".join([*words, f"caesura:{__version__}"])
    return Unification(tuple(rows), tuple(pools), dropped, sum(one.emptied for one in pools.values()), signature)


def _plans(methods: Iterable[str] | None, **options: Any) -> list[Plan]:
    """Each method on each of its levels, full before flat as in Table 1, with those options it has."""
    if isinstance(methods, str):
        raise OptionError(f"methods must be a list of names; got the string {methods!r}")
    chosen = tuple(METHODS if methods is None else dict.fromkeys(methods))
    if not chosen:
        raise OptionError(f"methods: at least one is needed; there are {', '.join(METHODS)}")
    check_options(**options)
    plans = []
    for method in chosen:
        for level in reversed(METHODS.get(method, ("flat",))):
            plans.append(check_plan(method, level, **options, strict=False))
    return plans


def _used(plans: Iterable[Plan]) -> dict[str, Any]:
    """The options of all methods, for the signature."""
    return {name: value for plan in plans for name, value in plan.options.items()}


def _hierarchies(corpus: Corpus, item: str) -> dict[str, Hierarchy]:
    found = {}
    for coder, one in corpus.of_item(item).items():
        if not isinstance(one, Hierarchy):
            raise OptionError(f"coder {coder!r}: a Hierarchy is needed; got {type(one).__name__}")
        found[coder] = one
    return found


def _selves(plan: Plan) -> tuple[bool, ...]:
    return (True, False) if plan.method == "best_annotator" else (True,)


def _row(
    plan: Plan, itself: bool, golds: dict[str, Gold], pools: dict[str, Pool], without: dict[str, str]
) -> UnificationRow:
    scored = [
        _figures(gold, one)
        for item, gold in golds.items()
        for coder, one in pools[item].by_coder.items()
        if itself or coder != gold.best
    ]
    if plan.method == "best_annotator":
        name = "BestAnnotator" if itself else "BestAnnotator-self"
    else:
        name = "CFU" if plan.method not in _SHORT else f"{plan.level.capitalize()}{_SHORT[plan.method]}"
    return UnificationRow(
        name=name,
        method=plan.method,
        level=plan.level,
        itself=itself,
        **{figure: Spread.of(one[figure] for one in scored) for figure in _FIGURES},
        annotations=len(scored),
        spans=sum(len(gold.flat) for gold in golds.values()) / max(1, len(golds)),
        empty=sum(not gold.spans for gold in golds.values()),
        conflicting=sum(gold.conflicts > 0 for gold in golds.values()),
        tied=sum(gold.tied for gold in golds.values()),
        dropped=without,
    )


def _figures(gold: Gold, one: Hierarchy) -> dict[str, float | None]:
    """A gold against one annotation; None where a figure is undefined."""
    overlap = hierarchy_overlap(one, gold, level=gold.level)
    return {
        "kappa": kappa_of(gold, one),
        "recall": overlap.recall() if one.spans else None,
        "precision": overlap.precision() if gold.spans else None,
        "non_crossing": non_crossing(one, gold).value if one.spans else None,
    }
