"""Make one gold standard from the annotations of several coders, and compare the methods for hierarchies."""

from __future__ import annotations

import math
from contextlib import nullcontext
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np

from caesura.errors import OptionConflictError, OptionError
from caesura.formats import format_for_writing
from caesura.gold.experiment import Unification, evaluate_unification
from caesura.gold.gold import ALL_METHODS, GOLD_CODER, Gold, GoldSpan, gold, gold_in_seconds
from caesura.gold.linear import METHODS as LINEAR_METHODS
from caesura.gold.linear import GoldBoundary, TimeScale, method_name
from caesura.gold.tiers import recording_of, tier_of_decisions, tier_of_marks
from caesura.gold.unify import METHODS as HIERARCHY_METHODS
from caesura.measures.axis import amount
from caesura.model.annotation import tiers_of
from caesura.model.common_units import BoundaryTimes, boundary_times
from caesura.model.corpus import Corpus, lack_units, one_level_as_tiers
from caesura.model.dialogue import texts_of
from caesura.model.hierarchy import Hierarchy
from caesura.model.plain import json_entries
from caesura.model.result import Excluded, Result
from caesura.model.segmentation import UNTYPED
from caesura.model.tier import Tier
from caesura.model.value import Ints
from caesura.notices import collect_warnings
from caesura.options import OptionSet, choice, fraction, number, positive, setting, switch, whole
from caesura.tasks.files import write_corpus
from caesura.tasks.units import spans_as_hierarchies, with_units

# Near misses in seconds, as in the default measures.
DEFAULT_SECONDS = "0.5s"
_MIN_SECONDS, _MAX_SECONDS = 0.001, 10_000
_DIGITS = 6  # of a second
_MAX_N_T = 1_000_000  # the largest n_t of boundary similarity


def _positions_or_seconds(name: str, value: Any) -> int | str:
    """Check for a number of positions from 1, or a text in seconds such as ``"0.5s"``."""
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.endswith("s"):
        seconds = str(amount(name, text))
        if not _MIN_SECONDS <= float(seconds[:-1]) <= _MAX_SECONDS:
            raise OptionError(f"{name} must be from {_MIN_SECONDS:g} s to {_MAX_SECONDS:g} s; got {value!r}")
        return seconds
    is_number = isinstance(text, str) and text.isdecimal() and text.isascii() and len(text) < 10
    number: int = whole(1, 1_000_000)(name, int(text) if is_number else text)
    return number


_positions_or_seconds.value_type, _positions_or_seconds.choices = str, ()  # type: ignore[attr-defined]  # command line


@dataclass(frozen=True)
class GoldOptions(OptionSet):
    method: str | None = setting(
        None,
        method_name(ALL_METHODS),
        "median (the default), majority, threshold, cochran, any or all; for hierarchies conflict_free_union (the default), "
        "majority, consensus, union or best_annotator.",
    )
    n_t: int | str = setting(
        2,
        _positions_or_seconds,
        "Boundaries less than this number of positions apart are near misses; in seconds, for files without units, such as "
        "0.5s (default there: 0.5s).",
        flags=("--n-t",),
    )
    threshold: float | None = setting(
        None,
        number(0, 2**31 - 1),
        "With the method threshold, minimum number of coders of a boundary. For hierarchies, a majority is more than this "
        "fraction of the coders.",
    )
    alpha: float = setting(0.01, fraction, "Significance level of the method cochran.")
    ignore_types: bool = switch("Treat boundaries of all types as the same.")
    level: str = setting("flat", choice("flat", "full"), "Hierarchies: compare spans, or spans and levels.")
    weights: str = setting(
        "coders",
        choice("coders", "unique"),
        "Hierarchies: whether a conflict-free union counts every coder's copy of a span, or each distinct span once.",
    )
    min_support: int = setting(1, whole(1), "Hierarchies: minimum number of coders of a span in a union.")
    tolerance: float = setting(0.5, positive, "Hierarchies: seconds within which two times count as equal.")


@dataclass(frozen=True)
class UnifyOptions(OptionSet):
    method: str = setting("conflict_free_union", choice(*HIERARCHY_METHODS), "How to make the gold standard.")
    level: str = setting("flat", choice("flat", "full"), "Whether coders must agree on spans, or on their levels too.")
    threshold: float = setting(0.5, number(0, 1, below=True), "A majority is more than this fraction of the coders.")
    weights: str = setting(
        "coders",
        choice("coders", "unique"),
        "Whether a conflict-free union counts every coder's copy of a span, or each distinct span once.",
    )
    min_support: int = setting(
        1, whole(1), "Minimum number of coders who must have marked a span for a union to keep it."
    )
    tolerance: float = setting(0.5, positive, "Seconds within which two times count as equal.")


@dataclass(frozen=True)
class GoldStudy(Result):
    """A gold standard of hierarchies, and the evaluation of all methods."""

    gold: Gold
    evaluation: Unification | None = None  # comparison of every method with every annotation, if requested
    excluded: tuple[Excluded, ...] = ()

    @property
    def signature(self) -> str:
        return self.gold.signature

    def __json__(self) -> dict[str, Any]:
        return json_entries(self.gold) | {"evaluation": self.evaluation}


def make_gold(corpus: Corpus, options: GoldOptions | None = None) -> Gold:
    options = options or GoldOptions()
    if options.alpha != GoldOptions().alpha and options.method != "cochran":
        raise OptionConflictError("--alpha has no effect without --method cochran; add it")
    if not _asks_for_hierarchy(options):
        corpus = one_level_as_tiers(corpus)
    timed = lack_units([corpus])
    with collect_warnings() if timed else nullcontext():  # distances are in seconds: no number depends on the units
        (converted,), without_units = with_units([corpus])
    if timed:
        result = _gold_in_seconds(converted, corpus, options)
    elif isinstance(options.n_t, str):
        raise OptionError(f"n_t={options.n_t!r} is in seconds, but the texts have units; write a number of positions")
    else:
        result = gold(converted, **options.select(*(entry.name for entry in options.declared())))
    if corpus.holds(Tier):
        result = with_times(result, corpus)
    return replace(result, excluded=(*without_units, *result.excluded)) if without_units else result


def _gold_in_seconds(converted: Corpus, corpus: Corpus, options: GoldOptions) -> Gold:
    """Return the gold standard of tiers without units; near misses are measured in seconds."""
    n_t = DEFAULT_SECONDS if options.n_t == GoldOptions().n_t else options.n_t
    if not isinstance(n_t, str):
        raise OptionError(f"n_t={n_t} is a number of positions, but these annotations are in seconds; write {n_t}s")
    scale = time_scale(converted, corpus, float(n_t[:-1]))
    # Boundaries are placed whatever the labels beside them are, as measures in seconds compare them.
    method, threshold, alpha = options.method or "median", options.threshold, options.alpha
    return gold_in_seconds(converted, scale, n_t, method=method, threshold=threshold, alpha=alpha, ignore_types=True)


def _asks_for_hierarchy(options: GoldOptions) -> bool:
    """Return whether the method or another option is one for hierarchies only."""
    only_hierarchies = options.method in set(HIERARCHY_METHODS) - set(LINEAR_METHODS)
    names = ("level", "weights", "min_support", "tolerance")
    return only_hierarchies or options.select(*names) != GoldOptions().select(*names)


def unify_hierarchies(corpus: Corpus, options: UnifyOptions | None = None, *, evaluate: bool = False) -> GoldStudy:
    options = options or UnifyOptions()
    (corpus,), crossing = spans_as_hierarchies([corpus])
    for (item, coder), annotation in corpus.items():
        if not isinstance(annotation, Hierarchy):
            raise OptionError(
                f"item {item!r}, coder {coder!r}: unify needs spans; got a {type(annotation).__name__}; `caesura gold` makes "
                "a gold standard from segmentations"
            )
    arguments = options.select("threshold", "weights", "min_support", "tolerance")
    result = gold(corpus, options.method, level=options.level, **arguments)
    evaluation = evaluate_unification(corpus, **arguments) if evaluate else None
    more = () if evaluation is None else evaluation.excluded
    return GoldStudy(result, evaluation, tuple(dict.fromkeys((*crossing, *result.excluded, *more))))


def write_gold(result: Gold, target: str) -> tuple[str, ...]:
    """Write a gold standard to a file in the format that its suffix names; in seconds if it has times and the format tiers."""
    corpus = result.corpus
    if result.recordings:
        tiers = gold_tiers(result, points=False)
        chosen = format_for_writing(target, tiers)
        if chosen.can_hold([Tier]):
            corpus = gold_tiers(result, points=chosen.stores_points)
    return (*result.notes, *write_corpus(corpus, target))


# -- times of a gold standard that was made from tiers in seconds ---------------------------------------------------------


def time_scale(converted: Corpus, corpus: Corpus, n_t: float) -> TimeScale:
    """Return the times of the positions of segmentations that were made from tiers."""
    per_second = 10 ** min(_DIGITS, math.floor(math.log10(_MAX_N_T / n_t)))  # decimal fractions of seconds stay exact
    by_place: dict[tuple[str, str], dict[int, list[float]]] = {}
    for (item, _, stream), times in boundary_times(corpus).items():
        for position, time in times.items():
            by_place.setdefault((item, stream), {}).setdefault(position, []).append(time)
    places: dict[tuple[str, str], Ints] = {}
    for item in converted.item_names:
        text = next(iter(converted.of_item(item).values()))
        for stream, side in texts_of(text).items():
            end = max(tiers_of(entry)[stream].end for entry in corpus.of_item(item).values())
            marked = by_place.get((item, stream), {})
            seconds = [median(marked.get(position) or [end]) for position in range(1, side.length + 1)]
            places[item, stream] = np.rint(np.array(seconds) * per_second).astype(np.int64)
    return TimeScale(places, round(n_t * per_second))


def with_times(result: Gold, corpus: Corpus) -> Gold:
    times = boundary_times(corpus)
    if not times:
        return result
    tiers: dict[tuple[str, str], list[Tier]] = {}
    for item in result.corpus.item_names:
        for annotation in corpus.of_item(item).values():
            for stream, tier in tiers_of(annotation).items():
                tiers.setdefault((item, stream), []).append(tier)
    return replace(
        result,
        kept=tuple(_with_time(boundary, times) for boundary in result.kept),
        dropped=tuple(_with_time(boundary, times) for boundary in result.dropped),
        recordings={key: recording_of(entries) for key, entries in tiers.items()},
        tiers={key: tuple(entries) for key, entries in tiers.items()},
    )


def _with_time(boundary: GoldBoundary | GoldSpan, times: BoundaryTimes) -> GoldBoundary:
    assert isinstance(boundary, GoldBoundary)
    places = dict.fromkeys(boundary.coders, boundary.position) or boundary.near
    known = [
        times.get((boundary.item, coder, boundary.stream or ""), {}).get(position) for coder, position in places.items()
    ]
    defined = [time for time in known if time is not None]
    return replace(boundary, time=median(defined) if defined else None)


def gold_tiers(result: Gold, *, points: bool) -> Corpus:
    labels: dict[tuple[str, str], dict[float, list[str]]] = {key: {} for key in result.recordings}
    for boundary in result.kept:
        if isinstance(boundary, GoldBoundary) and boundary.time is not None:
            at = labels[boundary.item, boundary.stream or ""].setdefault(boundary.time, [])
            at += [] if boundary.type in (None, *UNTYPED) else [str(boundary.type)]
    typed = any(isinstance(boundary, GoldBoundary) and boundary.type is not None for boundary in result.kept)
    by_item: dict[str, dict[str, Tier]] = {}
    for (item, stream), recording in result.recordings.items():
        marks = sorted((time, "+".join(types)) for time, types in labels[item, stream].items())
        coder = f"{GOLD_CODER} {stream}" if stream else GOLD_CODER
        coders = result.tiers.get((item, stream), ())
        if result.in_seconds and any(tier.intervals for tier in coders):
            tier = tier_of_decisions(recording, marks, coders, typed=False)
        else:
            tier = tier_of_marks(recording, marks, points=points and not typed, typed=typed)
        by_item.setdefault(item, {})[coder] = tier
    return Corpus(by_item)
