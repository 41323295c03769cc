"""A gold standard with the spans that it includes, the spans that it dropped, and the reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from caesura.model.hierarchy import Hierarchy, Span
from caesura.model.result import Result


@dataclass(frozen=True, slots=True)
class Candidate:
    """A distinct span that at least one coder marked; with ``level="full"``, on one level.

    Attributes
    ----------
    span : Span
        The span as it is, or would be, in the gold standard. Its level is the one most coders chose, the smallest if
        several tie. Its label is the one most of these coders chose, the first if several tie.
    levels : tuple of int
        Every level on which a coder marked it.
    labels : tuple of str
        Every label that a coder gave it.
    coders : tuple of str
        The coders who marked it.
    weight : int
        Weight of the span in a conflict-free union.
    """

    span: Span
    levels: tuple[int, ...]
    labels: tuple[str, ...]
    coders: tuple[str, ...]
    weight: int

    @property
    def start(self) -> int:
        """First unit, counted from 1."""
        return self.span.start

    @property
    def end(self) -> int:
        """Last unit."""
        return self.span.end


@dataclass(frozen=True, slots=True)
class DroppedSpan(Candidate):
    """A span that is not in the gold standard.

    Attributes
    ----------
    reason : str
        Reason why the span was dropped.
    crossed_spans : tuple of Candidate
        The spans of the gold standard that it crosses.
    """

    reason: str
    crossed_spans: tuple[Candidate, ...]

    @property
    def crossed_coders(self) -> tuple[str, ...]:
        """The coders who marked a span that it crosses, in order of first appearance."""
        return tuple(dict.fromkeys(coder for candidate in self.crossed_spans for coder in candidate.coders))


@dataclass(frozen=True, repr=False)
class Gold(Result):
    """A gold standard that :func:`unify` built from the hierarchies of several coders.

    Attributes
    ----------
    hierarchy : Hierarchy
        The gold standard itself. Unlike the spans of a coder, its spans may cross; ``conflicts`` counts the pairs. Its
        levels are those that the coders agreed on, so an inner span need not be deeper than the span around it;
        :meth:`nested_hierarchy` derives levels from nesting.
    method : str
        Name of the method.
    level : str
        ``"flat"`` or ``"full"``.
    coders : tuple of str
        The coders, in the order of the input.
    included : tuple of Candidate
        The distinct spans in the gold standard, sorted by start, larger spans first.
    dropped : tuple of DroppedSpan
        The distinct spans that are not in the gold standard, with reasons.
    conflicts : int
        Number of pairs of included spans that cross. Above 0 only for a union, or a majority with a threshold below .5.
    optima : int or None
        Number of conflict-free sets with the greatest weight; None unless the method is a conflict-free union.
    best_annotator : str or None
        The coder whose hierarchy is the gold standard; None unless the method is the best annotator.
    mean_kappas : mapping of str to float or None
        Mean kappa of each coder with the others, None if all are undefined. Empty unless the method is the best annotator.
    notes : tuple of str
        Remarks for the reader, such as ties, and spans that became empty.
    signature : str
        One line to reproduce the result.
    """

    json_properties: ClassVar[tuple[str, ...]] = ("tied",)
    frame_field: ClassVar[str] = "included"

    hierarchy: Hierarchy
    method: str
    level: str
    coders: tuple[str, ...]
    included: tuple[Candidate, ...]
    dropped: tuple[DroppedSpan, ...]
    signature: str
    conflicts: int = 0
    optima: int | None = None
    best_annotator: str | None = None
    mean_kappas: Mapping[str, float | None] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = ()

    @property
    def tied(self) -> bool:
        """Whether a different gold standard is equally good (several optima, or several best annotators)."""
        means = [mean for mean in self.mean_kappas.values() if mean is not None]
        return (self.optima or 1) > 1 or sum(mean > max(means) - 1e-12 for mean in means) > 1

    def nested_hierarchy(self) -> Hierarchy:
        """Return the same spans with levels derived from nesting.

        Returns
        -------
        Hierarchy
            The level of a span is 1 + the number of distinct spans that strictly contain it.

        Raises
        ------
        HierarchyError
            If two spans cross.

        Examples
        --------
        >>> from caesura.gold.unify import unify
        >>> gold = unify([Hierarchy(4, [(1, 4), (1, 2)]), Hierarchy(4, [(1, 3), (1, 2)])])
        >>> [str(span) for span in gold.hierarchy]
        ['1-4 on level 1', '1-3 on level 1', '1-2 on level 2']
        >>> [str(span) for span in gold.nested_hierarchy()]
        ['1-4 on level 1', '1-3 on level 2', '1-2 on level 3']
        """
        text = self.hierarchy
        spans = dict.fromkeys((span.start, span.end, None, span.label) for span in text)
        return Hierarchy(text.length, spans, units=text.units, edges=text.edges, extent=text.extent)

    def __repr__(self) -> str:
        content = repr(self.hierarchy).removeprefix("Hierarchy(").removesuffix(")")
        if self.conflicts:
            crossing = "1 pair crosses" if self.conflicts == 1 else f"{self.conflicts} pairs cross"
            content = f"{content.partition(':')[0]}, {crossing}"
        return f"Gold({self.method}, {self.level}: {content})"
