"""What a measure knows of some documents, ready to be merged with what it knows of others.

Counts are added as whole multiples of 2^-106, so that a total is the same to the last bit whatever the order of the documents,
and however they were spread over batches, threads and machines. The score is made once, at the end.
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
    """Summed counts, in units of 2^-106; the number of documents; options as they were resolved, spread over documents."""

    sums: tuple[int, ...]
    documents: int
    types: tuple[str, ...]
    resolved: Mapping[str, Any]

    @classmethod
    def of(cls, measure: Measure, computed: BatchCounts, types: tuple[str, ...]) -> Self:
        """Of all documents of a batch."""
        if not len(computed.counts):
            return cls.empty(measure, types)
        return cls(
            exact_sums(computed.counts), len(computed.counts), types, measure.summarize_resolved(computed.resolved)
        )

    @classmethod
    def empty(cls, measure: Measure, types: tuple[str, ...]) -> Self:
        """Of no document."""
        return cls((0,) * len(measure.part_names(types)), 0, types, {})

    def score(self, measure: Measure) -> Score:
        """The one score of all documents."""
        counts = np.array([as_float(one) for one in self.sums])
        return measure.build_score(counts, self.types, self.resolved, documents=self.documents)

    def merge(self, other: Partial, measure: Measure) -> Partial:
        """Of the documents of both."""
        if not self.documents or not other.documents:
            return self if self.documents else other
        types = self.types
        ours, theirs = self.sums, other.sums
        if other.types != types:
            if measure.fixed_types:
                raise OptionError(
                    f"{measure!r}: only counts over the same types add up; some documents have {', '.join(self.types)}, "
                    f"others {', '.join(other.types)}. Declare types=[...]"
                )
            types = tuple(sorted({*self.types, *other.types}))
            ours, theirs = (_over(one, measure, types) for one in (self, other))
        names = dict.fromkeys([*self.resolved, *other.resolved])
        resolved = {
            name: summarize([one.resolved[name] for one in (self, other) if name in one.resolved]) for name in names
        }
        return Partial(tuple(map(add, ours, theirs)), self.documents + other.documents, types, resolved)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "sums": list(self.sums),
            "documents": self.documents,
            "types": list(self.types),
            "resolved": dict(self.resolved),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """What ``to_dict`` gave."""
        return cls(tuple(map(int, given["sums"])), int(given["documents"]), tuple(given["types"]), given["resolved"])


def _over(one: Partial, measure: Measure, types: tuple[str, ...]) -> tuple[int, ...]:
    """The sums over more types: those of a measure whose counts by name do not depend on what else there is."""
    known = dict(zip(measure.part_names(one.types), one.sums, strict=True))
    return tuple(known.get(name, 0) for name in measure.part_names(types))
