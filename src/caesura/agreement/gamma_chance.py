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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from caesura.agreement.unitary import Codes, Counts, UnitTable
from caesura.kernels.seeded import uniforms
from caesura.model.index import lexsort, repeat
from caesura.model.value import Floats

# Number of samples from which the number of samples for a precision is computed.
FIRST_SAMPLES = 30
NORMAL_QUANTILE = 1.96
_LARGEST_SHARE = 0.9
_WORD = 2**32 - 1


class UnitColumns(NamedTuple):
    """Units of one or several samples, in any order within a sample."""

    starts: Floats
    ends: Floats
    # Categories and annotators.
    codes: Codes
    owners: Codes
    sizes: Counts  # number of units of each sample

    def table(self, annotators: int) -> UnitTable:
        return UnitTable.build(*self[:4], annotators, self.sizes)


@dataclass(frozen=True, eq=False)
class Continuum:
    """Units of all annotators of an item, one annotator after the other."""

    starts: Floats
    ends: Floats
    codes: Codes  # categories
    sizes: tuple[int, ...]  # number of units of each annotator
    bounds: tuple[float, float]  # beginning and end

    @property
    def annotators(self) -> int:
        return len(self.sizes)

    @property
    def units(self) -> int:
        return len(self.starts)

    @property
    def length(self) -> float:
        return self.bounds[1] - self.bounds[0]

    @cached_property
    def mean_length(self) -> float:
        return fsum((self.ends - self.starts).tolist()) / max(self.units, 1)

    @cached_property
    def digest(self) -> bytes:
        facts = np.array([*self.bounds, *self.sizes])
        columns = (facts, self.starts, self.ends, self.codes)
        return blake2b(b"".join(column.tobytes() for column in columns), digest_size=16).digest()

    def table(self) -> UnitTable:
        return observed_units([self]).table(self.annotators)


class Piece(NamedTuple):
    """Some samples of one continuum; the observed units, which are one sample, if ``last`` is -1."""

    continuum: Continuum  # the units
    place: int  # place of the item in the order of names
    # Number of the first sample, and of the first one after the last.
    first: int
    last: int

    @property
    def samples(self) -> int:
        return 1 if self.last < 0 else self.last - self.first


def observed_units(continua: Sequence[Continuum]) -> UnitColumns:
    """Return the units of several continua, each as one sample."""
    sizes = np.array([continuum.sizes for continuum in continua])
    owners = repeat(np.tile(np.arange(sizes.shape[1], dtype=np.int32), len(continua)), sizes.ravel())
    return UnitColumns(
        np.concatenate([continuum.starts for continuum in continua]),
        np.concatenate([continuum.ends for continuum in continua]),
        np.concatenate([continuum.codes for continuum in continua]),
        owners,
        sizes.sum(axis=1),
    )


def generator(seed: int, place: int, sample: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(place, sample))))


def uniform_rows(seed: int, pieces: Sequence[Piece], count: int) -> Floats:
    """Return the first numbers of the random generators of several samples."""
    words = [seed >> shift & _WORD for shift in range(0, max(seed.bit_length(), 128), 32)]
    numbers = np.array([piece.samples for piece in pieces])
    firsts = np.array([piece.first for piece in pieces]) - (np.cumsum(numbers) - numbers)
    places = repeat([piece.place for piece in pieces], numbers)
    samples = np.arange(numbers.sum()) + repeat(firsts, numbers)
    return uniforms(np.array(words, np.uint32), np.column_stack((places, samples)).astype(np.uint32), count)


class Sampler:
    """Base class of samplers of random continua."""

    def columns(self, pieces: Sequence[Piece], seed: int) -> UnitColumns:
        raise NotImplementedError

    def draw(self, continuum: Continuum, seed: int, place: int, sample: int) -> UnitTable:
        return self.columns([Piece(continuum, place, sample, sample + 1)], seed).table(continuum.annotators)


@dataclass(frozen=True)
class Shift(Sampler):
    """Sampler of continua with shifted annotators."""

    distance: float = 1.0  # smallest distance of two shifts, in multiples of the mean length of a unit
    pivots: str = "real"  # whether shifts are real numbers, whole numbers, or real numbers on a lattice

    def smallest_distance(self, continuum: Continuum) -> tuple[float, bool]:
        """Return the smallest distance of two shifts, and whether it was cut because the shifts would not fit."""
        number, length = continuum.annotators, continuum.length
        distance = self.distance * continuum.mean_length
        if number * distance > _LARGEST_SHARE * length:
            return length / (2 * number), True
        return distance, False

    def columns(self, pieces: Sequence[Piece], seed: int) -> UnitColumns:
        number, known = pieces[0].continuum.annotators, observed_units([piece.continuum for piece in pieces])
        random = uniform_rows(seed, pieces, 2 * number)
        chosen, uniform = (random[:, :number] * number).astype(int), random[:, number:]
        if self.pivots == "lattice":
            uniform = lattice_points(seed, pieces)
        piece = repeat(np.arange(len(pieces)), [piece.samples for piece in pieces])  # of each sample
        sizes = np.array([piece.continuum.sizes for piece in pieces])
        firsts = (np.cumsum(sizes) - sizes.ravel()).reshape(sizes.shape)
        counts = sizes[piece[:, None], chosen].ravel()  # units per sample and annotator
        # The units of an annotator follow each other in the known columns and in the new ones.
        moved = firsts[piece[:, None], chosen].ravel() - (np.cumsum(counts) - counts)
        units = np.arange(counts.sum()) + repeat(moved, counts)
        drawn = counts.reshape(chosen.shape).sum(axis=1)
        shifts = repeat(self._shifts(pieces, piece, uniform).ravel(), counts)
        starts = known.starts[units] + shifts
        ends = np.array([piece.continuum.bounds[1] for piece in pieces])
        lengths = np.array([piece.continuum.length for piece in pieces])
        back = np.where(starts >= repeat(ends[piece], drawn), repeat(lengths[piece], drawn), 0.0)
        owners = repeat(np.tile(np.arange(number, dtype=np.int32), len(piece)), counts)
        return UnitColumns(starts - back, known.ends[units] + shifts - back, known.codes[units], owners, drawn)

    def _shifts(self, pieces: Sequence[Piece], piece: Counts, uniform: Floats) -> Floats:
        """Return one shift per sample and place from numbers between 0 and 1; ``piece`` is the piece of each sample."""
        number = uniform.shape[1]
        length = np.array([piece.continuum.length for piece in pieces])[piece, None]
        distance = np.array([self.smallest_distance(piece.continuum)[0] for piece in pieces])[piece, None]
        # Without the distances, the later shifts are uniform on the rest of the circle.
        steps = np.zeros(uniform.shape)
        rest = np.sort(uniform[:, 1:], axis=1) * (length - number * distance)
        steps[:, 1:] = rest + distance * np.arange(1, number)
        shifts = uniform[:, :1] * length + steps
        shifts = np.where(shifts >= length, shifts - length, shifts)
        return np.asarray(np.floor(shifts) if self.pivots == "whole" else shifts)


LATTICE_POINTS = 16


def lattice_points(seed: int, pieces: Sequence[Piece]) -> Floats:
    """Return points of a rank-1 lattice with 16 points; each block of 16 samples has its own random offset."""
    dimensions = pieces[0].continuum.annotators
    steps = np.array([pow(5, k, LATTICE_POINTS) for k in range(dimensions)])  # Korobov's generator 5
    points = []
    for piece in pieces:
        for sample in range(piece.first, piece.last):
            block, point = divmod(sample, LATTICE_POINTS)
            source = np.random.SeedSequence(seed, spawn_key=(piece.place, block, LATTICE_POINTS))
            offset = np.random.Generator(np.random.PCG64(source)).random(dimensions)
            points.append((offset + point * steps / LATTICE_POINTS) % 1.0)
    return np.array(points)


@dataclass(frozen=True)
class Statistical(Sampler):
    """Sampler of continua from the statistics of the annotators' units."""

    def columns(self, pieces: Sequence[Piece], seed: int) -> UnitColumns:
        return observed_units([sample for piece in pieces for sample in self._samples(piece, seed)])

    def _samples(self, piece: Piece, seed: int) -> Iterator[Continuum]:
        continuum = piece.continuum
        counts, lengths = np.array(continuum.sizes, float), continuum.ends - continuum.starts
        gaps = _gaps(continuum)
        for sample in range(piece.first, piece.last):
            random = generator(seed, piece.place, sample)
            lines = []
            for _ in continuum.sizes:
                number = max(1, round(random.normal(counts.mean(), counts.std())))
                sizes = np.abs(random.normal(lengths.mean(), lengths.std(), number))
                steps = random.normal(gaps.mean(), gaps.std(), number)
                ends = continuum.bounds[0] + np.cumsum(steps + sizes)
                drawn = continuum.codes[(random.random(number) * continuum.units).astype(int)]
                lines.append((ends - sizes, ends, drawn))
            starts, ends, codes = map(np.concatenate, zip(*lines, strict=True))
            yield Continuum(starts, ends, codes, tuple(len(line[0]) for line in lines), continuum.bounds)


def _gaps(continuum: Continuum) -> Floats:
    """Return the gaps before each unit of all annotators; they are negative where units overlap."""
    gaps = []
    for last, size in zip(np.cumsum(continuum.sizes).tolist(), continuum.sizes, strict=True):
        starts, ends = continuum.starts[last - size : last], continuum.ends[last - size : last]
        order = lexsort((ends, starts))
        gaps.append(starts[order] - np.concatenate(([continuum.bounds[0]], ends[order]))[:size])
    return np.concatenate(gaps)


def samples_needed(relative_error: float, precision: float, drawn: int = FIRST_SAMPLES) -> int:
    return max(FIRST_SAMPLES, math.ceil(drawn * (relative_error / precision) ** 2 - 1e-9))


class GammaEstimate(NamedTuple):
    """Gamma from an observed disorder and the disorders of random samples."""

    value: float  # gamma; NaN if expected disorder is 0
    expected: float  # mean disorder of the samples
    interval: tuple[float, float]  # 95 % sampling interval of gamma
    samples: int  # number of samples that could be used


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
    """Return the interval of gamma that comes from the error of expected disorder."""
    low = float(1 - observed / (expected - error)) if error < expected else -math.inf
    return low, float(1 - observed / (expected + error))
