"""Count edits by boundary type, as in Figure 6 of Lai, Li & Zhang (2023)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from caesura.errors import OptionError
from caesura.measures.base import Measure
from caesura.measures.many import Scores
from caesura.measures.registry import parse
from caesura.model.batch import Pair
from caesura.model.result import Result, Score


@dataclass(frozen=True, slots=True)
class OperationsRow:
    """The boundaries of a type on both sides, by edit. The proportions add up to 1."""

    type: str
    boundaries: int  # number of boundaries of the type
    match: float  # proportion at the same position with the same type on the other side
    substitution: Mapping[str, float]  # proportion at the same position with a different type, by that type
    unpaired: float  # proportion without a partner: deletions and insertions
    transposition: float  # proportion at a different position with the same type
    transposition_with_substitution: float  # proportion at a different position with a different type


@dataclass(frozen=True, slots=True)
class OperationsTable(Result):
    """Edits by boundary type. Iteration yields the rows; ``table[type]`` is a row.

    Attributes
    ----------
    rows : tuple of OperationsRow
        One row per type that occurs, in the order of the types.
    """

    rows: tuple[OperationsRow, ...]

    frame_field = "rows"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[OperationsRow]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> OperationsRow:
        for row in self.rows:
            if row.type == name:
                return row
        raise OptionError(f"no boundary of type {name!r}; choose from {', '.join(self.types) or 'none'}")

    @property
    def types(self) -> tuple[str, ...]:
        """The types that occur."""
        return tuple(row.type for row in self.rows)


def operations_table(
    source: Score | Scores | Iterable[Score] | Iterable[Pair], measure: str | Measure = "flexible_similarity"
) -> OperationsTable:
    """Count how the boundaries of each type were edited, over both sides.

    Parameters
    ----------
    source : Score, Scores, iterable of Score or iterable of pairs
        Scores with edits, the result of :func:`~caesura.score_many` (pairs that it could not score are ignored), or
        pairs of segmentations or dialogues.
    measure : str or Measure, default "flexible_similarity"
        Measure that scores pairs.

    Returns
    -------
    OperationsTable
        One row per type that occurs.

    Raises
    ------
    OptionError
        If a score has no edits.

    Notes
    -----
    A match counts for two boundaries of its type, a substitution for one of each type, a deletion or insertion for one. (The
    printed proportions of matches in Lai, Li & Zhang (2023) are too low: their program counted only the matches of the last
    speaker.)

    Examples
    --------
    >>> from caesura import Segmentation, flexible_similarity
    >>> a = Segmentation.from_marks(["", ",", "", "", ".", "."])
    >>> b = Segmentation.from_marks(["", "", ",", "", "?", "."])
    >>> row = operations_table(flexible_similarity(a, b))["."]
    >>> row.boundaries, round(row.match, 3), dict(row.substitution)
    (3, 0.667, {',': 0.0, '?': 0.3333333333333333})
    """
    types: dict[str, None] = {}
    counts: Counter[tuple[str, str | None, str | None]] = Counter()
    for score in _scores(source, parse(measure)):
        if score.edits is None:
            raise OptionError(
                f"expected a score with edits; {score.signature} has none; use the scores that a total is made of, or a "
                "measure that aligns"
            )
        types.update(dict.fromkeys(score.types))
        counts.update((edit.kind, edit.a_type, edit.b_type) for edit in score.edits)
    return operations_from_counts(types, counts)


def operations_from_counts(
    types: Iterable[str], counts: Mapping[tuple[str, str | None, str | None], int]
) -> OperationsTable:
    """Return the table of edits that were counted before."""
    edits: Counter[tuple[str, str]] = Counter()  # by type and kind of edit
    substitutes: Counter[tuple[str, str | None]] = Counter()  # by type and type on the other side
    totals: Counter[str] = Counter()
    for (kind, a_type, b_type), count in counts.items():
        for name, partner in ((a_type, b_type), (b_type, a_type)):
            if name is not None:
                edits[name, kind] += count
                substitutes[name, partner] += count if kind == "substitution" else 0
                totals[name] += count
    occurring = [name for name in types if totals[name]]
    rows = []
    for name in occurring:
        total = totals[name]
        by_substitute = {other: substitutes[name, other] / total for other in occurring if other != name}
        row = OperationsRow(
            type=name,
            boundaries=total,
            match=edits[name, "match"] / total,
            substitution=MappingProxyType(by_substitute),
            unpaired=(edits[name, "deletion"] + edits[name, "insertion"]) / total,
            transposition=edits[name, "transposition"] / total,
            transposition_with_substitution=edits[name, "transposition with substitution"] / total,
        )
        rows.append(row)
    return OperationsTable(tuple(rows))


def _scores(source: Any, measure: Measure) -> Iterator[Score]:
    if isinstance(source, Score):
        yield source
    elif isinstance(source, Scores):
        for place in source.scored.tolist():
            yield source[place]
    else:
        for entry in source:
            yield entry if isinstance(entry, Score) else measure.score(*entry)
