"""What the file of a measure defines: counts of a batch, values of counts, and what else follows from them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from numpy.typing import NDArray

from caesura.errors import CaesuraError
from caesura.measures.batch import Batch
from caesura.measures.declaration import Declaration
from caesura.measures.edit_columns import EditColumns
from caesura.measures.expected import ExpectedCounts
from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.result import Edit
from caesura.model.segmentation import Segmentation
from caesura.model.value import Floats

# Additive counts: one row per document, one column per part.
Counts = Floats


@dataclass(frozen=True, slots=True)
class BatchCounts:
    counts: Counts  # Additive counts: one row per document, one column per part
    # Options that were resolved per document, such as the window of Pk: one array per option.
    resolved: Mapping[str, NDArray[Any]]


# The counts of a pair, and the options that were resolved for it.
PairCounts = tuple[Sequence[float], Mapping[str, Any]]


class Definition(Declaration):
    """The methods that the subclass of a measure defines or may define."""

    # A subclass defines ``compute`` (calls a kernel) and ``finish`` (turns counts into values) and, if it aligns boundaries,
    # ``align``. See ``measures.declaration.Declaration`` for parameters and attributes.

    def part_names(self, types: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the additive counts, in the order of the columns of ``compute``.

        Parameters
        ----------
        types : tuple of str
            The boundary types.

        Returns
        -------
        tuple of str
            Names of the counts; by default ``parts``.
        """
        return self.parts

    @abstractmethod
    def compute(self, batch: Batch) -> BatchCounts:
        """Call the kernel and return the counts of every document.

        Parameters
        ----------
        batch : Batch
            Documents that have passed ``check``.

        Returns
        -------
        BatchCounts
            Counts and resolved options.
        """

    @abstractmethod
    def finish(self, counts: Counts, types: tuple[str, ...]) -> Floats:
        """Return the value of each row of counts.

        Parameters
        ----------
        counts : numpy.ndarray
            One row per document, or sums over documents.
        types : tuple of str
            The boundary types.

        Returns
        -------
        numpy.ndarray
            One value per row.
        """

    def count_pair(self, a: Segmentation, b: Segmentation) -> PairCounts | None:
        """Return the counts of two segmentations over the same units; None if they must become a batch.

        A batch of one document costs more than counting a short text. A measure that is called in loops defines this method
        with the same kernel as ``compute``.

        Parameters
        ----------
        a, b : Segmentation
            Segmentations over the same units.

        Returns
        -------
        tuple or None
            The counts that ``compute`` returns for this pair, and the resolved options. None if the measure has no such
            method, or if ``check`` must decide whether the pair can be scored.
        """
        return None

    def check(self, batch: Batch) -> dict[int, CaesuraError]:
        """Return the documents for which the measure is undefined, with the reason.

        Parameters
        ----------
        batch : Batch
            Documents that can be compared.

        Returns
        -------
        dict
            Place of a document -> exception.
        """
        return {}

    def derived(self, counts: Mapping[str, float], types: tuple[str, ...]) -> dict[str, float]:
        """Return figures derived from the counts, such as precision and recall.

        Parameters
        ----------
        counts : mapping
            Counts by the name of the part.
        types : tuple of str
            The boundary types.

        Returns
        -------
        dict
            Figures by name.
        """
        return {}

    def resolved_for(self, types: tuple[str, ...]) -> dict[str, Any]:
        """Return the options that depend on the boundary types, as the signature shows them.

        Parameters
        ----------
        types : tuple of str
            The boundary types.

        Returns
        -------
        dict
            Values by the name of the option.
        """
        return {}

    def expected_counts(self, types: tuple[str, ...], sets: tuple[tuple[int, ...], ...]) -> ExpectedCounts | None:
        """Return a formula for the counts of two random texts; None if they must be simulated.

        Parameters
        ----------
        types : tuple of str
            The boundary types.
        sets : tuple of tuple of int
            Sets of types that can occur at a position, as indices into ``types``.

        Returns
        -------
        ExpectedCounts or None
            The formula.
        """
        return None

    def as_resolved(self, resolved: Mapping[str, Any]) -> Self:
        """Return the measure with the options that were resolved for a document, such as the window of Pk.

        Parameters
        ----------
        resolved : mapping
            Resolved options of the document.

        Returns
        -------
        Measure
            A measure that treats every text like that document.
        """
        return self

    def align(self, batch: Batch) -> tuple[Edit, ...] | None:
        """Return the edits of a document; None if the measure does not align boundaries.

        Parameters
        ----------
        batch : Batch
            A batch of one document.

        Returns
        -------
        tuple of Edit or None
        """
        return None

    def edit_columns(self, batch: Batch) -> EditColumns | None:
        """Return the edits of all documents at once; None if :meth:`align` must list them one by one.

        Parameters
        ----------
        batch : Batch
            Documents.

        Returns
        -------
        EditColumns or None
            The edits of :meth:`align`, as columns.
        """
        return None

    def unmatched_spans(self, a: Hierarchy, b: Hierarchy) -> tuple[tuple[Span, ...], tuple[Span, ...]] | None:
        """Return the spans of two hierarchies that have no counterpart; None if the measure does not match spans.

        Parameters
        ----------
        a, b : Hierarchy
            Hierarchies over the same units.

        Returns
        -------
        tuple of two tuples of Span, or None
            Those of a that b lacks, and those of b that a lacks.
        """
        return None

    def count_misses(self, counts: Counts, types: tuple[str, ...]) -> tuple[Floats, Floats] | None:
        """Return the full misses and the near misses in each row of counts.

        Parameters
        ----------
        counts : numpy.ndarray
            One row per document, or sums over documents.
        types : tuple of str
            The boundary types.

        Returns
        -------
        tuple of two numpy.ndarray, or None
            Boundaries without a counterpart, and boundaries that were moved; None if the counts do not contain them.
        """
        return None

    def misses_in(self, batch: Batch) -> tuple[Floats, Floats] | None:
        """Return the full misses and the near misses in each document, for a measure whose counts do not contain them.

        Parameters
        ----------
        batch : Batch
            Documents.

        Returns
        -------
        tuple of two numpy.ndarray, or None
            Boundaries without a counterpart, and boundaries that were moved; None if :meth:`align` must list them.
        """
        return None

    def count_disagreements(self, counts: Counts, types: tuple[str, ...]) -> Floats | None:
        """Return the number of edits that are no matches in each row of counts.

        Parameters
        ----------
        counts : numpy.ndarray
            One row per document, or sums over documents.
        types : tuple of str
            The boundary types.

        Returns
        -------
        numpy.ndarray or None
            Number of edits; None if the counts do not contain them.
        """
        return None
