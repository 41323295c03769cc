"""Segmentations made up at random: bounds, errors at a known rate, the experiments of two papers, whole corpora of coders."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.many import score_many
from caesura.measures.registry import parse
from caesura.model.corpus import Corpus
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.value import MAX_UNITS
from caesura.options import choice, flag, number, whole
from caesura.simulation.drawing import Seed, generator

__all__ = [
    "EACH",
    "MOST",
    "Cell",
    "all_boundaries",
    "false_alarms",
    "figure_5a",
    "figure_5b",
    "figure_5c",
    "misses",
    "near_misses",
    "no_boundaries",
    "pseudo_coders",
    "random_coders",
    "random_segmentation",
    "regular_segmentation",
    "shifts",
    "table_1",
    "uniform_segments",
]

Ints = NDArray[np.int64]
Pairs = list[tuple[Segmentation, Segmentation]]

MOST = 10_000_000
"""Units that one call may lay out, over all segmentations it holds at a time; each may take a few dozen bytes."""
EACH = 100
"""What a segmentation counts for beside its units: an empty one takes memory too."""

_probability = number(0, 1)
_count = whole(1)


# -- bounds -------------------------------------------------------------------------------------------------------


def random_segmentation(units: int, masses: Iterable[int], *, seed: Seed) -> Segmentation:
    """A text of ``units`` filled with segments drawn with replacement from ``masses``; the last one is cut to fit.

    ``masses`` are the lengths of segments that people made, each as often as it occurs: what a segmenter would do that
    knows how long segments are and nothing of the text. (Fournier 2013, section 6, the segmenter "Random".)

    >>> random_segmentation(20, [2, 3, 3, 7], seed=1)
    Segmentation(20 units: ···|···|·······|·······)
    """
    units = _length(units)
    return Segmentation.from_positions(units, fill_with_segments(units, _masses(masses), generator(seed)))


def regular_segmentation(units: int, mean_mass: float) -> Segmentation:
    """A boundary every ``mean_mass`` units, rounded half up and at least 1.

    >>> regular_segmentation(11, 2.5)
    Segmentation(11 units: ···|···|···|··)
    """
    units, mean = _length(units), number(0, MAX_UNITS)("mean_mass", mean_mass)
    if mean == 0:
        raise OptionError(f"mean_mass must be greater than 0; got {mean_mass!r}")
    step = max(1, math.floor(mean + 0.5))
    return Segmentation.from_positions(units, np.arange(step, units, step, dtype=np.int64))


def no_boundaries(units: int) -> Segmentation:
    """One segment.

    >>> no_boundaries(5)
    Segmentation(5 units: ·····)
    """
    return Segmentation.from_positions(_length(units), [])


def all_boundaries(units: int) -> Segmentation:
    """A boundary at every position.

    >>> all_boundaries(5)
    Segmentation(5 units: ·|·|·|·|·)
    """
    return regular_segmentation(units, 1)


def uniform_segments(segments: int, low: int, high: int, *, seed: Seed) -> Segmentation:
    """So many segments, each of ``low`` to ``high`` units, every length (the ends included) as likely as any other.

    >>> uniform_segments(4, 3, 6, seed=1)
    Segmentation(21 units: ····|·····|······|······)
    """
    segments, low, high = _range(segments, low, high)
    return Segmentation.from_masses(generator(seed).integers(low, high, segments, endpoint=True))


# -- errors -------------------------------------------------------------------------------------------------------


def misses(reference: Segmentation, p: float, *, seed: Seed) -> Segmentation:
    """The reference without some of its boundaries: each is dropped with probability p.

    >>> misses(Segmentation.from_masses([2, 3, 4, 2]), 0.5, seed=1)
    Segmentation(11 units: ··|···|······)
    """
    ends = _ends(reference)
    drawn = _respond(ends, 1, miss=_probability("p", p), false_alarm=0, margin=0, rng=generator(seed))
    return _like(reference, drawn[0])


def false_alarms(reference: Segmentation, p: float, *, seed: Seed, margin: int = 0) -> Segmentation:
    """The reference with boundaries added: each segment gets one with probability p, anywhere inside it.

    A segment of m units has m-1 inner positions, all alike; one of a single unit has none and gets none. ``margin``
    leaves out so many at the end of each segment (see :func:`table_1`).

    >>> false_alarms(Segmentation.from_masses([2, 3, 4, 2]), 0.5, seed=2)
    Segmentation(11 units: ·|·|···|·|···|··)
    """
    ends, margin = _ends(reference), whole(0)("margin", margin)
    drawn = _respond(ends, 1, miss=0, false_alarm=_probability("p", p), margin=margin, rng=generator(seed))
    return _like(reference, drawn[0])


def near_misses(reference: Segmentation, p: float, *, seed: Seed, distance: int = 1) -> Segmentation:
    """The reference with boundaries moved: each by ``distance`` with probability p, left or right alike.

    There are as many boundaries as before. One stays where it is if it would leave the text, come to stand where the
    reference has another, or meet one that moves to the same place (both stay then).

    >>> near_misses(Segmentation.from_masses([4, 3, 5]), 1, seed=1)
    Segmentation(12 units: ···|·····|····)
    """
    positions = _ends(reference)[:-1]
    p, distance = _probability("p", p), whole(1)("distance", distance)
    return _like(reference, np.sort(_move(positions, reference.length, p, distance, generator(seed))))


def shifts(reference: Segmentation, distance: int) -> Segmentation:
    """The reference with every boundary moved by ``distance``, to the right, or to the left if it is negative.

    All of them must stay inside the text; nothing is drawn.

    >>> shifts(Segmentation.from_masses([4, 3, 5]), 2)
    Segmentation(12 units: ······|···|···)
    """
    moved = _ends(reference)[:-1] + whole(-MAX_UNITS, MAX_UNITS)("distance", distance)
    outside = np.flatnonzero((moved < 1) | (moved >= reference.length))
    if outside.size:
        came = int(moved[outside[0]])
        raise OptionError(
            f"distance must leave every boundary in 1..{reference.length - 1}; {distance} moves that at "
            f"{came - distance} to {came}"
        )
    return _like(reference, moved)


# -- experiments --------------------------------------------------------------------------------------------------


def figure_5a(units: int = 100) -> Pairs:
    """Reference and hypothesis with one match and 0, 1, ... units-2 false alarms (Fournier & Inkpen 2012, Figure 5a).

    With n of them the hypothesis has n+2 segments of equal length (as nearly as whole units allow), and the reference
    one boundary, the first of the hypothesis. S falls linearly, by 1 / (units - 1) a false alarm; 1 - WD reaches 0
    early, because a window then always sees one more in the hypothesis.

    >>> scores = score_many(figure_5a(), "window_diff(compat='fournier2012')")
    >>> int(np.flatnonzero(scores.values == 1)[0]), scores[7].params["window"]      # "at 7 FP", "k = 25"
    (7, 25)
    """
    units = _length(units, 2)
    _check_room(units**2 // 2, 2 * units, "units")
    pairs = []
    for n in range(units - 1):
        placed = np.arange(1, n + 2) * units // (n + 2)
        pairs.append((Segmentation.from_positions(units, placed[:1]), Segmentation.from_positions(units, placed)))
    return pairs


def figure_5b(units: int = 100, most: int = 10) -> Pairs:
    """One boundary on each side, 0, 1, ... ``most`` units apart (Fournier & Inkpen 2012, Figure 5b).

    The reference's stands in the middle, the hypothesis's to the right of it. The paper gives no more than the distances
    and the range of the vertical axis, 0.7 to 1, which 100 units fit: 1 - WD ends at .74.

    >>> scores = score_many(figure_5b(), "window_diff(compat='fournier2012')")
    >>> [f"{1 - value:.3f}" for value in scores.values[[0, 1, 10]]]
    ['1.000', '0.974', '0.737']
    """
    units, most = _length(units, 2), whole(0)("most", most)
    middle = units // 2
    if middle + most >= units:
        raise OptionError(f"most must leave the boundary inside the text, {units - 1 - middle} at most; got {most}")
    _check_room(units, most, "most")
    reference = Segmentation.from_positions(units, [middle])
    return [(reference, shifts(reference, d)) for d in range(most + 1)]


def figure_5c(most: int = 100) -> Pairs:
    """One match and one false alarm in a text of m = 4, 5, ... ``most`` units (Fournier & Inkpen 2012, Figures 5c, 10).

    Boundaries stand at m/4, and in the hypothesis at m/2 too, rounded down. S = 1 - 1 / (m - 1) rises towards 1; 1 - WD
    does not, because its window grows with the text.

    >>> scores = score_many(figure_5c(), "window_diff(compat='fournier2012')")
    >>> f"{1 - scores.values[-1]:.2f}"                  # "1-WD will eventually indicate 0.68"
    '0.68'
    """
    most = whole(4)("most", most)
    _check_room(3 * most, 2 * most, "most")
    return [
        (Segmentation.from_positions(m, [m // 4]), Segmentation.from_positions(m, [m // 4, m // 2]))
        for m in range(4, most + 1)
    ]


@dataclass(frozen=True, slots=True)
class Cell:
    """One mean of :func:`table_1`."""

    scenario: str
    """``"misses"``, ``"false alarms"`` or ``"both"``."""
    low: int
    high: int
    """Segments are of ``low`` to ``high`` units."""
    measure: Measure
    mean: float
    """Over all hypotheses of all trials."""
    deviation: float
    """Over the same, of the population."""
    standard_error: float
    """Of the mean, from the means of the trials: hypotheses of one trial share their reference."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "scenario": self.scenario,
            "low": self.low,
            "high": self.high,
            "measure": repr(self.measure),
            "mean": self.mean,
            "deviation": self.deviation,
            "standard_error": self.standard_error,
        }


_SCENARIOS = {"misses": (1, 0), "false alarms": (0, 1), "both": (1, 1)}
_PRINTED = ("window_diff(compat='fournier2012')", "segmentation_similarity(compat='fournier2012')")
_RANGES = ((20, 30), (15, 35), (10, 40), (5, 45))
_PRESETS: dict[str, dict[str, Any]] = {"fournier2012": {"ranges": (*_RANGES[:3], (5, 44)), "margin": 1}}


def table_1(
    *,
    seed: Seed,
    trials: int = 10,
    hypotheses: int = 100,
    segments: int = 1000,
    miss: float = 0.5,
    false_alarm: float = 0.5,
    measures: str | Measure | Iterable[str | Measure] = _PRINTED,
    compat: str | None = None,
    ranges: Iterable[tuple[int, int]] | None = None,
    margin: int | None = None,
) -> tuple[Cell, ...]:
    """How steady is a measure if segments vary in length? The experiment of Table 1 of Fournier & Inkpen (2012).

    For each scenario (misses, false alarms, both) and each range of lengths, every trial draws a reference of
    ``segments`` segments (:func:`uniform_segments`) and ``hypotheses`` copies of it with errors: each boundary is dropped
    with probability ``miss``, each segment gets a boundary inside with probability ``false_alarm``. The mean segment is 25
    in all ranges, so a steady measure says the same in all. A :class:`Cell` for each scenario, range and measure.

    The trial, and not the hypothesis, is what varies: half the mean segment is 12.5 give or take, so WindowDiff's k is 12
    in one trial and 13 in the next, and its mean jumps by .02. Hence the standard error over trials.

    Means agree with print to .012 (WD) and .0015 (S). Print comes out within sampling error with two quirks that the paper
    does not mention and the figures betray, ``compat="fournier2012"``: a false alarm never falls on the last inner
    position (``margin=1``), and the last range is really (5, 44).

    >>> table = table_1(seed=1, trials=2, hypotheses=10, segments=200, ranges=[(20, 30)])
    >>> for cell in table[:2]:
    ...     print(f"{cell.scenario} ({cell.low}, {cell.high})  {cell.measure.name}  {cell.mean:.3f} ± {cell.deviation:.3f}")
    misses (20, 30)  window_diff  0.230 ± 0.014
    misses (20, 30)  segmentation_similarity  0.980 ± 0.001
    """
    rng, made = generator(seed), _measures(measures)
    if compat is not None:
        choice(*_PRESETS)("compat", compat)
    preset = {"ranges": _RANGES, "margin": 0} if compat is None else _PRESETS[compat]
    margin = whole(0)("margin", preset["margin"] if margin is None else margin)
    trials, hypotheses = whole(2)("trials", trials), _count("hypotheses", hypotheses)
    miss, false_alarm = _probability("miss", miss), _probability("false_alarm", false_alarm)
    drafts = [_range(segments, low, high) for low, high in _ranges(preset["ranges"] if ranges is None else ranges)]
    _check_room(segments * hypotheses, hypotheses, "segments and hypotheses")
    _check_room(trials * hypotheses, 0, "trials and hypotheses")
    cells: list[Cell] = []
    for scenario, (missing, alarming) in _SCENARIOS.items():
        for segments, low, high in drafts:
            values = np.empty((len(made), trials, hypotheses))
            for trial in range(trials):
                ends = np.cumsum(rng.integers(low, high, segments, endpoint=True))
                reference = Segmentation.from_positions(int(ends[-1]), ends[:-1])
                drawn = _respond(
                    ends, hypotheses, miss=missing * miss, false_alarm=alarming * false_alarm, margin=margin, rng=rng
                )
                pairs = [(reference, _like(reference, positions)) for positions in drawn]
                for i, measure in enumerate(made):
                    values[i, trial] = _scored(pairs, measure)
            cells += [
                Cell(scenario, low, high, measure, float(of.mean()), float(of.std()), _standard_error(of.mean(axis=1)))
                for measure, of in zip(made, values, strict=True)
            ]
    return tuple(cells)


# -- coders -------------------------------------------------------------------------------------------------------


def pseudo_coders(
    units: int | Sequence[int],
    masses: Iterable[int],
    *,
    coders: int,
    near: float,
    miss: float,
    seed: Seed,
    omissions_only: bool = False,
) -> Corpus:
    """Coders who copy one segmentation and err at known rates (Fournier 2013, section 5, Figure 9).

    Every item, of so many ``units`` each, gets a :func:`random_segmentation` from ``masses``, which nobody sees. Each coder
    takes each of its boundaries and, with probability ``near``, moves it by one (:func:`near_misses`); with probability
    ``miss`` comes a full miss: in half the cases the boundary is left out, in the other half it stays and one is added
    elsewhere, at any position that is free in the hidden segmentation and in the coder's. With ``omissions_only`` every
    full miss leaves a boundary out.

    The paper leaves open how long the text is, how far an offset goes and what a miss does; its Figure 9a, where S-based
    pi* rises with misses, comes out of no natural reading. What does: B-based pi* falls by far, S-based pi* stays high.
    Coders are named ``coder 1``, ..., items ``item 1``, ...; for fewer coders of the same data take ``corpus.select``.

    >>> corpus = pseudo_coders([20, 12], [2, 3, 4], coders=3, near=0.2, miss=0.2, seed=3)
    >>> corpus
    Corpus(2 items, 3 coders: coder 1, coder 2, coder 3)
    >>> corpus["item 2", "coder 1"], corpus["item 2", "coder 2"]
    (Segmentation(12 units: ····|··|·|··|··|·), Segmentation(12 units: ····|···|·|···|·))
    """
    rng, sizes = generator(seed), _masses(masses)
    lengths = _lengths(units, _count("coders", coders))
    near, miss = _probability("near", near), _probability("miss", miss)
    flag("omissions_only", omissions_only)

    def coded() -> Iterator[list[Ints]]:
        for length in lengths:
            hidden = fill_with_segments(length, sizes, rng)
            yield [_pseudo_coded(hidden, length, near, miss, omissions_only, rng) for _ in range(coders)]

    return _corpus(lengths, coded())


def random_coders(units: int | Sequence[int], masses: Iterable[int], *, coders: int, seed: Seed) -> Corpus:
    """Coders who have nothing in common but the length of their segments (Fournier 2013, section 5, Figure 9c).

    Each makes a :func:`random_segmentation` of each item. They agree a little, because alike in how many boundaries they
    place; a coefficient should say so, and no more.

    >>> random_coders(30, [2, 3, 4, 9], coders=2, seed=1)["item 1", "coder 2"]
    Segmentation(30 units: ···|···|····|····|··|··|·········|···)
    """
    rng, sizes = generator(seed), _masses(masses)
    lengths = _lengths(units, _count("coders", coders))
    return _corpus(lengths, ([fill_with_segments(length, sizes, rng) for _ in range(coders)] for length in lengths))


def _corpus(lengths: list[int], coded: Iterable[list[Ints]]) -> Corpus:
    return Corpus(
        {
            f"item {i}": {f"coder {c}": Segmentation.from_positions(length, one) for c, one in enumerate(by_coder, 1)}
            for i, (length, by_coder) in enumerate(zip(lengths, coded, strict=True), 1)
        }
    )


# -- drawing, over plain arrays -----------------------------------------------------------------------------------


def fill_with_segments(length: int, masses: Ints, rng: np.random.Generator) -> Ints:
    """Inner ends of segments drawn until the text is full."""
    rounds = []
    reached = 0
    while reached < length:
        # As many as the rest holds on average, and a few more: seldom a second round. What is cut counts as cut.
        rest = length - reached
        likely = int(rest / np.minimum(masses, rest).mean()) + 8
        rounds.append(reached + np.cumsum(rng.choice(masses, likely)))
        reached = int(rounds[-1][-1])
    ends = np.concatenate(rounds)
    return ends[: np.searchsorted(ends, length)]


def _respond(
    ends: Ints, draws: int, *, miss: float, false_alarm: float, margin: int, rng: np.random.Generator
) -> list[Ints]:
    """Positions of so many hypotheses about segments with these ends (the last is N), each with misses and false alarms."""
    shape = (draws, len(ends))
    # In each segment a place inside and its end, in this order: whatever is kept of them is sorted already.
    places = np.empty((*shape, 2), np.int64)
    kept = np.zeros((*shape, 2), bool)
    places[:, :, 1] = ends
    kept[:, :-1, 1] = True
    if miss:
        kept[:, :-1, 1] = rng.random((draws, len(ends) - 1)) >= miss
    if false_alarm:
        starts = np.concatenate([[0], ends[:-1]])
        inside = ends - starts - 1 - margin
        places[:, :, 0] = starts + rng.integers(1, np.maximum(inside, 1), shape, endpoint=True)
        kept[:, :, 0] = (rng.random(shape) < false_alarm) & (inside > 0)
    stops = np.cumsum(kept.sum(axis=(1, 2)))
    return np.split(places[kept], stops[:-1])


def _move(positions: Ints, length: int, p: float, distance: int, rng: np.random.Generator) -> Ints:
    """Each position where it comes to stand, in the order given."""
    moving = rng.random(positions.size) < p
    target = positions + np.where(rng.random(positions.size) < 0.5, -distance, distance)
    moving &= (target >= 1) & (target < length) & ~np.isin(target, positions)
    _, place, times = np.unique(target[moving], return_inverse=True, return_counts=True)
    moving[moving] = times[place] == 1
    return np.where(moving, target, positions)


def _pseudo_coded(
    hidden: Ints, length: int, near: float, miss: float, omissions_only: bool, rng: np.random.Generator
) -> Ints:
    """One pseudo-coder's positions."""
    placed = _move(hidden, length, near, 1, rng)
    missed = rng.random(hidden.size) < miss
    omitted = missed if omissions_only else missed & (rng.random(hidden.size) < 0.5)
    free = np.ones(length, bool)
    free[0] = False  # there is no position 0
    free[hidden] = free[placed] = False
    elsewhere = np.flatnonzero(free)
    more = min(int(missed.sum() - omitted.sum()), elsewhere.size)
    return np.sort(np.concatenate([placed[~omitted], rng.choice(elsewhere, more, replace=False)]))


def _like(reference: Segmentation, positions: Ints) -> Segmentation:
    """Other boundaries in the same text."""
    return Segmentation.from_positions(reference.length, positions, units=reference.units)


def _scored(pairs: Pairs, measure: Measure) -> NDArray[np.float64]:
    scores = score_many(pairs, measure)
    for problem in scores.errors.values():
        raise problem
    return scores.values


def _standard_error(means: NDArray[np.float64]) -> float:
    return float(means.std(ddof=1) / math.sqrt(len(means)))


# -- what may be given --------------------------------------------------------------------------------------------


def _ends(reference: object) -> Ints:
    """Ends of segments, N included."""
    if not isinstance(reference, Segmentation):
        raise OptionError(f"reference: a Segmentation is needed; got {type(reference).__name__}")
    if reference.types != UNTYPED:
        types = ", ".join(map(repr, reference.types[:6]))
        raise OptionError(
            f"reference: boundaries must be of one unnamed kind; got types {types}. "
            "Segmentation.from_positions(len(reference), reference.inner) leaves them out"
        )
    _check_room(reference.length, 0, "reference")
    return np.append(reference.inner, reference.length)


def _masses(masses: object) -> Ints:
    try:
        given = list(masses)  # type: ignore[call-overload]
    except TypeError:
        raise OptionError(f"masses: a sequence of segment lengths is needed; got {masses!r}") from None
    if not given:
        raise OptionError("masses: at least one segment length to draw from is needed; got none")
    check = whole(1)
    return np.array([check(f"masses[{i}]", mass) for i, mass in enumerate(given)], np.int64)


def _length(units: object, least: int = 1, name: str = "units") -> int:
    return int(whole(least, MOST)(name, units))


def _lengths(units: object, coders: int) -> list[int]:
    if isinstance(units, Sequence | np.ndarray) and not isinstance(units, str):
        lengths = [_length(one, name=f"units[{i}]") for i, one in enumerate(units)]
    else:
        lengths = [_length(units)]
    if not lengths:
        raise OptionError("units: at least one item is needed; got none")
    _check_room(sum(lengths) * coders, len(lengths) * coders, "units and coders")
    return lengths


def _measures(measures: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    made = [parse(one) for one in ((measures,) if isinstance(measures, str | Measure) else measures)]
    if not made:
        raise OptionError("measures: at least one is needed; got none")
    return made


def _ranges(ranges: Any) -> list[tuple[int, int]]:
    try:
        pairs = [(low, high) for low, high in ranges]
    except (TypeError, ValueError):
        raise OptionError(f"ranges: pairs (low, high) of segment lengths are needed; got {ranges!r}") from None
    if not pairs:
        raise OptionError("ranges: at least one pair (low, high) is needed; got none")
    return pairs


def _range(segments: object, low: object, high: object) -> tuple[int, int, int]:
    number_of, least, most = _count("segments", segments), _count("low", low), _count("high", high)
    if least > most:
        raise OptionError(f"high must be at least low; got {most} after {least}")
    _check_room(number_of * most, 0, "segments and high")
    return number_of, least, most


def _check_room(units: int, segmentations: int, what: str) -> None:
    """Refuse what would take too much memory before it does."""
    room = units + EACH * segmentations
    if room > MOST:
        raise OptionError(
            f"{what}: one call may lay out {MOST:,} units, a segmentation counting for {EACH} more; got {room:,}. "
            "Take less at a time"
        )
