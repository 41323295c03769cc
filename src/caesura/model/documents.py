"""Store many documents as columns, the content of a table with one row per document, without one object per document.

A document is a reference and a hypothesis over the same units. The columns are stored as they were read. Errors in
single documents are detected later, when the documents are scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

from caesura.errors import CaesuraError, FormatError, SegmentationError
from caesura.model import checks
from caesura.model.segmentation import Segmentation
from caesura.model.value import Ints, frozen_array


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryColumn:
    # Boundary positions of all documents; those of document d are ``positions[offsets[d]:offsets[d + 1]]``.
    positions: Ints
    offsets: Ints  # index at which the positions of each document begin, followed by the end of the last document
    # Type of each boundary as an index into ``Documents.types``; empty if boundaries have no types.
    codes: Ints = field(default_factory=lambda: frozen_array(()))
    # Index at which the codes of each document begin, followed by the end of the last document; empty if boundaries have no
    # types.
    code_offsets: Ints = field(default_factory=lambda: frozen_array(()))

    @property
    def typed(self) -> bool:
        return self.code_offsets.size > 0

    def positions_of(self, document: int) -> Ints:
        return self.positions[self.offsets[document] : self.offsets[document + 1]]


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    items: Sequence[str]  # may be read from the file only when needed
    rows: Sequence[int]  # number of the row or line of each document in its file, from 1
    length: Ints
    reference: BoundaryColumn
    hypothesis: BoundaryColumn
    types: tuple[str, ...] = ()  # type names that the codes of the columns refer to, in arbitrary order
    excluded: Mapping[int, str] = field(default_factory=dict)  # documents that could not be read, with the reason
    declared_types: tuple[str, ...] | None = None  # the types in the order declared by the file, if there is one
    ignored_fields: tuple[str, ...] = ()  # names of unknown fields in the rows of these documents

    def __len__(self) -> int:
        return len(self.length)

    @property
    def typed(self) -> bool:
        return self.reference.typed

    def pair(self, document: int, types: Sequence[str] | None = None) -> tuple[Segmentation, Segmentation]:
        if document in self.excluded:
            raise SegmentationError(self.excluded[document])
        length = checks.count(int(self.length[document]))
        return self._side("reference", document, length, types), self._side("hypothesis", document, length, types)

    def _side(self, name: str, document: int, length: int, types: Sequence[str] | None) -> Segmentation:
        column: BoundaryColumn = getattr(self, name)
        positions = column.positions_of(document)
        try:
            if not column.typed:
                return Segmentation.from_positions(length, positions)
            codes = column.codes[slice(*column.code_offsets[document : document + 2])]
            if len(codes) != len(positions):
                problem = f"expected one type per position; got {len(codes)} for {len(positions)} positions"
                raise SegmentationError(problem)
            groups = groupby(zip(positions.tolist(), codes.tolist(), strict=True), itemgetter(0))
            marks = {position: [self.types[code] for _, code in group] for position, group in groups}
            return Segmentation.from_positions(length, list(marks), marks=list(marks.values()), types=types)
        except CaesuraError as problem:
            raise SegmentationError(f"{name}: {problem}") from None


@dataclass(frozen=True, slots=True, eq=False)
class DocumentPairs:
    """Documents stored as objects: trees, hierarchies, dialogues, or segmentations that were read one by one."""

    items: Sequence[str]
    rows: Sequence[int]  # number of the row or line of each document in its file, from 1
    pairs: Sequence[Any]  # reference and hypothesis of each document; None if the document is excluded
    # Documents that could not be read, with the reason. A ``FormatError`` gives the position in the file.
    excluded: Mapping[int, str | FormatError] = field(default_factory=dict)
    ignored_fields: tuple[str, ...] = ()  # names of unknown fields in the rows of these documents
    # Whether the pairs were converted to common units, so that they are not the data of the files.
    converted: bool = False

    def __len__(self) -> int:
        return len(self.pairs)
