"""Random positions over plain arrays, and the checks that all simulations share."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from caesura.errors import OptionError
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.options import seed as check_seed
from caesura.options import whole

Ints = NDArray[np.int64]
Seed: TypeAlias = "int | np.random.Generator | None"  # as text: numpy.random is slow to import

MAX_SIMULATED_UNITS = 10_000_000
"""Units that one call may hold at a time, over all segmentations; each may take a few dozen bytes."""
SEGMENTATION_OVERHEAD = 100
"""Units that a segmentation counts for beside its own: an empty one takes memory too."""


def random_generator(seed: Seed) -> np.random.Generator:
    """Return a random generator.

    Parameters
    ----------
    seed : int, numpy.random.Generator or None
        A seed, which always gives the same numbers; a generator, which continues from its state; or None for a random seed.

    Returns
    -------
    numpy.random.Generator
        The generator itself, or a new one.
    """
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(check_seed("seed", seed))


def fill_with_segments(length: int, masses: Ints, rng: np.random.Generator) -> Ints:
    """Draw segments until a text is full.

    Parameters
    ----------
    length : int
        Number of units.
    masses : numpy.ndarray
        Segment lengths to draw from, with replacement.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    numpy.ndarray
        Positions of the boundaries; the last segment is cut to fit.
    """
    rounds = []
    reached = 0
    while reached < length:
        # As many as the rest holds on average, and a few more: a second round is rare. A mass is counted as it is cut.
        rest = length - reached
        expected = int(rest / np.minimum(masses, rest).mean()) + 8
        rounds.append(reached + np.cumsum(rng.choice(masses, expected)))
        reached = int(rounds[-1][-1])
    ends = np.concatenate(rounds)
    return ends[: np.searchsorted(ends, length)]


def draw_hypotheses(
    ends: Ints, count: int, *, miss: float, false_alarm: float, margin: int, rng: np.random.Generator
) -> list[Ints]:
    """Draw hypotheses with misses and false alarms.

    Parameters
    ----------
    ends : numpy.ndarray
        Ends of the segments of the reference; the last is the number of units.
    count : int
        Number of hypotheses.
    miss : float
        Probability that a boundary is dropped.
    false_alarm : float
        Probability that a segment gets a boundary inside.
    margin : int
        Number of positions at the end of each segment that get no false alarm.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    list of numpy.ndarray
        Positions of the boundaries of each hypothesis.
    """
    shape = (count, len(ends))
    # In each segment a place inside and its end, in this order, so that any selection of them is sorted.
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
    stops = np.cumsum(selected.sum(axis=(1, 2)))
    return np.split(places[selected], stops[:-1])


def move_boundaries(positions: Ints, length: int, p: float, distance: int, rng: np.random.Generator) -> Ints:
    """Move boundaries by a distance, left or right with equal probability.

    Parameters
    ----------
    positions : numpy.ndarray
        Positions of the boundaries.
    length : int
        Number of units.
    p : float
        Probability that a boundary moves.
    distance : int
        By how many positions.
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    numpy.ndarray
        The position of each boundary afterwards, in the order of ``positions``. A boundary stays if it would leave the text,
        meet another boundary, or meet one that moves to the same position.
    """
    moving = rng.random(positions.size) < p
    target = positions + np.where(rng.random(positions.size) < 0.5, -distance, distance)
    moving &= (target >= 1) & (target < length) & ~np.isin(target, positions)
    _, place, times = np.unique(target[moving], return_inverse=True, return_counts=True)
    moving[moving] = times[place] == 1
    return np.where(moving, target, positions)


def with_boundaries(reference: Segmentation, positions: Ints) -> Segmentation:
    """Return a segmentation of the same text with different boundaries.

    Parameters
    ----------
    reference : Segmentation
        A segmentation of the text.
    positions : numpy.ndarray
        Positions of the new boundaries.

    Returns
    -------
    Segmentation
        With the units of the reference.
    """
    return Segmentation.from_positions(reference.length, positions, units=reference.units)


def segment_ends(reference: Segmentation) -> Ints:
    """Return the ends of the segments of a reference, the end of the text included.

    Parameters
    ----------
    reference : Segmentation
        A segmentation whose boundaries have no named types.

    Returns
    -------
    numpy.ndarray
        Positions, ascending.

    Raises
    ------
    OptionError
        If it is no segmentation, has types, or is too long.
    """
    if not isinstance(reference, Segmentation):
        raise OptionError(f"reference: expected a Segmentation; got {type(reference).__name__}")
    if reference.types != UNTYPED:
        types = ", ".join(map(repr, reference.types[:6]))
        raise OptionError(
            f"reference: boundaries must have no named types; got {types}. "
            "Segmentation.from_positions(len(reference), reference.inner) drops them"
        )
    check_size(reference.length, 0, "reference")
    return np.append(reference.inner, reference.length)


def check_units(units: object, minimum: int = 1, name: str = "units") -> int:
    """Return a number of units, checked.

    Parameters
    ----------
    units : object
        The number.
    minimum : int, default 1
        Smallest number allowed.
    name : str, default "units"
        Name for the error message.

    Returns
    -------
    int
        The number.
    """
    return int(whole(minimum, MAX_SIMULATED_UNITS)(name, units))


def check_segments(segments: object, low: object, high: object) -> tuple[int, int, int]:
    """Return a number of segments and the range of their lengths, checked.

    Parameters
    ----------
    segments : object
        Number of segments.
    low, high : object
        Shortest and longest segment.

    Returns
    -------
    tuple of int
        All three.

    Raises
    ------
    OptionError
        If a number is invalid, or the text would be too long.
    """
    count, shortest, longest = whole(1)("segments", segments), whole(1)("low", low), whole(1)("high", high)
    if shortest > longest:
        raise OptionError(f"high must be at least low; got {longest} after {shortest}")
    check_size(count * longest, 0, "segments and high")
    return count, shortest, longest


def check_size(units: int, segmentations: int, names: str) -> None:
    """Raise an error if a simulation would take too much memory.

    Parameters
    ----------
    units : int
        Number of units over all segmentations.
    segmentations : int
        Number of segmentations.
    names : str
        Options that determine the size, for the error message.

    Raises
    ------
    OptionError
        If it is too large.
    """
    size = units + SEGMENTATION_OVERHEAD * segmentations
    if size > MAX_SIMULATED_UNITS:
        raise OptionError(
            f"{names}: one call may hold {MAX_SIMULATED_UNITS:,} units, where every segmentation counts for "
            f"{SEGMENTATION_OVERHEAD} more; got {size:,}. Simulate less at a time"
        )
