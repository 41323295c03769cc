"""Convert columns of documents into arrays for the kernels, without a Python object per document.

Documents with invalid numbers are excluded; the reason is the message that a ``Segmentation`` of the same numbers raises.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.kernels import columns as kernel
from caesura.measures.base import Measure
from caesura.model.annotation import Shape
from caesura.model.batch import Batch
from caesura.model.columns import EMPTY, Boundaries, distinct, take
from caesura.model.documents import BoundaryColumn, Documents
from caesura.model.index import flatnonzero, lexsort, repeat, searchsorted
from caesura.model.segmentation import UNTYPED, Segmentation
from caesura.model.value import MAX_UNITS, Ints

Flags = NDArray[np.bool_]


def supports_columns(measure: Measure) -> bool:
    """Return whether a measure compares plain boundaries, and not the annotations themselves."""
    is_plain = type(measure).scale is Measure.scale and measure.needs.least == Shape.MARKS
    return is_plain and not (measure.needs_pairs or measure.accepts_marks)


class CheckedColumns:
    """Checked columns of documents: batches of the valid documents, and the reasons why others are excluded."""

    def __init__(self, documents: Documents, types: tuple[str, ...]) -> None:
        self.types = types
        self._original = documents
        self.excluded = dict(documents.excluded)
        invalid = np.zeros(len(documents), np.uint8)
        self._documents = self._with_codes(documents, invalid) if documents.typed else documents
        self._has_end_marks = self._has_repeats = False
        for side in (self._documents.reference, self._documents.hypothesis):
            end_marks, repeats = kernel.check(
                documents.length, side.positions, side.offsets, side.codes, MAX_UNITS, invalid
            )
            self._has_end_marks |= end_marks
            self._has_repeats |= repeats
        for document in flatnonzero(invalid).tolist():
            if document not in self.excluded:
                self.excluded[document] = self._reason(document)
        self.valid = np.setdiff1d(np.arange(len(documents)), list(self.excluded)) if self.excluded else None

    def _reason(self, document: int) -> str:
        try:
            self._original.pair(document, self.types)
        except CaesuraError as error:
            return str(error)
        raise AssertionError(f"document {document}: columns and segmentations disagree")

    @property
    def places(self) -> Ints:
        """Place in the columns of each document of a batch."""
        return np.arange(len(self._documents)) if self.valid is None else self.valid

    @cached_property
    def batch(self) -> Batch:
        """The valid documents, over their types."""
        d = self._documents
        sides = []
        for column in (d.reference, d.hypothesis):
            rows = slice(int(column.offsets[0]), int(column.offsets[-1]))  # others may stand before and behind
            code = column.codes[rows] if len(self.types) > 1 else EMPTY
            side = Boundaries(column.positions[rows], code, column.offsets - rows.start)
            side = side if self.valid is None else take(side, self.valid)
            sides.append(side)
        length = d.length if self.valid is None else d.length[self.valid]
        if self._has_end_marks:
            for k, side in enumerate(sides):
                inside = side.place < repeat(length, side.count)
                before = np.concatenate([[0], np.cumsum(inside)])
                code = side.code[inside] if side.code.size else EMPTY
                sides[k] = Boundaries(side.place[inside], code, before[side.off])
        if len(self.types) == 1 and self._has_repeats:
            sides = [distinct(side) for side in sides]
        return Batch.of_sides(length, sides[0], sides[1], self.types)

    @cached_property
    def untyped(self) -> Batch:
        """The same documents for measures that do not look at types."""
        return self.batch.over(UNTYPED)

    def pairs(self, types: tuple[str, ...] | None) -> list[tuple[Segmentation, Segmentation]]:
        return [self._original.pair(document, types) for document in self.places.tolist()]

    def _with_codes(self, documents: Documents, invalid: NDArray[np.uint8]) -> Documents:
        """Return the documents with codes for ``types``, sorted at each position; set ``invalid`` if a code is missing."""
        place = {name: i for i, name in enumerate(self.types) if name}
        new_codes = np.array([place.get(name, -1) for name in documents.types] or [-1], np.int64)
        columns = []
        for side in (documents.reference, documents.hypothesis):
            mismatched = flatnonzero(np.diff(side.offsets) != np.diff(side.code_offsets))
            column = _recoded(side, mismatched, new_codes)
            invalid[mismatched] = 1
            invalid[searchsorted(column.offsets, flatnonzero(column.codes < 0), "right") - 1] = 1
            columns.append(column)
        return replace(documents, reference=columns[0], hypothesis=columns[1], types=self.types)


def _recoded(side: BoundaryColumn, mismatched: Ints, new_codes: Ints) -> BoundaryColumn:
    """Return a column with new codes and common offsets; documents with unequal positions and codes become empty."""
    positions = _without_documents(side.positions, side.offsets, mismatched)
    codes = new_codes[_without_documents(side.codes, side.code_offsets, mismatched)]
    counts = np.diff(side.offsets)
    counts[mismatched] = 0
    offsets = np.concatenate([[0], np.cumsum(counts)])
    if len(positions) > 1:
        document = repeat(np.arange(len(counts)), counts)
        is_new = (positions[1:] != positions[:-1]) | (document[1:] != document[:-1])
        if (~is_new & (codes[1:] < codes[:-1])).any():
            run = np.concatenate([[0], np.cumsum(is_new)])
            codes = codes[lexsort((codes, run))]
    return BoundaryColumn(positions, offsets, codes, offsets)


def _without_documents(values: Ints, offsets: Ints, documents: Ints) -> Ints:
    """Return the values that the offsets cover, without those of some documents."""
    covered = values[offsets[0] : offsets[-1]]
    if not documents.size:
        return covered
    keep: Flags = np.ones(len(offsets) - 1, bool)
    keep[documents] = False
    return covered[repeat(keep, np.diff(offsets))]
