"""Boundary scores: how sure a program is of a boundary at each place, instead of marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import ScoresError
from caesura.model import checks
from caesura.model.annotation import HAS_SCORES, SAME_PLACE, Annotation, Axis, pack_places, to_ticks
from caesura.model.value import Floats, count_of


class BoundaryScores(Annotation):
    """One score per inner position of a text, or per time of a recording. The higher, the surer is the boundary.

    Parameters
    ----------
    scores : sequence of float
        One score per inner position, so N-1 scores for N units; or one per time. Probabilities, logits or any other finite
        numbers.
    times : sequence of float, optional
        Times of the scores in seconds, in ascending order. Without times, the scores belong to positions.

    Attributes
    ----------
    scores : numpy.ndarray
        The scores, in the order of the places.
    times : numpy.ndarray or None
        The times in seconds; None if the scores belong to positions.

    Raises
    ------
    ScoresError
        If a score is missing, NaN or infinite, or if times do not ascend. The message names the place.

    Notes
    -----
    The end of a text is no inner position, so it has no score. Scores in seconds have no extent: that of the reference counts.

    Examples
    --------
    >>> BoundaryScores([0.1, 0.9, 0.3])
    BoundaryScores(4 units: 3 scores from 0.1 to 0.9)
    >>> BoundaryScores.from_pairs([(0.5, 0.2), (1.0, 0.7)])
    BoundaryScores(2 scores from 0.2 to 0.7 at 0.5 to 1 s)
    """

    __slots__ = ("scores", "times")

    scores: Floats
    times: Floats | None

    def __init__(
        self, scores: Sequence[float] | NDArray[Any], times: Sequence[float] | NDArray[Any] | None = None
    ) -> None:
        values, places = checks.finite_numbers(scores, "scores", ScoresError), None
        if times is not None:
            places = checks.finite_numbers(times, "times", ScoresError)
            if len(places) != len(values):
                raise ScoresError(f"times: expected one time per score, so {len(values)}; got {len(places)}")
            steps = np.diff(places)
            if (i := checks.first_true(steps <= SAME_PLACE)) is not None:
                problem = "occurs twice" if abs(steps[i]) <= SAME_PLACE else f"comes after {places[i]:.10g}"
                raise ScoresError(f"times[{i + 1}]: times must ascend; {places[i + 1]:.10g} {problem}")
        self._fill(scores=values, times=places)

    @classmethod
    def from_pairs(cls, pairs: Iterable[Sequence[float]] | NDArray[Any]) -> BoundaryScores:
        """Return scores in seconds from pairs of time and score.

        Parameters
        ----------
        pairs : iterable of (float, float)
            Time in seconds, and score; in ascending order of time.

        Returns
        -------
        BoundaryScores
            The scores.

        Raises
        ------
        ScoresError
            If an entry is not a pair of finite numbers, or times do not ascend.
        """
        rows = checks.rows(pairs, "scores", "(time, score)", ScoresError, checks.finite_number, "a time in seconds")
        return cls([score for _, score in rows], [time for time, _ in rows])

    @cached_property
    def packed(self) -> bytes:
        """The header of :mod:`caesura.model.annotation`, and the places."""
        return self._pack(len(self), HAS_SCORES) + pack_places(
            to_ticks(self.places) if self.timed else self.places.astype(np.int64)
        )

    @property
    def axis(self) -> Axis:
        return Axis(0, self.length, self.timed)

    @property
    def timed(self) -> bool:
        """Whether the scores belong to times."""
        return self.times is not None

    @property
    def length(self) -> float:
        """Number of units; for scores in seconds, the time of the last score."""
        if self.times is None:
            return len(self.scores) + 1
        return float(self.times[-1]) if len(self.times) else 0.0

    @property
    def places(self) -> Floats:
        """Positions from 1 to N-1, or times in seconds."""
        return np.arange(1.0, len(self.scores) + 1) if self.times is None else self.times

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        number, place = count_of(len(self), "score"), ""
        if len(self):
            number += f" from {self.scores.min():.10g} to {self.scores.max():.10g}"
        if self.times is None:
            return f"BoundaryScores({self.length} units: {number})"
        if len(self):
            place = f" at {self.times[0]:.10g} to {self.times[-1]:.10g} s"
        return f"BoundaryScores({number}{place})"
