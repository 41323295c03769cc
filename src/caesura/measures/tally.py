"""Add up a measure over documents that come one after the other, as in a training loop."""

from __future__ import annotations

from typing import Any

from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.registry import parse
from caesura.measures.sums import Partial
from caesura.model.result import Score
from caesura.model.segmentation import UNTYPED


class Tally:
    """The running sum of a measure: one score over all documents so far.

    Parameters
    ----------
    measure : str or Measure
        The measure.

    Attributes
    ----------
    measure : Measure
        The measure.

    Notes
    -----
    Sums are exact, so the order of the documents, and of the tallies that are merged, does not change the score. A tally can
    be pickled and sent to another process.

    Examples
    --------
    >>> from caesura import Segmentation
    >>> tally = Tally("B")
    >>> for masses in ([2, 2, 7], [2, 3, 6]):
    ...     tally.update(Segmentation.from_masses([2, 3, 6]), Segmentation.from_masses(masses))
    >>> tally.compute().value
    0.875
    >>> tally
    Tally(boundary_similarity(n_t=2), 2 documents)
    """

    def __init__(self, measure: str | Measure) -> None:
        self.measure = parse(measure)
        self._sums = Partial.empty(self.measure, UNTYPED)

    def __len__(self) -> int:
        return self._sums.documents

    def update(self, reference: Any, hypothesis: Any) -> None:
        """Add one document.

        Parameters
        ----------
        reference, hypothesis : Segmentation, Dialogue, Hierarchy or Tree
            The two sides.

        Raises
        ------
        MismatchError
            If the two cannot be compared. The tally does not change.
        Undefined
            If the measure has no value for them. The tally does not change.
        OptionError
            If the boundary types differ from those of earlier documents. The tally does not change.
        """
        batch, _, errors = self.measure.pack([(reference, hypothesis)])
        if errors:
            raise errors[0]
        added = Partial.of(self.measure, self.measure.count(batch), batch.types)
        self._sums = self._sums.merge(added, self.measure)

    def merge(self, other: Tally) -> None:
        """Add the documents of another tally.

        Parameters
        ----------
        other : Tally
            A tally of the same measure, such as that of another process. It does not change.

        Raises
        ------
        OptionError
            If the measures differ.
        """
        if not isinstance(other, Tally) or other.measure != self.measure:
            got = repr(other.measure) if isinstance(other, Tally) else type(other).__name__
            raise OptionError(f"only tallies of the same measure add up; expected {self.measure!r}, got {got}")
        self._sums = self._sums.merge(other._sums, self.measure)

    def compute(self) -> Score:
        """Return the score of all documents so far.

        Returns
        -------
        Score
            The score, from summed parts.

        Raises
        ------
        OptionError
            If there is no document yet.
        """
        if not len(self):
            raise OptionError("the tally has no documents yet; call update(reference, hypothesis) first")
        return self._sums.score(self.measure)

    def reset(self) -> None:
        """Forget all documents."""
        self._sums = Partial.empty(self.measure, UNTYPED)

    def __repr__(self) -> str:
        return f"Tally({self.measure!r}, {len(self)} document{'' if len(self) == 1 else 's'})"
