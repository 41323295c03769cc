"""Several annotated hierarchies into one: Carbone et al. (2004)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from caesura.errors import OptionError, Undefined
from caesura.gold.nested import heaviest
from caesura.gold.pool import Pool, crossing, pool
from caesura.gold.result import Candidate, Dropped, Gold
from caesura.measures.hierarchy import hierarchy_kappa
from caesura.model.hierarchy import Hierarchy
from caesura.version import __version__

__all__ = ["METHODS", "unify"]

METHODS = {
    "consensus": ("flat", "full"),
    "majority": ("flat", "full"),
    "conflict_free_union": ("flat",),
    "union": ("flat", "full"),
    "best_annotator": ("flat",),
}
"""Method -> the levels it has."""

_OPTIONS = {
    "consensus": (),
    "majority": ("threshold",),
    "conflict_free_union": ("weights", "min_support"),
    "union": ("min_support",),
    "best_annotator": (),
}
_USUAL = {"threshold": 0.5, "weights": "coders", "min_support": 1}


def unify(
    hierarchies: Mapping[str, Hierarchy] | Sequence[Hierarchy],
    *,
    method: str = "conflict_free_union",
    level: str = "flat",
    threshold: float = 0.5,
    weights: str = "coders",
    min_support: int = 1,
    tolerance: float = 0.5,
) -> Gold:
    """One gold standard from what several coders made of one text.

    ``hierarchies`` maps coders to hierarchies; in a sequence they are called coder 1, coder 2 and so on. Two spans
    *conflict* if they overlap and neither contains the other. ``level="flat"`` asks whether coders drew the same
    (start, end), each coder counting once for it; ``"full"`` whether they drew it on the same level too.

    ========================  ============================================================  ==========
    ``method``                what is kept                                                  levels
    ========================  ============================================================  ==========
    ``consensus``             what every coder has                                          flat, full
    ``majority``              what more than half have, or more than ``threshold``          flat, full
    ``conflict_free_union``   the heaviest set of spans without conflicts (the default)     flat
    ``union``                 everything, conflicts and all                                 flat, full
    ``best_annotator``        all of the coder with the highest mean kappa with the others  flat
    ========================  ============================================================  ==========

    **Majority** never conflicts: two spans that more than half have are both had by somebody. Below .5 it may, and
    ``.conflicts`` counts the pairs. **Conflict-free union** keeps as many spans as can be, each weighted by the number
    of coders who drew it, so that a span of two coders is as hard to drop as two spans of one; ``weights="unique"``
    counts each distinct span once. ``min_support`` first drops spans of fewer coders, here and in the union. Of several
    sets of the same weight (``.optima`` is their exact number; ties are normal), that with the larger sum of squared
    weights is taken, then the one of fewer spans, then the earlier. **Best annotator**: kappa is Flammia & Zue's;
    undefined ones are left out of the mean, and of several best coders the first is taken, as it always is with two.

    A gold keeps the levels that coders drew. Where flat methods join a span from different levels, it stands on the one
    most coders gave it, the smallest of several, with the label most of these gave it, the first of several.
    Hierarchies in time are first laid over common units (``tolerance``, in seconds; see :func:`common_units`).

    The recurrence printed in section 2.5.1 counts spans that a cut does not hurt; this is the optimum it is after,
    equal to exhaustive search, in O(starts * spans) and not O(N^3).

    Carbone, M., Gal, Y., Shieber, S., & Grosz, B. (2004). Unifying annotated discourse hierarchies to create a gold
    standard. SIGDIAL, section 2. Figure 4, where dropping 1-4 and 5-8 is as good as dropping the two copies of 3-6:

    >>> gold = unify({
    ...     "first": Hierarchy(8, [(1, 8), (1, 2), (3, 6), (7, 8)]),
    ...     "second": Hierarchy(8, [(1, 8), (1, 4), (5, 8)]),
    ...     "third": Hierarchy(8, [(1, 8), (1, 2), (3, 6)]),
    ... })
    >>> gold
    Gold(conflict_free_union, flat: 8 units, 4 spans: ((1 2) (3 4 5 6) (7 8)))
    >>> gold.optima, [(one.start, one.end, one.reason) for one in gold.dropped]
    (2, [(1, 4, 'crosses 3-6'), (5, 8, 'crosses 3-6')])
    >>> gold.signature
    'unify|method:conflict_free_union|level:flat|weights:coders|min_support:1|coders:3|caesura:0.1.0'
    """
    plan = check_plan(method, level, threshold=threshold, weights=weights, min_support=min_support)
    return gold_of(pool(hierarchies, tolerance), plan, tolerance)


@dataclass(frozen=True)
class Plan:
    """A method with its options, checked."""

    method: str
    level: str
    options: Mapping[str, Any]
    """Those that the method has."""


def check_plan(method: str, level: str, *, strict: bool = True, **options: Any) -> Plan:
    """The method with these options, or what is wrong with them; unless ``strict``, it may do without some of them."""
    if method not in METHODS:
        raise OptionError(f"no method {method!r}; there are {', '.join(METHODS)}")
    if level not in METHODS[method]:
        raise OptionError(f"level: {method} has {' and '.join(METHODS[method])}; got {level!r}")
    for name, value in options.items():
        if strict and name not in _OPTIONS[method] and value != _USUAL[name]:
            having = [one for one, names in _OPTIONS.items() if name in names]
            raise OptionError(f"{name}: only {' and '.join(having)} can have it; got {value!r} for {method}")
    check_options(**options)
    return Plan(method, level, {name: options[name] for name in _OPTIONS[method]})


def check_options(threshold: Any, weights: Any, min_support: Any) -> None:
    """Whether every value can be."""
    if isinstance(threshold, bool) or not isinstance(threshold, (int, float)) or not 0 <= threshold < 1:
        raise OptionError(f"threshold must be a share of the coders, from 0 to below 1; got {threshold!r}")
    if weights not in ("coders", "unique"):
        raise OptionError(f"weights must be 'coders' or 'unique'; got {weights!r}")
    if isinstance(min_support, bool) or not isinstance(min_support, (int, np.integer)) or min_support < 1:
        raise OptionError(f"min_support must be a number of coders from 1 up; got {min_support!r}")


def gold_of(drawn: Pool, plan: Plan, tolerance: float) -> Gold:
    """The gold by one method, over units that are common already."""
    method, options = plan.method, plan.options
    candidates = drawn.candidates(plan.level, options.get("weights", "coders"))
    notes: list[str] = []
    optima = best = None
    kappas: dict[str, float | None] = {}
    if method == "best_annotator":
        best, kappas, said = _best(drawn)
        notes += said
        reasons = [None if best in one.coders else f"not drawn by {best}" for one in candidates]
    elif method == "conflict_free_union":
        reasons = _unsupported(candidates, drawn, options["min_support"])
        asked = [one for one, reason in zip(candidates, reasons, strict=True) if reason is None]
        choice = heaviest([(one.start, one.end) for one in asked], [one.weight for one in asked])
        optima = choice.optima
        left_out = {one for one, kept in zip(asked, choice.kept, strict=True) if not kept}
        reasons = ["" if one in left_out else reason for one, reason in zip(candidates, reasons, strict=True)]
        if optima > 1:
            notes.append(
                f"{optima} sets without conflicts have the greatest weight, {choice.weight}; of these the one with the "
                "larger sum of squared weights was taken, then of fewer spans, then the earlier"
            )
    elif method == "union":
        reasons = _unsupported(candidates, drawn, options["min_support"])
    else:
        reasons = _outvoted(candidates, drawn, plan)
    kept = tuple(one for one, reason in zip(candidates, reasons, strict=True) if reason is None)
    dropped = _dropped(
        kept, [(one, reason) for one, reason in zip(candidates, reasons, strict=True) if reason is not None]
    )
    conflicts = 0
    if method == "union" or options.get("threshold", 0.5) < 0.5:
        conflicts, said = _conflicts(kept, plan)
        notes += said
    if not kept:
        notes.append("no span is left")
    if drawn.emptied:
        many = drawn.emptied > 1
        notes.append(
            f"{drawn.emptied} span{'s' if many else ''} became empty when times within {tolerance:g} s were merged, "
            f"and {'were' if many else 'was'} dropped"
        )
    words = [
        "unify",
        f"method:{method}",
        f"level:{plan.level}",
        *(f"{name}:{value}" for name, value in options.items()),
    ]
    words += [f"coders:{len(drawn.coders)}", *([f"tolerance:{tolerance:g}"] if drawn.timed else [])]
    return Gold(
        drawn.text,
        [one.span for one in kept] if best is None else drawn.by_coder[best].spans,
        method=method,
        level=plan.level,
        coders=drawn.coders,
        kept=kept,
        dropped=dropped,
        conflicts=conflicts,
        optima=optima,
        best=best,
        kappas=kappas,
        notes=tuple(notes),
        signature="|".join([*words, f"caesura:{__version__}"]),
    )


# -- why a span is not in the gold; None where it is ------------------------------------------------------------------


def _unsupported(candidates: list[Candidate], drawn: Pool, least: int) -> list[str | None]:
    return [f"{_support(one, drawn)}, fewer than {least}" if len(one.coders) < least else None for one in candidates]


def _outvoted(candidates: list[Candidate], drawn: Pool, plan: Plan) -> list[str | None]:
    if plan.method == "consensus":
        return [None if len(one.coders) == len(drawn.coders) else _support(one, drawn) for one in candidates]
    # Shares are meant as written: .29 of 100 coders are 29, and not the 28.999999999999996 of the machine.
    share = Fraction(plan.options["threshold"]).limit_denominator(1_000_000)
    said = "half" if share == Fraction(1, 2) else f"{plan.options['threshold']:g} of them"
    return [
        None if len(one.coders) > share * len(drawn.coders) else f"{_support(one, drawn)}, not more than {said}"
        for one in candidates
    ]


def _support(one: Candidate, drawn: Pool) -> str:
    return f"drawn by {len(one.coders)} of {len(drawn.coders)} coders"


def _dropped(kept: tuple[Candidate, ...], dropped: list[tuple[Candidate, str]]) -> tuple[Dropped, ...]:
    """With the kept spans that each crosses; where no other reason is given, that is the reason."""
    found = []
    across = crossing([(one.start, one.end) for one, _ in dropped], [(one.start, one.end) for one in kept])
    for (one, reason), places in zip(dropped, across, strict=True):
        against = tuple(kept[i] for i in places.tolist())
        found.append(
            Dropped(one.span, one.levels, one.labels, one.coders, one.weight, reason or _crossed(against), against)
        )
    return tuple(found)


def _crossed(against: tuple[Candidate, ...]) -> str:
    shown = [f"{one.start}-{one.end}" for one in against[:3]]
    more = len(against) - len(shown)
    return f"crosses {', '.join(shown)}" + (f" and {more} more" if more else "")


def _conflicts(kept: tuple[Candidate, ...], plan: Plan) -> tuple[int, list[str]]:
    """How many pairs of kept spans cross, with the first of them."""
    spans = [*dict.fromkeys((one.start, one.end) for one in kept)]
    crossed = list(crossing(spans, spans))
    number = sum(places.size for places in crossed) // 2
    if not number:
        return 0, []
    first, other = next((spans[i], spans[places[0]]) for i, places in enumerate(crossed) if places.size)
    why = "a union keeps conflicts" if plan.method == "union" else "below a threshold of .5 spans may conflict"
    pairs = "1 pair crosses," if number == 1 else f"{number} pairs cross, the first"
    return number, [f"{why}: {pairs} {first[0]}-{first[1]} and {other[0]}-{other[1]}"]


# -- the best annotator -----------------------------------------------------------------------------------------------


def _best(drawn: Pool) -> tuple[str, dict[str, float | None], list[str]]:
    """The coder with the highest mean kappa, everybody's mean, and what is to be said about it."""
    mine: dict[str, list[float]] = {coder: [] for coder in drawn.coders}
    undefined = 0
    for a, b in combinations(drawn.coders, 2):
        kappa = kappa_of(drawn.by_coder[a], drawn.by_coder[b])
        if kappa is None:
            undefined += 1
        else:
            mine[a].append(kappa)
            mine[b].append(kappa)
    means = {coder: math.fsum(values) / len(values) if values else None for coder, values in mine.items()}
    defined = [mean for mean in means.values() if mean is not None]
    if not defined:
        raise Undefined(
            "best_annotator: kappa is undefined for every pair of coders; take a method that needs no kappa"
        )
    tied = [coder for coder, mean in means.items() if mean is not None and mean > max(defined) - 1e-12]
    notes = []
    if len(drawn.coders) == 2:
        notes.append(f"two coders always tie as best annotator; {tied[0]}, the first, was taken")
    elif len(tied) > 1:
        notes.append(f"{', '.join(tied)} tie as best annotator; {tied[0]}, the first, was taken")
    if undefined:
        notes.append(
            f"kappa is undefined for {undefined} pair{'s' if undefined > 1 else ''} of coders, left out of the means"
        )
    return tied[0], means, notes


def kappa_of(a: Hierarchy, b: Hierarchy) -> float | None:
    """Flammia & Zue's kappa, or None where it is undefined."""
    try:
        return hierarchy_kappa(a, b).value
    except Undefined:
        return None
