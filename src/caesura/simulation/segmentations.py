"""Simulate segmentations: baselines, errors at known rates, and whole corpora of coders of boundaries and spans."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from caesura.errors import InputError, OptionError
from caesura.memory import check_memory
from caesura.model import checks
from caesura.model.corpus import Corpus
from caesura.model.index import flatnonzero, searchsorted
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.spans import MarkedSpan, Spans, to_spans
from caesura.model.value import MAX_UNITS, Ints
from caesura.options import flag, non_negative, number, positive, whole
from caesura.options import seed as check_seed

Seed: TypeAlias = "int | np.random.Generator | None"  # a string, because numpy.random is slow to import

# Bytes of a unit while its text is drawn, and of a segmentation without any.
_UNIT_BYTES, _SEGMENTATION_BYTES = 64, 6_400

_probability = number(0, 1)


def random_segmentation(units: int, masses: Iterable[int], *, seed: Seed = 0) -> Segmentation:
    """Return a segmentation whose segment lengths are drawn from a list of lengths.

    Parameters
    ----------
    units : int
        Number of units.
    masses : iterable of int
        Lengths of segments in human annotations, repeated as often as they occur. They are drawn with replacement.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.

    Returns
    -------
    Segmentation
        The segmentation; its last segment is shortened to fit.

    Notes
    -----
    This baseline knows how long segments are, but nothing about the text (Fournier 2013, section 6, the segmenter
    "Random").

    Examples
    --------
    >>> random_segmentation(20, [2, 3, 3, 7], seed=1)
    Segmentation(20 units: ···|···|·······|·······)
    """
    units = check_units(units)
    positions = fill_with_segments(units, _segment_lengths(masses), random_generator(seed))
    return Segmentation.from_positions(units, positions)


def regular_segmentation(units: int, mean_mass: float) -> Segmentation:
    """Return a segmentation with segments of equal length.

    Parameters
    ----------
    units : int
        Number of units.
    mean_mass : float
        Length of a segment, rounded half up and at least 1.

    Returns
    -------
    Segmentation
        The segmentation; its last segment may be shorter.

    Examples
    --------
    >>> regular_segmentation(11, 2.5)
    Segmentation(11 units: ···|···|···|··)
    """
    units = check_units(units)
    mean = number(0, MAX_UNITS)("mean_mass", positive("mean_mass", mean_mass))
    return Segmentation.from_positions(units, regular_positions(units, mean))


def no_boundaries(units: int) -> Segmentation:
    """Return a segmentation without boundaries.

    Parameters
    ----------
    units : int
        Number of units.

    Returns
    -------
    Segmentation
        A single segment.

    Examples
    --------
    >>> no_boundaries(5)
    Segmentation(5 units: ·····)
    """
    return Segmentation.from_positions(check_units(units), [])


def all_boundaries(units: int) -> Segmentation:
    """Return a segmentation with a boundary at every position.

    Parameters
    ----------
    units : int
        Number of units.

    Returns
    -------
    Segmentation
        Every unit is a segment.

    Examples
    --------
    >>> all_boundaries(5)
    Segmentation(5 units: ·|·|·|·|·)
    """
    return regular_segmentation(units, 1)


def uniform_segments(segments: int, low: int, high: int, *, seed: Seed = 0) -> Segmentation:
    """Return a segmentation whose segment lengths are uniformly distributed.

    Parameters
    ----------
    segments : int
        Number of segments.
    low, high : int
        Shortest and longest segment; every length from ``low`` to ``high`` is equally likely.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.

    Returns
    -------
    Segmentation
        The segmentation; its number of units depends on the draw.

    Examples
    --------
    >>> uniform_segments(4, 3, 6, seed=1)
    Segmentation(21 units: ····|·····|······|······)
    """
    segments, low, high = check_segments(segments, low, high)
    return Segmentation.from_masses(random_generator(seed).integers(low, high, segments, endpoint=True))


def misses(reference: Segmentation, p: float, *, seed: Seed = 0) -> Segmentation:
    """Return a copy of a reference with some boundaries removed.

    Parameters
    ----------
    reference : Segmentation
        The reference.
    p : float
        Probability that a boundary is dropped.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.

    Returns
    -------
    Segmentation
        The reference with misses.

    Examples
    --------
    >>> misses(Segmentation.from_masses([2, 3, 4, 2]), 0.5, seed=1)
    Segmentation(11 units: ··|···|······)
    """
    ends, p, rng = segment_ends(reference), _probability("p", p), random_generator(seed)
    return with_boundaries(reference, draw_hypotheses(ends, 1, miss=p, false_alarm=0, margin=0, rng=rng)[0])


def false_alarms(reference: Segmentation, p: float, *, seed: Seed = 0, margin: int = 0) -> Segmentation:
    """Return a copy of a reference with boundaries added inside segments.

    Parameters
    ----------
    reference : Segmentation
        The reference.
    p : float
        Probability that a boundary is added inside a segment.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.
    margin : int, default 0
        Number of positions at the end of each segment that never get a boundary; see :func:`table_1`.

    Returns
    -------
    Segmentation
        The reference with false alarms. A segment of m units has m-1 inner positions, all equally likely; a segment of a
        single unit has none.

    Examples
    --------
    >>> false_alarms(Segmentation.from_masses([2, 3, 4, 2]), 0.5, seed=2)
    Segmentation(11 units: ·|·|···|·|···|··)
    """
    ends, margin = segment_ends(reference), whole(0)("margin", margin)
    p, rng = _probability("p", p), random_generator(seed)
    return with_boundaries(reference, draw_hypotheses(ends, 1, miss=0, false_alarm=p, margin=margin, rng=rng)[0])


def near_misses(reference: Segmentation, p: float, *, seed: Seed = 0, distance: int = 1) -> Segmentation:
    """Return a copy of a reference with some boundaries moved.

    Parameters
    ----------
    reference : Segmentation
        The reference.
    p : float
        Probability that a boundary moves, left or right with equal probability.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.
    distance : int, default 1
        Number of positions by which a boundary moves.

    Returns
    -------
    Segmentation
        A segmentation with the same number of boundaries. A boundary does not move if it would leave the text or reach
        the position of another boundary of the reference. If two boundaries would move to the same position, neither
        moves.

    Examples
    --------
    >>> near_misses(Segmentation.from_masses([4, 3, 5]), 1, seed=1)
    Segmentation(12 units: ···|·····|····)
    """
    positions = segment_ends(reference)[:-1]
    p, distance = _probability("p", p), whole(1)("distance", distance)
    moved = move_boundaries(positions, reference.length, p, distance, random_generator(seed))
    return with_boundaries(reference, np.sort(moved))


def shifts(reference: Segmentation, distance: int) -> Segmentation:
    """Return a copy of a reference with every boundary moved by the same distance, without randomness.

    Parameters
    ----------
    reference : Segmentation
        The reference.
    distance : int
        Number of positions to the right; negative numbers move boundaries to the left.

    Returns
    -------
    Segmentation
        The shifted reference.

    Raises
    ------
    OptionError
        If a boundary would leave the text.

    Examples
    --------
    >>> shifts(Segmentation.from_masses([4, 3, 5]), 2)
    Segmentation(12 units: ······|···|···)
    """
    positions = segment_ends(reference)[:-1] + whole(-MAX_UNITS, MAX_UNITS)("distance", distance)
    if (i := checks.first_true((positions < 1) | (positions >= reference.length))) is not None:
        raise OptionError(
            f"distance must keep every boundary in 1..{reference.length - 1}; {distance} moves the boundary at "
            f"{positions[i] - distance} to {positions[i]}"
        )
    return with_boundaries(reference, positions)


def pseudo_coders(
    units: int | Sequence[int],
    masses: Iterable[int],
    *,
    coders: int,
    near: float,
    miss: float,
    seed: Seed = 0,
    omissions_only: bool = False,
) -> Corpus:
    """Return a corpus of coders who copy one segmentation and make errors at known rates.

    Parameters
    ----------
    units : int or sequence of int
        Number of units of each item.
    masses : iterable of int
        Segment lengths from which the hidden segmentation of each item is drawn; see :func:`random_segmentation`.
    coders : int
        Number of coders.
    near : float
        Probability that a coder moves a boundary by one position; see :func:`near_misses`.
    miss : float
        Probability of a full miss. In half of the cases the boundary is omitted. In the other half it is kept, and a
        boundary is added at a random position that has no boundary in the hidden segmentation or in the coder's.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.
    omissions_only : bool, default False
        Whether every full miss omits a boundary and none adds one.

    Returns
    -------
    Corpus
        The coders are named ``coder 1``, ..., the items ``item 1``, .... To get fewer coders of the same data, use
        ``corpus.select``.

    Notes
    -----
    This is the experiment of Fournier (2013), section 5, Figure 9. The paper does not say how long the text is, how far a
    boundary can be moved, or what exactly a miss is. No natural reading reproduces its Figure 9a, in which S-based pi*
    rises with misses. Under all readings B-based pi* falls sharply and S-based pi* stays high.

    Examples
    --------
    >>> corpus = pseudo_coders([20, 12], [2, 3, 4], coders=3, near=0.2, miss=0.2, seed=3)
    >>> corpus
    Corpus(2 items, 3 coders: coder 1, coder 2, coder 3)
    >>> corpus["item 2", "coder 1"], corpus["item 2", "coder 2"]
    (Segmentation(12 units: ····|··|·|··|··|·), Segmentation(12 units: ····|···|·|···|·))
    """
    rng, segment_lengths = random_generator(seed), _segment_lengths(masses)
    lengths = _lengths(units, whole(1)("coders", coders))
    near, miss = _probability("near", near), _probability("miss", miss)
    flag("omissions_only", omissions_only)
    items: dict[str, dict[str, Segmentation]] = {}
    for i, length in enumerate(lengths, 1):
        hidden = fill_with_segments(length, segment_lengths, rng)
        items[f"item {i}"] = {
            f"coder {c}": _pseudo_coder(hidden, length, near, miss, omissions_only, rng) for c in range(1, coders + 1)
        }
    return Corpus(items)


def random_coders(units: int | Sequence[int], masses: Iterable[int], *, coders: int, seed: Seed = 0) -> Corpus:
    """Return a corpus of coders who have only their segment lengths in common.

    Parameters
    ----------
    units : int or sequence of int
        Number of units of each item.
    masses : iterable of int
        Segment lengths to draw from; see :func:`random_segmentation`.
    coders : int
        Number of coders.
    seed : int, numpy.random.Generator or None, default 0
        Random seed, or a generator to continue.

    Returns
    -------
    Corpus
        The coders are named ``coder 1``, ..., the items ``item 1``, ....

    Notes
    -----
    Random coders agree a little, because they place about the same number of boundaries. A coefficient should show this
    small agreement and no more (Fournier 2013, section 5, Figure 9c).

    Examples
    --------
    >>> random_coders(30, [2, 3, 4, 9], coders=2, seed=1)["item 1", "coder 2"]
    Segmentation(30 units: ···|···|····|····|··|··|·········|···)
    """
    rng, segment_lengths = random_generator(seed), _segment_lengths(masses)
    lengths = _lengths(units, whole(1)("coders", coders))
    items: dict[str, dict[str, Segmentation]] = {}
    for i, length in enumerate(lengths, 1):
        texts = (fill_with_segments(length, segment_lengths, rng) for _ in range(coders))
        items[f"item {i}"] = {
            f"coder {c}": Segmentation.from_positions(length, text) for c, text in enumerate(texts, 1)
        }
    return Corpus(items)


def span_coders(
    corpus: Corpus,
    *,
    coders: int = 3,
    miss: float = 0.0,
    shift: float = 0.0,
    confuse: float = 0.0,
    seed: int | None = 0,
) -> Corpus:
    """Return simulated coders of the items of a corpus, to see what a coefficient says about errors at known rates.

    Parameters
    ----------
    corpus : Corpus
        Spans. In every item, the spans of the coder who marked the most are the truth.
    coders : int, default 3
        Number of simulated coders.
    miss : float, default 0.0
        Probability that a coder does not mark a span.
    shift : float, default 0.0
        Standard deviation by which a coder moves each end of a span, in multiples of the span's length. An end never passes
        the other end or the bounds of the item.
    confuse : float, default 0.0
        Probability that a coder replaces the category of a span by a category drawn from all spans of the corpus.
    seed : int or None, default 0
        Random seed; None chooses one.

    Returns
    -------
    Corpus
        The same items with coders ``coder 1``, ``coder 2`` and so on.

    Raises
    ------
    InputError
        If the corpus has no spans.

    Examples
    --------
    >>> import caesura as cz
    >>> truth = cz.Corpus({"letter": {"ann": cz.Spans([(0, 10, "x"), (20, 30, "y")])}})
    >>> simulated = span_coders(truth, coders=2, miss=0.5)
    >>> len(simulated.coders)
    2
    """
    whole(2)("coders", coders)
    _probability("miss", miss)
    _probability("confuse", confuse)
    non_negative()("shift", shift)
    rng = np.random.default_rng(check_seed("seed", seed))
    truths: dict[str, Spans] = {}
    for item in sorted(corpus.item_names):
        truths[item] = max((to_spans(annotation) for _, annotation in sorted(corpus.of_item(item).items())), key=len)
    categories = [category for spans in truths.values() for category in spans.categories]
    if not categories:
        raise InputError("there are no spans from which coders could be simulated")
    items: dict[str, dict[str, Spans]] = {}
    for item, truth in truths.items():
        items[item] = {}
        low, high = truth.bounds if truth.bounds is not None else (-np.inf, np.inf)
        for c in range(1, coders + 1):
            rows = []
            for span in truth.spans:
                chances = rng.random(3)
                moved = rng.normal(0.0, 1.0, 2) * shift * (span.end - span.start)
                if chances[0] < miss:
                    continue
                start = min(max(span.start + moved[0], low), span.end)
                end = max(min(span.end + moved[1], high), start)
                category = categories[int(chances[2] * len(categories))] if chances[1] < confuse else span.category
                rows.append(MarkedSpan(float(start), float(end), category))
            items[item][f"coder {c}"] = Spans(rows, bounds=truth.bounds, seconds=truth.axis == "seconds")
    return Corpus(items)


def _pseudo_coder(
    hidden: Ints, length: int, near: float, miss: float, omissions_only: bool, rng: np.random.Generator
) -> Segmentation:
    positions = move_boundaries(hidden, length, near, 1, rng)
    missed = rng.random(hidden.size) < miss
    omitted = missed if omissions_only else missed & (rng.random(hidden.size) < 0.5)
    free = np.ones(length, bool)
    free[0] = False  # there is no position 0
    free[hidden] = free[positions] = False
    elsewhere = flatnonzero(free)
    additions = min(int(missed.sum() - omitted.sum()), elsewhere.size)
    positions = np.concatenate([positions[~omitted], rng.choice(elsewhere, additions, replace=False)])
    return Segmentation.from_positions(length, np.sort(positions))


def _segment_lengths(masses: Iterable[int]) -> SegmentLengths:
    try:
        listed = list(masses)
    except TypeError:
        raise OptionError(f"masses must be a sequence of segment lengths; got {masses!r}") from None
    if not listed:
        raise OptionError("masses: expected at least one segment length to draw from; got none")
    check = whole(1)
    return SegmentLengths(np.array([check(f"masses[{i}]", mass) for i, mass in enumerate(listed)], np.int64))


def _lengths(units: int | Sequence[int], coders: int) -> list[int]:
    if isinstance(units, Sequence | np.ndarray) and not isinstance(units, str):
        lengths = [check_units(length, name=f"units[{i}]") for i, length in enumerate(units)]
    else:
        lengths = [check_units(units)]
    if not lengths:
        raise OptionError("units: expected at least one item; got none")
    check_size(sum(lengths) * coders, len(lengths) * coders, "units and coders")
    return lengths


# Functions on plain arrays, and the checks that all simulations share.


def random_generator(seed: Seed) -> np.random.Generator:
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(check_seed("seed", seed))


def regular_positions(units: int, mean: float) -> Ints:
    step = max(1, math.floor(mean + 0.5))
    return np.arange(step, units, step, dtype=np.int64)


class SegmentLengths:
    def __init__(self, masses: Ints) -> None:
        self.masses = masses
        self._ordered = np.sort(masses)
        self._sums = np.concatenate([[0], np.cumsum(self._ordered)])

    def draw(self, count: int, rng: np.random.Generator) -> Ints:
        return self.masses[rng.integers(0, len(self.masses), count)]

    def mean_up_to(self, limit: int) -> float:
        """Return the mean of all lengths if those above a limit are shortened to it."""
        number, fitting = len(self._ordered), int(searchsorted(self._ordered, limit, "right"))
        return float((self._sums[fitting] + limit * (number - fitting)) / number)


def fill_with_segments(length: int, lengths: SegmentLengths, rng: np.random.Generator) -> Ints:
    """Draw segments until a text is full."""
    rounds = []
    reached = 0
    while reached < length:
        # Draw the number of segments that fit on average and a few more, so that a second round is rare.
        rest = length - reached
        rounds.append(reached + np.cumsum(lengths.draw(int(rest / lengths.mean_up_to(rest)) + 8, rng)))
        reached = int(rounds[-1][-1])
    ends = rounds[0] if len(rounds) == 1 else np.concatenate(rounds)
    return ends[: searchsorted(ends, length)]


def draw_hypotheses(
    ends: Ints, count: int, *, miss: float, false_alarm: float, margin: int, rng: np.random.Generator
) -> list[Ints]:
    shape = (count, len(ends))
    # For each segment: a position inside it and then its end, so that every selection of these positions is sorted.
    places = np.empty((*shape, 2), np.int64)
    selected = np.zeros((*shape, 2), bool)
    places[:, :, 1] = ends
    selected[:, :-1, 1] = True
    if miss:
        selected[:, :-1, 1] = rng.random((count, len(ends) - 1)) >= miss
    if false_alarm:
        starts = np.concatenate([[0], ends[:-1]])
        inside = ends - starts - 1 - margin
        places[:, :, 0] = starts + rng.integers(1, np.maximum(inside, 1), shape, endpoint=True)
        selected[:, :, 0] = (rng.random(shape) < false_alarm) & (inside > 0)
    if count == 1:
        return [places[selected]]
    stops = np.cumsum(selected.sum(axis=(1, 2)))
    return np.split(places[selected], stops[:-1])


def move_boundaries(positions: Ints, length: int, p: float, distance: int, rng: np.random.Generator) -> Ints:
    moving = rng.random(positions.size) < p
    target = positions + np.where(rng.random(positions.size) < 0.5, -distance, distance)
    moving &= (target >= 1) & (target < length) & (_occurrences(target, positions) == 0)
    moving[moving] = _occurrences(target[moving], target[moving]) == 1
    return np.where(moving, target, positions)


def _occurrences(values: Ints, among: Ints) -> Ints:
    """Return how often each value occurs in an array; much faster than ``np.unique`` and ``np.isin`` for short arrays."""
    ordered = np.sort(among)
    return searchsorted(ordered, values, "right") - searchsorted(ordered, values)


def with_boundaries(reference: Segmentation, positions: Ints) -> Segmentation:
    """Return a segmentation of the same text with different boundaries."""
    return Segmentation.from_positions(reference.length, positions, units=reference.units)


def segment_ends(reference: Segmentation) -> Ints:
    """Return the ends of the segments of a reference, including the end of the text."""
    if not isinstance(reference, Segmentation):
        raise OptionError(f"reference: expected a Segmentation; got {type(reference).__name__}")
    if reference.types != UNTYPED:
        types = ", ".join(map(repr, reference.types[:6]))
        raise OptionError(
            f"reference: boundaries must have no named types; got {types}. "
            "Drop the types with Segmentation.from_positions(len(reference), reference.inner)"
        )
    check_size(reference.length, 0, "reference")
    return np.append(reference.inner, reference.length)


def check_units(units: object, minimum: int = 1, name: str = "units") -> int:
    number = int(whole(minimum, MAX_UNITS)(name, units))
    check_size(number, 0, name)
    return number


def check_segments(segments: object, low: object, high: object) -> tuple[int, int, int]:
    """Check a number of segments and the range of their lengths, and return them."""
    count, shortest, longest = whole(1)("segments", segments), whole(1)("low", low), whole(1)("high", high)
    if shortest > longest:
        raise OptionError(f"high must be at least low; got low={shortest} and high={longest}")
    check_size(count * longest, 0, "segments and high")
    return count, shortest, longest


def check_size(units: int, segmentations: int, names: str) -> None:
    size = units * _UNIT_BYTES + segmentations * _SEGMENTATION_BYTES
    check_memory(f"{names}: {units:,} units to simulate", size, "simulate fewer units at a time")
