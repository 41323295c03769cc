"""Number of coders who marked each position of a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from caesura.errors import SegmentationError
from caesura.model import checks
from caesura.model.annotation import HAS_COUNTS, HAS_NO_TYPES, HAS_UNITS, HEADER, Annotation, Axis, pack_places
from caesura.model.fingerprint import content_bytes, numbers_bytes
from caesura.model.index import flatnonzero, searchsorted
from caesura.model.projection import text_difference
from caesura.model.segmentation import MAX_DRAWN_UNITS, Segmentation
from caesura.model.value import Ints, Numbers, Texts, count_of


class Marks(Annotation):
    """The number of coders who put a boundary at each inner position of a text of N units.

    Only marked positions are stored, so a long text with few marks needs little memory.

    Parameters
    ----------
    counts : sequence of int
        Number of coders who marked each of the N-1 inner positions.
    coders : int
        Number of coders, S.
    units : iterable of str, optional
        Text of each unit.

    Attributes
    ----------
    length : int
        Number of units, N.
    coders : int
        Number of coders, S.
    positions : ndarray of int64
        Positions that at least one coder marked, in ascending order.
    position_counts : ndarray of int64
        Number of coders who marked each entry of ``positions``.
    units : tuple of str or None
        Text of each unit, if it is known.

    Raises
    ------
    SegmentationError
        If a count is not a whole number from 0 to ``coders``, or the number of unit texts does not match.

    Examples
    --------
    >>> Marks([0, 0, 4, 0, 3, 1], 7)
    Marks(7 coders, 7 units: ···4··3·1·)
    >>> Marks.of([Segmentation.from_masses([2, 3]), Segmentation.from_masses([2, 2, 1])])
    Marks(2 coders, 5 units: ··2··1·)
    """

    __slots__ = ("coders", "length", "position_counts", "positions", "units")

    length: int
    coders: int
    positions: Ints
    position_counts: Ints
    units: tuple[str, ...] | None

    def __init__(self, counts: Numbers, coders: int, *, units: Texts | None = None) -> None:
        coders = checks.count(coders, "coders", "coders")
        array = checks.whole_numbers(counts, "counts")
        if (i := checks.first_true((array < 0) | (array > coders))) is not None:
            raise SegmentationError(f"counts[{i}]: expected a number of coders from 0 to {coders}; got {array[i]}")
        length = checks.count(len(array) + 1)
        texts, places = checks.unit_texts(units, length), flatnonzero(array)
        self._fill(length=length, coders=coders, positions=places + 1, position_counts=array[places], units=texts)

    @classmethod
    def of(cls, segmentations: Iterable[Segmentation]) -> Marks:
        """Return the marks of several coders on the same text.

        Parameters
        ----------
        segmentations : iterable of Segmentation
            One segmentation per coder. Boundary types and boundaries at the end of the text are ignored.

        Returns
        -------
        Marks

        Raises
        ------
        SegmentationError
            If there is no segmentation, or the segmentations are of different texts.
        """
        texts = checks.as_list(segmentations, "segmentations")
        for i, text in enumerate(texts):
            if not isinstance(text, Segmentation):
                raise SegmentationError(f"segmentations[{i}]: expected a Segmentation; got {type(text).__name__}")
        if not texts:
            raise SegmentationError("segmentations: expected at least one; got none")
        difference = text_difference({f"segmentations[{i}]": segmentation for i, segmentation in enumerate(texts)})
        if difference is not None:
            raise SegmentationError(f"all coders must segment the same text{difference}")
        return cls._of_same_text(texts)

    @classmethod
    def _of_same_text(cls, texts: Sequence[Segmentation]) -> Marks:
        units = next((segmentation.units for segmentation in texts if segmentation.units is not None), None)
        marked = np.sort(np.concatenate([segmentation.inner for segmentation in texts]))
        is_first = np.ones(marked.size + 1, bool)  # the end of the last position too
        np.not_equal(marked[1:], marked[:-1], out=is_first[1:-1])
        starts = flatnonzero(is_first)
        slots = {"length": texts[0].length, "coders": len(texts), "units": units}
        return cls._trusted(positions=marked[starts[:-1]], position_counts=starts[1:] - starts[:-1], **slots)

    @classmethod
    def of_groups(cls, segmentations: Sequence[Segmentation], *, leave_one_out: bool) -> list[Marks]:
        """Return the marks of all coders of a text, and of all coders but one.

        Parameters
        ----------
        segmentations : sequence of Segmentation
            One segmentation per coder. They must be of the same text, which is not checked.
        leave_one_out : bool
            Whether to add the marks without the first coder, without the second, and so on.

        Returns
        -------
        list of Marks
            The marks of all coders, followed by one entry per coder who is left out.

        Examples
        --------
        >>> texts = [Segmentation.from_masses(masses) for masses in ([2, 3], [2, 2, 1])]
        >>> Marks.of_groups(texts, leave_one_out=True)
        [Marks(2 coders, 5 units: ··2··1·), Marks(1 coder, 5 units: ··1··1·), Marks(1 coder, 5 units: ··1···)]
        """
        total = cls._of_same_text(segmentations)
        groups = [total]
        for text in segmentations if leave_one_out else ():
            counts = total.position_counts.copy()
            counts[searchsorted(total.positions, text.inner)] -= 1
            kept = counts > 0
            slots = {"length": total.length, "coders": total.coders - 1, "units": total.units}
            groups.append(cls._trusted(positions=total.positions[kept], position_counts=counts[kept], **slots))
        return groups

    @cached_property
    def packed(self) -> bytes:
        """The header of :mod:`caesura.model.annotation`, and the marked positions."""
        # Judging makes the marks of all coders but one for every item and coder, so this must be fast.
        traits = HAS_COUNTS | HAS_NO_TYPES | HAS_UNITS * (self.units is not None)
        return HEADER.pack(0, self.length, traits, len(self.positions)) + pack_places(self.positions)

    @property
    def axis(self) -> Axis:
        return Axis(0, self.length, tokens=self.units)

    def __len__(self) -> int:
        return self.length

    @property
    def counts(self) -> Ints:
        """Number of coders at each of the N-1 inner positions."""
        counts = np.zeros(self.length - 1, np.int64)
        counts[self.positions - 1] = self.position_counts
        return counts

    def draw(self) -> str:
        """Draw the marks: one dot per unit, followed by the number of coders who put a boundary after it.

        Returns
        -------
        str

        Examples
        --------
        >>> Marks([0, 12, 1, 0], 12).draw()
        '··12·1··'
        """
        cells = ["·"] * self.length
        for position, count in zip(self.positions.tolist(), self.position_counts.tolist(), strict=True):
            cells[position - 1] += str(count)
        return "".join(cells)

    def __repr__(self) -> str:
        head = f"Marks({count_of(self.coders, 'coder')}, {count_of(self.length, 'unit')}"
        if self.length <= MAX_DRAWN_UNITS:
            return f"{head}: {self.draw()})"
        return f"{head}, {count_of(self.positions.size, 'marked position')}, highest {self.position_counts.max(initial=0)})"


@content_bytes.register
def _(annotation: Marks) -> bytes:
    numbers = (*annotation.positions.tolist(), *annotation.position_counts.tolist())
    return b"m" + numbers_bytes((annotation.length, annotation.coders, *numbers))
