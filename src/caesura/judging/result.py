"""Classes for the result of judging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from caesura.judging.comparison import SystemComparison
from caesura.judging.mistakes import Mistakes, find_mistakes
from caesura.judging.participants import Participants
from caesura.measures.base import Measure
from caesura.model.result import HIDDEN, Excluded, Result, Score
from caesura.statistics import AlternativeTest


@dataclass(frozen=True, slots=True)
class SegmenterScore:
    """Score of one system or bound under one measure.

    Attributes
    ----------
    segmenter : str
        Name of the system or bound.
    bound : bool
        Whether it is a bound (human, random, regular, none, all) and not a system.
    measure : Measure
        The measure.
    value : float
        Micro value, from parts summed over all items and coders; for ``random``, the mean of the micro values of all
        draws.
    macro : float
        Macro value: mean over items of the value from all coders.
    interval : tuple of float or None
        Confidence interval of ``value``.
    interval_note : str
        Description of the interval, or the reason why there is none.
    items : int
        Number of items.
    score : Score
        The micro value with its parts, related values such as precision and recall, and its signature.
    by_coder : mapping of str to float
        Value against each coder as reference, from parts summed over items. Empty if all coders together are the reference
        (fuzzy success), and for ``random``.
    pairs : int or None
        Number of boundary pairs, with ``interval="pairs"``.
    standard_error : float or None
        Standard error of the mean over boundary pairs, with ``interval="pairs"``.
    """

    segmenter: str
    bound: bool
    measure: Measure
    value: float
    macro: float
    interval: tuple[float, float] | None
    interval_note: str
    items: int
    score: Score = field(repr=False)
    by_coder: Mapping[str, float] = field(default_factory=dict, repr=False)
    pairs: int | None = None
    standard_error: float | None = None


@dataclass(frozen=True, slots=True)
class AgreementDrop:
    """Drop in the coders' agreement when a system joins them, on items with the system and at least two coders.

    Attributes
    ----------
    system : str
        Name of the system.
    value : float or None
        ``without_system`` minus ``with_system``: 0 or below if the system agrees with the coders as well as they agree with
        each other.
    without_system, with_system : float or None
        Agreement among the coders, and among the coders and the system.
    coefficient : str
        Coefficient of agreement.
    measure : Measure
        Measure of the coefficient.
    items : int
        Number of items.
    reason : str or None
        Reason why there is no value.
    """

    system: str
    value: float | None
    without_system: float | None
    with_system: float | None
    coefficient: str
    measure: Measure
    items: int = 0
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Replacement:
    """Result of the alternative annotator test: whether a system could replace a coder.

    Attributes
    ----------
    system : str
        Name of the system.
    test : AlternativeTest or None
        The test.
    coders : tuple of str
        Names of the coders, in the order of ``test.coders``.
    measure : Measure
        Measure of similarity.
    reason : str or None
        Reason why there is no test.
    """

    system: str
    test: AlternativeTest | None
    coders: tuple[str, ...]
    measure: Measure
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Judgement(Result):
    """Result of :func:`judge`.

    Attributes
    ----------
    rows : tuple of SegmenterScore
        Scores of systems and bounds, grouped by measure.
    comparisons : tuple of SystemComparison
        Significance tests, one entry per measure; empty if there is only one system.
    drops : tuple of AgreementDrop
        One entry per system.
    replacements : tuple of Replacement
        One entry per system.
    systems, coders, items : tuple of str
        Names of systems, coders and items.
    undefined : mapping of str to str
        Bound or test that is undefined for these data -> reason.
    excluded : tuple of Excluded
        Items and systems that were not scored; ``coder`` may be the name of a system.
    seed : int
        Random seed.
    signature : str
        One line to reproduce the result.
    participants : Participants
        The annotations of coders and systems.
    aligner : Measure
        The measure that aligns boundaries for drops, replacements and mistakes.
    """

    frame_field: ClassVar[str] = "rows"

    rows: tuple[SegmenterScore, ...]
    comparisons: tuple[SystemComparison, ...]
    drops: tuple[AgreementDrop, ...]
    replacements: tuple[Replacement, ...]
    systems: tuple[str, ...]
    coders: tuple[str, ...]
    items: tuple[str, ...]
    undefined: Mapping[str, str]
    excluded: tuple[Excluded, ...]
    seed: int
    signature: str
    participants: Participants = field(repr=False, metadata=HIDDEN)
    aligner: Measure = field(repr=False, metadata=HIDDEN)

    @cached_property
    def mistakes(self) -> dict[str, Mistakes]:
        """System -> its mistakes, computed on first access."""
        return {system: find_mistakes(self.participants, system, self.aligner) for system in self.systems}

    def row(self, segmenter: str, measure: str | Measure, *, bound: bool | None = None) -> SegmenterScore:
        """Return the row of a system or bound.

        Parameters
        ----------
        segmenter : str
            Name of the system or bound.
        measure : str or Measure
            The measure, its ``repr``, or its name.
        bound : bool, optional
            Whether to return the bound (True) or the system (False) if both have this name (default: the system).

        Returns
        -------
        SegmenterScore
            The first matching row.

        Raises
        ------
        KeyError
            If there is no such row.
        """
        for row in self._rows_of(measure):
            if row.segmenter == segmenter and bound in (None, row.bound):
                return row
        raise KeyError((segmenter, measure))

    def ranking(self, measure: str | Measure) -> tuple[str, ...]:
        """Return the systems under a measure, best first.

        Parameters
        ----------
        measure : str or Measure
            The measure, its ``repr``, or its name.

        Returns
        -------
        tuple of str
            Names of the systems.
        """
        systems = [row for row in self._rows_of(measure) if not row.bound]
        systems.sort(key=lambda row: -row.value if row.measure.higher_is_better else row.value)
        return tuple(row.segmenter for row in systems)

    def _rows_of(self, measure: str | Measure) -> list[SegmenterScore]:
        return [row for row in self.rows if measure in (row.measure, repr(row.measure), row.measure.name)]
