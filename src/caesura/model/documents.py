"""Many documents as columns: what a table with a row a document holds, without an object for each of them.

A document is a reference and a hypothesis over the same units. Columns are taken as they were read; what is wrong with single
documents is found where they are scored, many at a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caesura.errors import CaesuraError, FormatError, SegmentationError
from caesura.model.segmentation import Segmentation
from caesura.model.value import check_length

Ints = NDArray[np.int64]
NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryColumn:
    """The boundaries of one side: those of document d are ``positions[offsets[d]:offsets[d + 1]]``."""

    positions: Ints
    offsets: Ints
    codes: Ints = field(default_factory=lambda: NONE)
    """The type of each boundary as a place in ``Documents.types``, at ``code_offsets``; empty where there are no types."""
    code_offsets: Ints = field(default_factory=lambda: NONE)

    @property
    def typed(self) -> bool:
        """Whether boundaries have types."""
        return self.code_offsets.size > 0

    def positions_of(self, document: int) -> Ints:
        """The positions of one document."""
        return self.positions[self.offsets[document] : self.offsets[document + 1]]

    def types_of(self, document: int, types: Sequence[str]) -> list[str]:
        """The types of one document."""
        codes = self.codes[self.code_offsets[document] : self.code_offsets[document + 1]]
        return [types[code] for code in codes.tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Some documents, side by side."""

    items: Sequence[str]
    """Their names, which may be read from the file only when one is asked for."""
    rows: Sequence[int]
    """Where each stands in its file: the number of the row or line, from 1 on."""
    length: Ints
    reference: BoundaryColumn
    hypothesis: BoundaryColumn
    types: tuple[str, ...] = ()
    """What the codes of the columns stand for, in no order."""
    excluded: Mapping[int, str] = field(default_factory=dict)
    """Documents that could not be read, and why."""
    declared_types: tuple[str, ...] | None = None
    """The types in the order that their file declares, if it does."""

    def __len__(self) -> int:
        return len(self.length)

    @property
    def typed(self) -> bool:
        """Whether boundaries have types; then they have on both sides."""
        return self.reference.typed

    def pair(self, document: int, types: Sequence[str] | None = None) -> tuple[Segmentation, Segmentation]:
        """One document as two segmentations, over these types if they are declared."""
        if document in self.excluded:
            raise SegmentationError(self.excluded[document])
        length = check_length(int(self.length[document]))
        return self._side("reference", document, length, types), self._side("hypothesis", document, length, types)

    def _side(self, name: str, document: int, length: int, types: Sequence[str] | None) -> Segmentation:
        column: BoundaryColumn = getattr(self, name)
        positions = column.positions_of(document)
        try:
            if not column.typed:
                return Segmentation.from_positions(length, positions)
            marks = column.types_of(document, self.types)
            if len(marks) != len(positions):
                raise SegmentationError(
                    f"one type a position is needed; got {len(marks)} for {len(positions)} positions"
                )
            at: dict[int, list[str]] = {}
            before: int | None = None
            for position, mark in zip(positions.tolist(), marks, strict=True):
                if before is not None and position < before:
                    raise SegmentationError(f"positions must ascend; got {position} after {before}")
                if mark in at.setdefault(position, []):
                    raise SegmentationError(f"a position may have a type only once; got {mark!r} again at {position}")
                at[position].append(mark)
                before = position
            return Segmentation.from_positions(length, list(at), marks=list(at.values()), types=types)
        except CaesuraError as problem:
            raise SegmentationError(f"{name}: {problem}") from None


@dataclass(frozen=True, slots=True, eq=False)
class DocumentPairs:
    """Some documents that are objects: trees, hierarchies, dialogues, or segmentations that were read one by one."""

    items: Sequence[str]
    rows: Sequence[int]
    pairs: Sequence[Any]
    """Two sides each; None where ``problems`` says why."""
    excluded: Mapping[int, str | FormatError] = field(default_factory=dict)
    """Documents that could not be read, and why; an error of a file says where."""

    def __len__(self) -> int:
        return len(self.pairs)
