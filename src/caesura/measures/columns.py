"""From columns of documents to the arrays that kernels take, without an object for a document.

What is wrong with single documents is found on the way, and those are left out: the message is the one that a ``Segmentation``
made of the same numbers would raise.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import columns as kernel
from caesura.measures.base import Measure
from caesura.measures.batch import EMPTY, Batch, SegmentationPair, View
from caesura.model.documents import BoundaryColumn, Documents
from caesura.model.segmentation import UNTYPED
from caesura.model.value import MAX_UNITS

Ints = NDArray[np.int64]


def supports_columns(measure: Measure) -> bool:
    """Whether a measure takes its documents from columns; others take objects."""
    return measure.view in ("inner", "typed") and type(measure).to_batch is Measure.to_batch


class CheckedColumns:
    """Columns that were checked: batches of what is sound, and what is wrong with the rest.

    ``types`` is the scale that all documents are scored over; a boundary of another type is an error of its document.
    """

    def __init__(self, documents: Documents, types: tuple[str, ...]) -> None:
        self.types = types
        self._given = documents
        self.excluded = dict(documents.excluded)
        wrong = np.zeros(len(documents), np.uint8)
        self._documents = self._with_codes(documents, wrong) if documents.typed else documents
        self._ends = self._repeats = False
        for side in (self._documents.reference, self._documents.hypothesis):
            ends, repeats = kernel.check(documents.length, side.positions, side.offsets, side.codes, MAX_UNITS, wrong)
            self._ends |= ends
            self._repeats |= repeats
        for d in np.flatnonzero(wrong).tolist():
            if d not in self.excluded:
                self.excluded[d] = self._why(d)
        self.sound = np.setdiff1d(np.arange(len(documents)), list(self.excluded)) if self.excluded else None
        """Places of the documents that can be scored; None where all can."""

    def _why(self, document: int) -> str:
        try:
            self._given.pair(document, self.types)
        except CaesuraError as problem:
            return str(problem)
        raise AssertionError(f"document {document}: columns and segmentations disagree")

    @property
    def places(self) -> Ints:
        """Places in the columns of the documents of a batch."""
        return np.arange(len(self._documents)) if self.sound is None else self.sound

    def batch(self, view: View) -> Batch:
        """The documents that can be scored: inner positions, or inner positions with types."""
        return self._typed if view == "typed" else self._inner

    @cached_property
    def _whole(self) -> Batch:
        d = self._documents
        a, b = d.reference, d.hypothesis
        whole = Batch(d.length, a.positions, a.codes, a.offsets, b.positions, b.codes, b.offsets, self.types)
        return whole if self.sound is None else whole.take(self.sound)

    @cached_property
    def _typed(self) -> Batch:
        b = self._whole
        if self._ends:
            b = _without(b, (b.a_pos == _each(b.length, b.a_off)), (b.b_pos == _each(b.length, b.b_off)))
        if len(self.types) == 1 and b.a_code.size + b.b_code.size:
            b = replace(b, a_code=EMPTY, b_code=EMPTY)
        return b

    @cached_property
    def _inner(self) -> Batch:
        b = self._typed
        if b.types == UNTYPED:
            return b  # the same, so that what measures share is made once
        if self._repeats:
            b = _without(b, _again(b.a_pos, b.a_off), _again(b.b_pos, b.b_off))
        return replace(b, a_code=EMPTY, b_code=EMPTY, types=UNTYPED)

    def pairs(self, types: tuple[str, ...] | None) -> list[SegmentationPair]:
        """Each document that can be scored as two segmentations, over these types if somebody declared them."""
        return [self._given.pair(d, types) for d in self.places.tolist()]

    # -- types ----------------------------------------------------------------------------------------------------

    def _with_codes(self, documents: Documents, wrong: NDArray[np.uint8]) -> Documents:
        """Codes over the scale, at each position from the lowest to the highest; ``wrong`` where there are none."""
        place = {name: i for i, name in enumerate(self.types) if name}
        table = np.array([place.get(name, -1) for name in documents.types] or [-1], np.int64)
        both = []
        for side in (documents.reference, documents.hypothesis):
            uneven = np.flatnonzero(np.diff(side.offsets) != np.diff(side.code_offsets))
            made = _even(side, uneven, table)
            wrong[uneven] = 1
            wrong[np.searchsorted(made.offsets, np.flatnonzero(made.codes < 0), "right") - 1] = 1
            both.append(made)
        return replace(documents, reference=both[0], hypothesis=both[1], types=self.types)


def _even(side: BoundaryColumn, uneven: Ints, table: Ints) -> BoundaryColumn:
    """Positions and codes of the same offsets; documents that have more of one than of the other are emptied."""
    positions, codes = _dense(side.positions, side.offsets, uneven), _dense(side.codes, side.code_offsets, uneven)
    counts = np.diff(side.offsets)
    counts[uneven] = 0
    offsets = np.concatenate([[0], np.cumsum(counts)])
    codes = table[codes]
    if len(positions) > 1:
        document = np.repeat(np.arange(len(counts)), counts)
        new = (positions[1:] != positions[:-1]) | (document[1:] != document[:-1])
        if (~new & (codes[1:] < codes[:-1])).any():
            run = np.concatenate([[0], np.cumsum(new)])
            codes = codes[np.lexsort((codes, run))]
    return BoundaryColumn(positions, offsets, codes, offsets)


def _dense(values: Ints, offsets: Ints, left_out: Ints) -> Ints:
    """What the offsets cover, without the documents that are left out."""
    kept = values[offsets[0] : offsets[-1]]
    if not left_out.size:
        return kept
    keep: NDArray[np.bool_] = np.ones(len(offsets) - 1, bool)
    keep[left_out] = False
    return kept[np.repeat(keep, np.diff(offsets))]


def _each(length: Ints, off: Ints) -> Ints:
    """The length of its document for every boundary."""
    each: Ints = np.repeat(length, np.diff(off))
    return each


def _again(pos: Ints, off: Ints) -> NDArray[np.bool_]:
    """Boundaries at the position of the one before, in the same document."""
    again = np.zeros(len(pos), bool)
    again[1:] = pos[1:] == pos[:-1]
    again[off[:-1][off[:-1] < len(pos)]] = False
    return again


def _without(batch: Batch, a: NDArray[np.bool_], b: NDArray[np.bool_]) -> Batch:
    """A batch without some boundaries."""
    a_pos, a_code, a_off = _left(batch.a_pos, batch.a_code, batch.a_off, a)
    b_pos, b_code, b_off = _left(batch.b_pos, batch.b_code, batch.b_off, b)
    return Batch(batch.length, a_pos, a_code, a_off, b_pos, b_code, b_off, batch.types)


def _left(pos: Ints, code: Ints, off: Ints, gone: NDArray[np.bool_]) -> tuple[Ints, Ints, Ints]:
    before = np.concatenate([[0], np.cumsum(~gone)])
    return pos[~gone], code[~gone] if code.size else code, before[off]
