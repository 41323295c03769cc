"""Summed counts of some documents, which can be merged with the sums of other documents.

Counts are added as whole multiples of 2^-106, so a total is bit-identical for every order of the documents and every
distribution over batches, threads and machines. The score is computed once, at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import add
from typing import Any, Self

import numpy as np

from caesura.errors import OptionError
from caesura.measures.base import BatchCounts, Measure, summarize
from caesura.measures.sums import as_float, exact_sums
from caesura.model.score import Score


@dataclass(frozen=True, slots=True)
class Partial:
    """Summed counts of some documents.

    Attributes
    ----------
    sums : tuple of int
        Sum of each count, in units of 2^-106.
    documents : int
        Number of documents.
    types : tuple of str
        The boundary types.
    resolved : mapping
        Options resolved per document, summarized.
    """

    sums: tuple[int, ...]
    documents: int
    types: tuple[str, ...]
    resolved: Mapping[str, Any]

    @classmethod
    def of(cls, measure: Measure, result: BatchCounts, types: tuple[str, ...]) -> Self:
        """Return the sums over all documents of a batch.

        Parameters
        ----------
        measure : Measure
            The measure that computed the counts.
        result : BatchCounts
            Its counts.
        types : tuple of str
            The boundary types.

        Returns
        -------
        Partial
            The sums.
        """
        if not len(result.counts):
            return cls.empty(measure, types)
        resolved = measure.summarize_resolved(result.resolved)
        return cls(exact_sums(result.counts), len(result.counts), types, resolved)

    @classmethod
    def empty(cls, measure: Measure, types: tuple[str, ...]) -> Self:
        """Return the sums over no documents.

        Parameters
        ----------
        measure : Measure
            The measure.
        types : tuple of str
            The boundary types.

        Returns
        -------
        Partial
            Zeros.
        """
        return cls((0,) * len(measure.part_names(types)), 0, types, {})

    def score(self, measure: Measure) -> Score:
        """Return the score of all documents.

        Parameters
        ----------
        measure : Measure
            The measure that computed the counts.

        Returns
        -------
        Score
            The score.
        """
        counts = np.array([as_float(units) for units in self.sums])
        return measure.build_score(counts, self.types, self.resolved, documents=self.documents)

    def merge(self, other: Partial, measure: Measure) -> Partial:
        """Return the sums over the documents of both partial results.

        Parameters
        ----------
        other : Partial
            Sums over different documents.
        measure : Measure
            The measure that computed the counts.

        Returns
        -------
        Partial
            The sums.

        Raises
        ------
        OptionError
            If the two have different types and the counts depend on them.
        """
        if not self.documents or not other.documents:
            return self if self.documents else other
        if other.types != self.types and measure.fixed_types:
            raise OptionError(
                f"{measure!r}: only counts over the same types add up; some documents have {', '.join(self.types)}, "
                f"others {', '.join(other.types)}. Declare types=[...]"
            )
        types = self.types if other.types == self.types else tuple(sorted({*self.types, *other.types}))
        sums = map(add, self._sums_over(measure, types), other._sums_over(measure, types))
        resolved: dict[str, list[Any]] = {}
        for name, value in (*self.resolved.items(), *other.resolved.items()):
            resolved.setdefault(name, []).append(value)
        summaries = {name: summarize(values) for name, values in resolved.items()}
        return Partial(tuple(sums), self.documents + other.documents, types, summaries)

    def _sums_over(self, measure: Measure, types: tuple[str, ...]) -> tuple[int, ...]:
        """Return the sums for a longer list of types, for a measure whose counts do not depend on this list."""
        if types == self.types:
            return self.sums
        by_name = dict(zip(measure.part_names(self.types), self.sums, strict=True))
        return tuple(by_name.get(name, 0) for name in measure.part_names(types))

    def to_dict(self) -> dict[str, Any]:
        """Return the sums as plain values, for checkpoints.

        Returns
        -------
        dict
            The fields by name; ``from_dict`` reads them back.
        """
        return {
            "sums": list(self.sums),
            "documents": self.documents,
            "types": list(self.types),
            "resolved": dict(self.resolved),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the sums that ``to_dict`` wrote.

        Parameters
        ----------
        data : mapping
            Plain values.

        Returns
        -------
        Partial
            The sums.
        """
        return cls(tuple(map(int, data["sums"])), int(data["documents"]), tuple(data["types"]), data["resolved"])
