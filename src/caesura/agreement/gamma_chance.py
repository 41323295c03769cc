"""Random continua for gamma, and gamma from the disorders of such samples.

Sample i of an item depends on the random seed, the item's place in the order of names, and i only. So more samples extend a
list of samples, and the number of workers does not matter. Samples are drawn many at a time, with the same numbers as alone.

``chance="shift"`` (Mathet et al. 2015, section 5.2.1): for each of n places, draw one of the annotators with replacement and
shift the annotator's units around a circle as long as the item. The n shifts are real numbers, uniform under the condition
that every two of them are at least the mean length of a unit apart on the circle. If n such shifts take more than 90 % of the
circle, the distance is 1 / (2 n) of it. A unit that starts at the end of the item or later moves back by the length of the
item, as a whole.

``chance="statistical"`` (the default of pygamma-agreement, corrected): the number of units, the gaps between them and their
lengths are normal draws with the mean and deviation of the annotators' units, and categories are drawn by their frequency. The
first gap counts from the beginning of the item, and numbers of units are rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from caesura.kernels.seeded import uniforms
from caesura.limits import MAX_SAMPLES
from caesura.measures.unitary import UnitTable
from caesura.measures.unitary_exact import Codes, Counts
from caesura.model.value import Floats

FIRST_SAMPLES = 30
"""Number of samples from which the number of samples for a precision is computed."""
NORMAL_QUANTILE = 1.96
_LARGEST_SHARE = 0.9
_WORD = 2**32 - 1


class Line(NamedTuple):
    """Units of one annotator.

    Attributes
    ----------
    starts, ends : numpy.ndarray
        Positions.
    codes : numpy.ndarray of int32
        Categories.
    """

    starts: Floats
    ends: Floats
    codes: Codes


class UnitColumns(NamedTuple):
    """Units of one or several samples, in any order within a sample.

    Attributes
    ----------
    starts, ends : numpy.ndarray
        Positions.
    codes, owners : numpy.ndarray of int32
        Categories and annotators.
    sizes : numpy.ndarray of int64
        Number of units of each sample.
    """

    starts: Floats
    ends: Floats
    codes: Codes
    owners: Codes
    sizes: Counts

    @classmethod
    def join(cls, parts: Sequence[UnitColumns]) -> UnitColumns:
        """Return the samples of all parts, in their order.

        Parameters
        ----------
        parts : sequence of UnitColumns
            Samples.

        Returns
        -------
        UnitColumns
        """
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def table(self, annotators: int) -> UnitTable:
        """Return the units as a table for the best alignments.

        Parameters
        ----------
        annotators : int
            Number of annotators of every sample.

        Returns
        -------
        UnitTable
        """
        return UnitTable.build(*self[:4], annotators, self.sizes)


@dataclass(frozen=True)
class Continuum:
    """Units of all annotators of an item.

    Attributes
    ----------
    lines : tuple of Line
        Units of each annotator.
    bounds : tuple of (float, float)
        Beginning and end.
    """

    lines: tuple[Line, ...]
    bounds: tuple[float, float]

    @property
    def length(self) -> float:
        """Length of the item."""
        return self.bounds[1] - self.bounds[0]

    @property
    def units(self) -> int:
        """Number of units of all annotators."""
        return sum(len(line.starts) for line in self.lines)

    @property
    def mean_length(self) -> float:
        """Mean length of a unit."""
        return fsum(np.concatenate([line.ends - line.starts for line in self.lines])) / max(self.units, 1)

    @cached_property
    def digest(self) -> bytes:
        """Checksum of the units and bounds."""
        counts = np.array([len(line.starts) for line in self.lines])
        digest = blake2b(digest_size=16)
        for column in (*(part for line in self.lines for part in line), counts, np.array(self.bounds)):
            digest.update(np.ascontiguousarray(column).tobytes())
        return digest.digest()

    def columns(self) -> UnitColumns:
        """Return the units as one sample.

        Returns
        -------
        UnitColumns
        """
        sizes = [len(line.starts) for line in self.lines]
        owners = np.repeat(np.arange(len(self.lines), dtype=np.int32), sizes)
        starts, ends, codes = map(np.concatenate, zip(*self.lines, strict=True))
        return UnitColumns(starts, ends, codes, owners, np.array([sum(sizes)]))

    def table(self) -> UnitTable:
        """Return the units as a table for the best alignment.

        Returns
        -------
        UnitTable
        """
        return self.columns().table(len(self.lines))


def generator(seed: int, place: int, sample: int) -> np.random.Generator:
    """Return the random generator of one sample.

    Parameters
    ----------
    seed : int
        Random seed.
    place : int
        Place of the item in the order of names.
    sample : int
        Number of the sample, from 0.

    Returns
    -------
    numpy.random.Generator
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(place, sample))))


def uniform_rows(seed: int, place: int, first: int, last: int, count: int) -> Floats:
    """Return the first numbers of the random generators of several samples.

    Parameters
    ----------
    seed, place : int
        See :func:`generator`.
    first, last : int
        Number of the first sample, and of the first one after the last.
    count : int
        Number of random numbers per sample.

    Returns
    -------
    numpy.ndarray, samples x count
        Row k is ``generator(seed, place, first + k).random(count)``.
    """
    words = [seed >> shift & _WORD for shift in range(0, max(seed.bit_length(), 128), 32)]
    return uniforms(np.array([*words, place], np.uint32), first, last, count)


class Sampler:
    """Base class of samplers of random continua."""

    def columns(self, continuum: Continuum, seed: int, place: int, first: int, last: int) -> UnitColumns:
        """Return the units of some samples.

        Parameters
        ----------
        continuum : Continuum
            The item.
        seed, place : int
            See :func:`generator`.
        first, last : int
            Number of the first sample, and of the first one after the last.

        Returns
        -------
        UnitColumns
        """
        raise NotImplementedError

    def draw(self, continuum: Continuum, seed: int, place: int, sample: int) -> UnitTable:
        """Return the units of one sample.

        Parameters
        ----------
        continuum : Continuum
            The item.
        seed, place, sample : int
            See :func:`generator`.

        Returns
        -------
        UnitTable
        """
        return self.columns(continuum, seed, place, sample, sample + 1).table(len(continuum.lines))


@dataclass(frozen=True)
class Shift(Sampler):
    """Sampler of continua with shifted annotators.

    Attributes
    ----------
    distance : float
        Smallest distance of two shifts, in multiples of the mean length of a unit.
    pivots : {"real", "whole", "lattice"}
        Whether shifts are real numbers, whole numbers, or real numbers on a lattice.
    """

    distance: float = 1.0
    pivots: str = "real"

    def smallest_distance(self, continuum: Continuum) -> tuple[float, bool]:
        """Return the smallest distance of two shifts, and whether it was cut because the shifts would not fit.

        Parameters
        ----------
        continuum : Continuum
            The item.

        Returns
        -------
        tuple of (float, bool)
        """
        number, length = len(continuum.lines), continuum.length
        distance = self.distance * continuum.mean_length
        if number * distance > _LARGEST_SHARE * length:
            return length / (2 * number), True
        return distance, False

    def columns(self, continuum: Continuum, seed: int, place: int, first: int, last: int) -> UnitColumns:
        number = len(continuum.lines)
        random = uniform_rows(seed, place, first, last, 2 * number)
        chosen, uniform = (random[:, :number] * number).astype(int), random[:, number:]
        if self.pivots == "lattice":
            uniform = np.array([lattice_point(seed, place, sample, number) for sample in range(first, last)])
        known = continuum.columns()
        sizes = np.array([len(line.starts) for line in continuum.lines])
        counts = sizes[chosen].ravel()  # units per sample and annotator
        # The units of an annotator follow each other in the known columns and in the new ones.
        moved = (np.cumsum(sizes) - sizes)[chosen].ravel() - (np.cumsum(counts) - counts)
        units = np.arange(counts.sum()) + np.repeat(moved, counts)
        shifts = np.repeat(self._shifts(continuum, uniform).ravel(), counts)
        starts = known.starts[units] + shifts
        back = np.where(starts >= continuum.bounds[1], continuum.length, 0.0)
        owners = np.repeat(np.tile(np.arange(number, dtype=np.int32), last - first), counts)
        ends = known.ends[units] + shifts - back
        return UnitColumns(starts - back, ends, known.codes[units], owners, sizes[chosen].sum(axis=1))

    def _shifts(self, continuum: Continuum, uniform: Floats) -> Floats:
        """Return one shift per place from numbers between 0 and 1; the last axis has one number per place."""
        number, length = len(continuum.lines), continuum.length
        distance, _ = self.smallest_distance(continuum)
        # Without the distances, the later shifts are uniform on the rest of the circle.
        steps = np.zeros(uniform.shape)
        rest = np.sort(uniform[..., 1:], axis=-1) * (length - number * distance)
        steps[..., 1:] = rest + distance * np.arange(1, number)
        shifts = uniform[..., :1] * length + steps
        shifts = np.where(shifts >= length, shifts - length, shifts)
        return np.asarray(np.floor(shifts) if self.pivots == "whole" else shifts)


LATTICE_POINTS = 16


def lattice_point(seed: int, place: int, sample: int, dimensions: int) -> Floats:
    """Return a point of a rank-1 lattice with 16 points; each block of 16 samples has its own random offset.

    Parameters
    ----------
    seed, place, sample : int
        See :func:`generator`.
    dimensions : int
        Number of coordinates.

    Returns
    -------
    numpy.ndarray
        Numbers from 0 to 1, 1 excluded.
    """
    block, point = divmod(sample, LATTICE_POINTS)
    offset = np.random.Generator(
        np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(place, block, LATTICE_POINTS)))
    ).random(dimensions)
    steps = np.array([pow(5, k, LATTICE_POINTS) for k in range(dimensions)])  # Korobov's generator 5
    return np.asarray((offset + point * steps / LATTICE_POINTS) % 1.0)


@dataclass(frozen=True)
class Statistical(Sampler):
    """Sampler of continua from the statistics of the annotators' units."""

    def columns(self, continuum: Continuum, seed: int, place: int, first: int, last: int) -> UnitColumns:
        counts = np.array([len(line.starts) for line in continuum.lines], float)
        gaps = np.concatenate([_gaps(line, continuum.bounds[0]) for line in continuum.lines])
        lengths = np.concatenate([line.ends - line.starts for line in continuum.lines])
        codes = np.concatenate([line.codes for line in continuum.lines])
        samples = []
        for sample in range(first, last):
            random = generator(seed, place, sample)
            lines = []
            for _ in continuum.lines:
                number = max(1, round(random.normal(counts.mean(), counts.std())))
                sizes = np.abs(random.normal(lengths.mean(), lengths.std(), number))
                steps = random.normal(gaps.mean(), gaps.std(), number)
                ends = continuum.bounds[0] + np.cumsum(steps + sizes)
                drawn = codes[(random.random(number) * len(codes)).astype(int)]
                lines.append(Line(ends - sizes, ends, drawn))
            samples.append(Continuum(tuple(lines), continuum.bounds).columns())
        return UnitColumns.join(samples)


def _gaps(line: Line, low: float) -> Floats:
    """Return the gaps before each unit; they are negative where units overlap."""
    if not len(line.starts):
        return np.zeros(0)
    order = np.lexsort((line.ends, line.starts))
    return np.asarray(line.starts[order] - np.concatenate(([low], line.ends[order][:-1])))


def samples_needed(relative_error: float, precision: float, drawn: int = FIRST_SAMPLES) -> int:
    """Return the number of samples for a precision, from the error of the first samples.

    Parameters
    ----------
    relative_error : float
        Half the width of the 95 % interval of expected disorder after the first samples, divided by expected disorder.
    precision : float
        Largest relative error that is wanted.
    drawn : int, default 30
        Number of the first samples.

    Returns
    -------
    int
        At least 30. For one item it is (1.96 CV / p)^2, rounded up (Mathet et al. 2015, section 5.3).
    """
    return min(max(FIRST_SAMPLES, math.ceil(drawn * (relative_error / precision) ** 2 - 1e-9)), MAX_SAMPLES)


class GammaEstimate(NamedTuple):
    """Gamma from an observed disorder and the disorders of random samples.

    Attributes
    ----------
    value : float
        Gamma; NaN if expected disorder is 0.
    expected : float
        Mean disorder of the samples.
    interval : tuple of (float, float)
        95 % sampling interval of gamma.
    samples : int
        Number of samples that could be used.
    """

    value: float
    expected: float
    interval: tuple[float, float]
    samples: int


def gamma_from_disorders(observed: float, samples: ArrayLike) -> GammaEstimate:
    """Compute gamma, gamma-cat or gamma-k from an observed disorder and the disorders of random samples.

    Parameters
    ----------
    observed : float
        Disorder of the best alignment of the annotators.
    samples : array_like of float
        Disorder of the best alignment of each sample. NaN stands for a sample without aligned units, which is left out.

    Returns
    -------
    GammaEstimate
        1 - observed / mean of the samples, with its sampling interval.

    Examples
    --------
    >>> estimate = gamma_from_disorders(0.5, [0.9, 1.0, 1.1])
    >>> round(estimate.value, 6), round(estimate.expected, 6)
    (0.5, 1.0)
    """
    disorders = np.asarray(samples, float)
    used = disorders[~np.isnan(disorders)]
    if not len(used):
        return GammaEstimate(math.nan, math.nan, (math.nan, math.nan), 0)
    expected = fsum(used) / len(used)
    if expected <= 0:
        return GammaEstimate(math.nan, expected, (math.nan, math.nan), len(used))
    error = NORMAL_QUANTILE * float(np.std(used, ddof=1)) / math.sqrt(len(used)) if len(used) > 1 else math.nan
    return GammaEstimate(1 - observed / expected, expected, sampling_interval(observed, expected, error), len(used))


def sampling_interval(observed: float, expected: float, error: float) -> tuple[float, float]:
    """Return the interval of gamma that comes from the error of expected disorder.

    Parameters
    ----------
    observed, expected : float
        Disorders.
    error : float
        Half the width of the interval of ``expected``.

    Returns
    -------
    tuple of (float, float)
    """
    low = float(1 - observed / (expected - error)) if error < expected else -math.inf
    return low, float(1 - observed / (expected + error))
